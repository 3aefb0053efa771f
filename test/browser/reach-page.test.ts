import type { BrowserContextOptions } from 'playwright-core'
import { expect, it } from 'vitest'
import { openPage, SOON } from './page.ts'
import { browser, service, useService } from './stories.ts'

useService()

const SMALL_PHONE = { viewport: { width: 360, height: 640 } }

const open = (path: string, options: BrowserContextOptions) =>
  openPage(browser, `${service.baseUrl}/${path}`, options)

/** The footer's links that something else covers at the end of the page. */
const COVERED = `(() => {
  scrollTo(0, document.documentElement.scrollHeight)
  return [...document.querySelectorAll('footer a')]
    .filter((link) => {
      const { x, y, width, height } = link.getBoundingClientRect()
      return !link.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })
    .map((link) => link.textContent)
})()`

it('a visitor of a game on a small phone can press all links of the footer, and sees a view from its top', async () => {
  const { page } = await open('#/limbo', SMALL_PHONE)
  await page.getByRole('button', { name: 'Try with fun chips' }).last().waitFor()
  await expect.poll(() => page.evaluate(COVERED), SOON).toEqual([])
  await page.getByRole('contentinfo').getByRole('link', { name: 'Returns' }).click()
  const place = () => page.evaluate('[scrollY, document.activeElement.id]')
  await expect.poll(place, SOON).toEqual([0, 'main'])
})

it('a player who needs high contrast sees the tiles, and the token that is staked', async () => {
  const { page } = await open('#/mines', { forcedColors: 'active' })
  await page.getByRole('group', { name: /tiles/i }).first().waitFor()
  const seen = await page.evaluate(`(() => {
    const styleOf = (part) => getComputedStyle(document.querySelector(part))
    const coinOf = (state) => styleOf('.token-choice input' + state + ' + span').backgroundColor
    return [styleOf('.board .cell').borderTopWidth, coinOf(':checked') !== coinOf(':not(:checked)')]
  })()`)
  expect(seen).toEqual(['1px', true])
})
