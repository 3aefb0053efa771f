import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  barriers,
  commitment,
  DESKTOP,
  keepPicture,
  onEveryScreen,
  openPage,
  PHONE,
  SOON,
} from './page.ts'
import { browser, service, useService } from './stories.ts'

useService()

interface Fun {
  page: Page
  faults: string[]
  /** Everything that the page has asked the service for: "GET /api/crash?action=watch". */
  asked: string[]
}

/** Opens a view as a visitor without a wallet, and takes fun chips. */
async function openForFun(view: string, options: BrowserContextOptions = DESKTOP): Promise<Fun> {
  const { page, faults } = await openPage(browser, `${service.baseUrl}/#/${view}`, options)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    asked.push(`${request.method()} ${pathname}${search} ${request.postData() ?? ''}`.trim())
  })
  await page.getByRole('button', { name: 'Try with fun chips' }).click()
  await chips(page).getByText('FUN').waitFor()
  return { page, faults, asked }
}

const chips = (page: Page) => page.getByLabel('Your fun chips')
const shownChips = async (page: Page) =>
  Number((await chips(page).locator('.money').getAttribute('title'))?.replace(' FUN', ''))
const playButton = (page: Page) => page.getByRole('button', { name: /^Play for/ })

interface Kept {
  chipsWei: string
  grants: number
  plays: { nonce: number; seed: string; seedHash: string; amount: string; payout: string }[]
}

/** Returns what the browser keeps of its fun chips. */
const kept = (page: Page) =>
  page.evaluate<Kept>("JSON.parse(localStorage.getItem('fairhouse.funChips'))")

/** Plays by the button, and checks that the hash of the disclosed seed was shown before. */
async function playOnce(page: Page) {
  // A game that has just been opened reads the commitment again.
  await page.locator('button.act[aria-disabled=false]').waitFor()
  const shown = await page.getByTestId('next-seed-hash').textContent()
  await playButton(page).click()
  const newest = async () => (await kept(page)).plays[0]
  await expect.poll(async () => (await newest())?.seedHash, SOON).toBe(shown)
  const play = await newest()
  if (!play) throw new Error('nothing was played')
  return play
}

/** The only calls that spectators make, none of which names a player. */
const PUBLIC =
  /^GET \/(api\/(entropy|crash(\?action=(watch|bets|history|round&roundId=\d+))?|crash\/stream|ads\S*)|assets\/\S+)$/

/** Returns the answer of a deployment that doesn't offer fun chips. */
function withoutFun(answer: { terms?: object; config?: { terms: object } }): object {
  const terms = { ...(answer.terms ?? answer.config?.terms), funChips: false }
  return answer.config ? { ...answer, config: { ...answer.config, terms } } : { ...answer, terms }
}

