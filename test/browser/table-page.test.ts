import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Client } from '../../src/cli/shared/client.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { Player } from '../../src/cli/shared/player.ts'
import type { TableState } from '../../src/play/crash/table.ts'
import { HALF_CRASH_AT_ONCE } from '../scenarios/started-service.ts'
import { barriers, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, service, useService } from './stories.ts'

const ETH = 10n ** 18n

let page: Page
let faults: string[]
/** The page's player, and two others. */
let alice: Player
let others: Player[]

useService(HALF_CRASH_AT_ONCE)
beforeAll(async () => {
  const [first, ...rest] = await Promise.all([0, 1, 2].map(playerWithChips))
  if (!first) throw new Error('there are three players')
  alice = first
  others = rest
})

beforeEach(async () => {
  ;({ page, faults } = await openPage(browser, service.baseUrl, {
    viewport: { width: 390, height: 844 },
  }))
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').getByText('ETH').waitFor()
})

async function playerWithChips(index: number): Promise<Player> {
  const player = new Player(new Client(service.baseUrl), devPlayer(index).privateKey)
  await player.signIn(await player.signInMessage())
  await player.takeChips('ETH', ETH)
  await player.takeChips('USDG', 100_000_000n)
  return player
}

async function watch(): Promise<TableState> {
  const response = await fetch(`${service.baseUrl}/api/crash?action=watch`)
  const state: TableState = await response.json()
  return state
}

/** Has the others bet in a round that has just opened. Returns its number. */
async function othersBet(): Promise<number> {
  for (;;) {
    const { roundId, betsCloseAt, serverTime } = await watch()
    if (betsCloseAt - serverTime > 2_000) {
      await Promise.all(
        others.map((other, index) => other.bet(roundId, 'ETH', (ETH * BigInt(index + 2)) / 100n)),
      )
      return roundId
    }
    await page.waitForTimeout(100)
  }
}

/** Has the page show one moment of a busy table. */
async function standStill(): Promise<void> {
  const state = await watch()
  const { roundId } = state
  const flight = { phase: 'flight', crashPoint: null, multiplier: 1.4 }
  const history = Array.from({ length: 50 }, (_, ago) => ({
    roundId: roundId - ago - 1,
    crash: Math.floor(1_000 * 1.13 ** ((ago * 17) % 31)) / 1_000,
  }))
  const bets = Array.from({ length: 200 }, (_, rank) => {
    const wallet = rank === 3 ? alice.wallet : `0x${String(rank).padStart(40, 'abcdef0123456789')}`
    const amountWei = (ETH / BigInt(rank + 5)).toString()
    const isOut = rank % 3 === 1
    const end = isOut ? { multiplier: 1.2, payout: amountWei } : { multiplier: null, payout: null }
    return { wallet, token: 'ETH', amountWei, ...end }
  })
  const totals = {
    ETH: { count: 240, amountWei: (4n * ETH).toString() },
    USDG: { count: 0, amountWei: '0' },
  }
  const answers: Record<string, object> = {
    watch: { ...state, ...flight, history: history.slice(0, 20) },
    bets: { ok: true, roundId, betsRoot: null, totals, bets },
    history: { ok: true, history },
  }
  await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
  await page.route('**/api/crash?action=*', (route) => {
    const action = new URL(route.request().url()).searchParams.get('action') ?? ''
    return route.fulfill({ json: answers[action] ?? {} })
  })
}

/** Waits for a round's end. */
async function ended(roundId: number): Promise<void> {
  for (;;) {
    const { roundId: current, phase } = await watch()
    if (current > roundId || phase === 'results') return
    await page.waitForTimeout(200)
  }
}

const list = () => page.getByRole('region', { name: /^Bets (in|of) round/ })
const short = ({ wallet }: Player) => `${wallet.slice(0, 6)}…${wallet.slice(-4)}`
const betButton = () => page.getByRole('button', { name: /^Bet \d/ })
const verified = () => page.getByText('Verified: the result is correct.')

