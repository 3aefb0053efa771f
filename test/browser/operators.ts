import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { barriers, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, service } from './stories.ts'

export type Role = 'Admin' | 'Treasurer' | 'Support' | 'Viewer'

/** Opens a view of the operators' page as one of the operators of local play. */
export async function openAs(role: Role, view = 'state') {
  const opened = await openPage(browser, `${service.baseUrl}/operate#/${view}`)
  const { page } = opened
  await page.getByRole('button', { name: `${role} of local play` }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return opened
}

/** Gives the reason of the act that the page asks about, and signs it. */
export async function sign(page: Page, title: string, button = 'Sign'): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.getByLabel('Reason, for the journal').fill('A story.')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: button, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** Has the page get an answer for a call of operators. */
export async function answerWith(page: Page, path: string | RegExp, answer: object): Promise<void> {
  await page.route(path, (route) => route.fulfill({ json: { ok: true, ...answer } }))
}

/** Expects a view to suit everybody on every kind of screen, and keeps its pictures. */
export async function expectSuitable(page: Page, name: string): Promise<void> {
  await onEveryScreen(page, async (screen) => {
    await keepPicture(page, `${name}-${screen}`, true)
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    expect(await barriers(page)).toEqual([])
  })
}
