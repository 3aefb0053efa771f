import type { Page } from 'playwright-core'

export const startButton = (page: Page) => page.getByRole('button', { name: /^Start autobet/ })

/** Says why automatic bets ended. */
export const ended = (page: Page, why: string) =>
  page.getByTestId('autobet').getByText(why, { exact: true })