describe('play with fun chips', () => {
  it('plays every game by its rules, and sends nothing of it', async () => {
    const { page, faults, asked } = await openForFun('limbo')
    await page.getByText('Fun chips are worth nothing and can’t be withdrawn.').waitFor()
    await commitment(page)
    await playOnce(page)
    await page.getByRole('radio', { name: 'automatically' }).check()
    await page.getByLabel('Bets optional').fill('3')
    await page.getByLabel('Pause').selectOption('None')
    await page.getByRole('button', { name: 'Start autobet' }).click()
    await page.getByTestId('autobet').getByText('All bets placed').waitFor()
    await page.getByRole('radio', { name: 'by hand' }).check()
    await page.goto(`${service.baseUrl}/#/plinko`)
    await commitment(page)
    await playOnce(page)
    await page.goto(`${service.baseUrl}/#/keno`)
    await page.getByRole('button', { name: /for me$/ }).click()
    await commitment(page)
    await playOnce(page)
    await page.goto(`${service.baseUrl}/#/mines`)
    await commitment(page)
    await page.getByRole('radio', { name: 'all at once' }).check()
    await page.getByRole('button', { name: /for me$/ }).click()
    await playOnce(page)
    await page.getByRole('radio', { name: 'tile by tile' }).check()
    await page.getByRole('button', { name: /^Start for 10 FUN/ }).click()
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    await page.getByRole('button', { name: 'Tile 3', exact: true }).click()
    await page.getByRole('button', { name: /^Tile 3, (gem|mine)$/ }).waitFor()
    const cashOut = page.getByRole('button', { name: /^Cash out [\d.]+ FUN/ })
    if (await cashOut.isVisible()) await cashOut.click()
    await expect.poll(async () => (await kept(page)).plays.length, SOON).toBe(8)
    const { chipsWei, grants, plays } = await kept(page)
    const net = plays.reduce((sum, each) => sum + Number(each.payout) - Number(each.amount), 0)
    expect(Number(chipsWei)).toBe(grants * 1_000_000_000 + net)
    await expect.poll(() => shownChips(page), SOON).toBe(Number(chipsWei) / 1e6)
    expect(asked.filter((each) => !PUBLIC.test(each))).toEqual([])
    expect(faults).toEqual([])
  })

  it('bets on live rounds, cashed out automatically and by hand', async () => {
    const { page, faults, asked } = await openForFun('crash')
    // In the next round: right after a bet has ended, a press bets nothing.
    const bet = page.getByRole('button', { name: /^Bet 10 FUN/ })
    // Right after take-off, a cash-out returns the stake.
    const paid = page.getByText(/^(You won|Returned) /)
    const lost = page.getByText(/^Crashed: 10 FUN lost$/)
    await page.getByLabel('Auto cash-out').fill('1.01')
    do {
      await bet.click()
      await paid.or(lost).waitFor()
    } while (await lost.isVisible())
    expect(await paid.innerText()).toBe('You won 10.1 FUN at 1.01x')
    await page.getByLabel('Auto cash-out').fill('')
    const cashOut = page.getByRole('button', { name: /^Cash out at/ })
    do {
      await bet.click()
      await cashOut.or(lost).waitFor()
      if (await cashOut.isVisible()) await page.keyboard.press('c')
      await paid.or(lost).waitFor()
    } while (await lost.isVisible())
    await expect.poll(() => shownChips(page), SOON).toBe(Number((await kept(page)).chipsWei) / 1e6)
    await page.getByText('No one has bet in this round yet.').waitFor()
    expect(asked.filter((each) => !PUBLIC.test(each))).toEqual([])
    expect(faults).toEqual([])
  })

  it('verifies a fun play in this browser, and says that it is one', async () => {
    const { page, faults } = await openForFun('limbo')
    await commitment(page)
    await playOnce(page)
    await page.getByRole('link', { name: 'Verify play 0' }).click()
    await page.getByRole('heading', { name: 'Limbo, fun play 0' }).waitFor()
    await page.getByText('Verified: the result is correct.').waitFor()
    await page.getByText('its seed hash is the one you saw before you played').waitFor()
    await page.getByText('This was a fun play: nothing was at stake.').waitFor()
    await onEveryScreen(page, async (screen) => {
      expect(await barriers(page)).toEqual([])
      await keepPicture(page, `fun-proof-${screen}`)
    })
    expect(faults).toEqual([])
  })

  it('keeps chips and an open game over a reload, and leaves with one press', async () => {
    const { page, faults } = await openForFun('mines', PHONE)
    await commitment(page)
    const start = page.getByRole('button', { name: /^Start for 10 FUN/ })
    await start.tap()
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    expect(await shownChips(page)).toBe(990)
    await page.reload()
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    await page.getByRole('button', { name: 'Refill' }).tap()
    await expect.poll(() => shownChips(page), SOON).toBe(1990)
    await page.getByRole('button', { name: 'Leave' }).tap()
    await page.getByRole('button', { name: 'Try with fun chips' }).waitFor()
    await page.getByRole('button', { name: 'Try with fun chips' }).tap()
    await expect.poll(() => shownChips(page), SOON).toBe(1990)
    const banner = page.getByRole('banner')
    await banner.getByRole('button', { name: 'Development wallet' }).tap()
    await page.getByLabel('Your chips').getByText('ETH').waitFor()
    expect(await page.getByText('FUN').count()).toBe(0)
    await page.reload()
    await page.getByLabel('Your chips').getByText('ETH').waitFor()
    expect(faults).toEqual([])
  })

  it.each(['crash', 'limbo'])(
    '%s is neither offered nor carried on where the house offers no fun chips',
    async (game) => {
      const { page } = await openForFun(game)
      await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
      await page.route(/\/api\/(entropy|crash\?action=watch)/, async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: withoutFun(await response.json()) })
      })
      await page.reload()
      await page.getByText('This site no longer offers fun chips.').first().waitFor()
      const form = page.getByRole('form', { name: 'Your bet' })
      await form.getByRole('button', { name: 'Development wallet' }).waitFor()
      await page.reload()
      await form.getByText('Returns on average').waitFor()
      await form.getByText('99%').waitFor()
      expect(await page.getByRole('button', { name: 'Try with fun chips' }).count()).toBe(0)
      expect(await page.getByText('no longer offers').count()).toBe(0)
    },
  )

  it.each(['crash', 'limbo', 'mines', 'plinko', 'keno'])(
    '%s is marked on every screen, without an accessibility violation',
    async (game) => {
      const { page, faults } = await openForFun(game)
      await page.getByText('Fun chips are worth nothing and can’t be withdrawn.').waitFor()
      await onEveryScreen(page, async (screen) => {
        expect(await barriers(page)).toEqual([])
        await keepPicture(page, `fun-${game}-${screen}`)
      })
      expect(faults).toEqual([])
    },
  )
})