/** A flight may be long, and some end before anyone can cash out. */
describe('the table', { timeout: 400_000 }, () => {
  it('shows all bets as they come, the player’s own among them, and cash-outs as they happen', async () => {
    const [bob, carol] = others
    if (!bob || !carol) throw new Error('there are two others')
    let isOut = false
    while (!isOut) {
      const roundId = await othersBet()
      await list().getByText(short(bob)).waitFor()
      await betButton().click()
      const own = list().getByRole('row', { name: /^You 0\.01 ETH/ })
      await own.waitFor()
      await page.getByText('3 players').waitFor()
      await page.getByText('0.06 ETH staked').waitFor()
      const row = list().getByRole('row', { name: short(carol) })
      expect(await row.innerText()).toContain('in play')
      while ((await watch()).phase === 'betting') await page.waitForTimeout(50)
      isOut = await carol.cashout(roundId).then(
        () => true,
        () => false,
      )
      if (isOut) await row.getByText(/^\d\.\d\dx$/).waitFor()
      await ended(roundId)
      await page.getByRole('link', { name: `Round ${roundId} and its proof` }).waitFor()
      expect(await list().getByText('in play').count()).toBe(0)
    }
    expect(faults).toEqual([])
  })

  it('has room for many bets and fifty rounds on every screen', async () => {
    await standStill()
    await page.reload()
    await page.getByText('240 players').waitFor()
    await page.getByText('of the largest 200 cashed out').waitFor()
    await page.getByText('of 50 reached 2.00x').waitFor()
    expect(await list().getByRole('row').count()).toBe(201)
    await onEveryScreen(page, async (screen) => {
      await page.evaluate(`document.querySelector('.round-bets').scrollIntoView()`)
      await keepPicture(page, `table-${screen}`)
      const cut = `document.querySelector('.bet-rows').scrollWidth - document.querySelector('.bet-rows').clientWidth`
      expect(await page.evaluate(cut)).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })

  it('has the last rounds as bars, each with a page of its bets and their proof', async () => {
    const roundId = await othersBet()
    await ended(roundId)
    const bars = page.getByRole('navigation', { name: /^Last \d+ rounds?/ })
    const bar = bars.getByRole('link', { name: new RegExp(`^Round ${roundId}: `) })
    await bar.focus()
    await keepPicture(page, 'bars-phone')
    await page.keyboard.press('Enter')
    await verified().waitFor()
    await page.getByText('its 2 bets are the ones fixed at the close').waitFor()
    await page.getByRole('heading', { name: '2 bets' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `round-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await list().getByRole('link').first().click()
    await page.getByRole('heading', { name: `Bet in round ${roundId}`, level: 2 }).waitFor()
    await verified().waitFor()
    const link = page.getByRole('button', { name: 'Copy link' }).locator('xpath=..').locator('code')
    // Platforms don't send what stands after a '#', so the link to share has none.
    expect(await link.getAttribute('title')).toBe(page.url().replace('/#/', '/'))
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `bet-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })

  it('shows the bets even while the stream is down', async () => {
    await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
    await page.reload()
    await othersBet()
    for (const other of others) await list().getByText(short(other)).waitFor()
    expect(faults).toEqual([])
  })
})

const stake = { token: 'USDG', amountWei: '1000000' }

describe('a permanent page', { timeout: 200_000 }, () => {
  it('shows a play to anyone, with its proof', async () => {
    const { nonce } = (await alice.terms()).fairness
    await alice.play({ game: 'limbo', params: { target: 2 }, nonce, ...stake })
    const stranger = await openPage(browser, `${service.baseUrl}/#/play/${alice.wallet}/${nonce}`)
    await stranger.page.getByText('Verified: the result is correct.').waitFor()
    await stranger.page.getByText(alice.wallet, { exact: true }).waitFor()
    await keepPicture(stranger.page, 'play-desktop')
    expect(await barriers(stranger.page)).toEqual([])
    expect(stranger.faults).toEqual([])
  })

  it.each([
    ['#/round/999999', 'No ended round has this number'],
    ['#/round/abc', 'That isn’t a round number.'],
    ['#/play/abc/0', 'That isn’t valid. Check it and try again.'],
    [`#/bet/${devPlayer(5).address}/1`, 'This wallet has no ended bet in this round'],
  ])('%s says why it shows nothing', async (address, words) => {
    await page.goto(`${service.baseUrl}/${address}`)
    await page.getByRole('alert').getByText(words).waitFor()
  })
})

describe('the activity', { timeout: 200_000 }, () => {
  it('lists what moved the chips, with totals, a curve and a file', async () => {
    for (let count = 0; count < 12; count++) {
      const { nonce } = (await alice.terms()).fairness
      await alice.play({ game: 'limbo', params: { target: 2 }, nonce, ...stake })
    }
    await page.getByRole('banner').locator('summary').click()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page
      .getByRole('row', { name: /^Limbo, play/ })
      .first()
      .waitFor()
    await page
      .getByRole('row', { name: /^Deposit/ })
      .first()
      .waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `activity-${screen}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(await barriers(page)).toEqual([])
    })
    await page.getByLabel('Show').selectOption('limbo')
    await page
      .getByRole('row', { name: /^Deposit/ })
      .first()
      .waitFor({ state: 'detached' })
    await page
      .getByRole('row', { name: /^Limbo, play/ })
      .first()
      .waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const path = await (await downloading).path()
    const lines = (await readFile(path, 'utf8')).trim().split('\r\n')
    expect(lines[0]).toMatch(/^seq,at,kind,token/)
    expect(lines.length).toBeGreaterThan(12)
    expect(lines.slice(1).every((line) => line.includes(',limbo,USDG,1000000,'))).toBe(true)
    await page
      .getByRole('link', { name: /^Limbo, play/ })
      .first()
      .click()
    await verified().waitFor()
    expect(faults).toEqual([])
  })

  it('asks a visitor to sign in', async () => {
    await page.getByRole('banner').locator('summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${service.baseUrl}/#/activity`)
    await page.getByText('Sign in to see everything that moved your chips.').waitFor()
  })
})
