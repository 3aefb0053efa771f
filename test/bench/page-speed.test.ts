import type { Page } from 'playwright-core'
import { beforeAll, it } from 'vitest'
import { commitment, openPage, PHONE } from '../browser/page.ts'
import { browser, giveChips, service, useService } from '../browser/stories.ts'

/** How fast the page is: printed, not asserted, because it depends on the machine. Run by `npm run bench:page`. */

const VISITS = 7
const PLAYS = 25

useService()
beforeAll(() => giveChips('ETH', 10n ** 18n))

/** Records, in milliseconds since the navigation, when `isThere` first holds in the page. */
const watchFor = (isThere: string) => `{
  const look = () => { if (globalThis.playableMs === undefined && ${isThere}) playableMs = performance.now() }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
}`

const LIVE_TABLE = `/Bets close in|Takes off in|Flying|Crashed at/.test(document.querySelector('.stage .caption')?.textContent)`
const PLAYABLE_GAME = `document.querySelector('.act')?.getAttribute('aria-disabled') === 'false' && /^[0-9a-f]{64}$/.test(document.querySelector('[data-testid=next-seed-hash]')?.textContent)`

/** Presses the button and returns the milliseconds until the next commitment, which comes with the answer. */
const PRESS = `new Promise((resolve) => {
  const hash = document.querySelector('[data-testid=next-seed-hash]')
  const pressedAt = performance.now()
  const seen = new MutationObserver(() => { seen.disconnect(); resolve(performance.now() - pressedAt) })
  seen.observe(hash, { subtree: true, childList: true, characterData: true })
  document.querySelector('.act').click()
})`

function tell(what: string, times: number[]): void {
  const [sorted, count] = [times.toSorted((a, b) => a - b), times.length]
  const ms = (part: number) => `${Math.round(sorted[Math.floor((count - 1) * part)] ?? NaN)} ms`
  console.log(`${what}: median ${ms(0.5)}, from ${ms(0)} to ${ms(1)} (${count} times)`)
}

/** Visits in browsers that have cached nothing. */
async function visits(view: string, isThere: string, player: 'none' | 'wallet'): Promise<number[]> {
  const times: number[] = []
  for (let visit = 0; visit < VISITS; visit++) {
    const { page } = await openPage(browser, `${service.baseUrl}/icon.svg`, PHONE)
    if (player === 'wallet') await signIn(page)
    await page.addInitScript(watchFor(isThere))
    await page.goto(`${service.baseUrl}/#/${view}`)
    times.push(await page.evaluate<number>(UNTIL_PLAYABLE))
    await page.context().close()
  }
  return times
}

const UNTIL_PLAYABLE = `new Promise((resolve) => {
  const looking = setInterval(() => {
    if (globalThis.playableMs === undefined) return
    clearInterval(looking)
    resolve(playableMs)
  }, 10)
})`

/** Takes over a signed-in session, so that the visit has nothing cached but the session. */
async function signIn(page: Page): Promise<void> {
  const { page: other } = await openPage(browser, `${service.baseUrl}/#/limbo`)
  await other.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await other.getByLabel('Your chips').getByText('ETH').waitFor()
  const kept = await other.evaluate<string>("localStorage.getItem('fairhouse.session')")
  await other.context().close()
  await page.evaluate(`localStorage.setItem('fairhouse.session', ${JSON.stringify(kept)})`)
}

async function plays(page: Page): Promise<number[]> {
  await commitment(page)
  await page.getByRole('button', { name: /^Play for/, disabled: false }).waitFor()
  const times: number[] = []
  for (let play = 0; play < PLAYS; play++) times.push(await page.evaluate<number>(PRESS))
  return times
}

it('measures the time from the navigation to a live table, and to a game that can be played', async () => {
  tell('To the live crash table', await visits('crash', LIVE_TABLE, 'none'))
  tell('To a playable limbo with a wallet', await visits('limbo', PLAYABLE_GAME, 'wallet'))
})

it('measures the time from the click to the answer of a play', async () => {
  const { page } = await openPage(browser, `${service.baseUrl}/#/limbo`, PHONE)
  const tryIt = page.getByRole('button', { name: 'Try with fun chips' })
  await page.getByRole('form').getByRole('button', { name: 'Development wallet' }).waitFor()
  if (await tryIt.isVisible()) {
    await tryIt.click()
    tell('To the answer of limbo with fun chips', await plays(page))
  }
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').getByText('ETH').waitFor()
  tell('To the answer of limbo with a wallet', await plays(page))
})
