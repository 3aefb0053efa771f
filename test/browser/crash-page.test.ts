import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  barriers,
  betOnRound,
  betUntilItFlies,
  keepPicture,
  lostBet,
  onEveryScreen,
  openPage,
  SOON,
} from './page.ts'
import { browser, giveChips, service, useService } from './stories.ts'

let page: Page
let faults: string[]

useService()
beforeAll(async () => {
  await giveChips('ETH', 10n ** 18n)
  await giveChips('USDG', 100_000_000n)
  await giveChips('ETH', 10n ** 18n, 1)
})

beforeEach(async () => {
  const opened = await openPage(browser, service.baseUrl)
  ;({ page, faults } = opened)
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').getByText('ETH').waitFor()
})

const betButton = () => page.getByRole('button', { name: /^Bet (\d|on)/ })
const paid = () => page.getByText(/^(You won|Returned) /)
const lost = () => lostBet(page)
const chips = () => page.getByLabel('Your chips').innerText()

/** A flight may be long, and a story may need several. */
describe('the crash page', () => {
  it('takes a bet, pays a cash-out by key, and shows it in chips, wins and history', async () => {
    const before = await chips()
    do {
      await betUntilItFlies(page)
      await page.keyboard.press('c')
      await paid().or(lost()).waitFor()
      // Right after take-off, a cash-out returns the stake.
    } while ((await lost().isVisible()) || (await paid().innerText()).startsWith('Returned'))
    await expect.poll(chips, SOON).not.toBe(before)
    const wins = page.getByRole('region', { name: 'Recent wins' })
    await wins
      .getByRole('row', { name: /^You 0\.01 ETH/ })
      .first()
      .waitFor()
    await betButton().waitFor()
    await page
      .getByRole('link', { name: /x in round \d+: verify$/ })
      .first()
      .waitFor()
    expect(faults).toEqual([])
  })

  it('pays an automatic cash-out without a click, even on another view, and keeps what was typed', async () => {
    await page.getByRole('radio', { name: 'USDG' }).check()
    await page.getByLabel('Amount', { exact: true }).fill('10')
    await page.getByLabel('Auto cash-out').fill('1.01')
    const inPlay = page.getByRole('banner').getByRole('link', { name: 'In play' })
    do {
      await betOnRound(page, () => betButton().click())
      await page.getByRole('link', { name: 'Mines', exact: true }).click()
      await inPlay.waitFor()
      await keepPicture(page, 'bet-in-play')
      await inPlay.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Crash', exact: true }).click()
      await paid().or(lost()).waitFor()
    } while (await lost().isVisible())
    expect(await paid().innerText()).toBe('You won 10.1 USDG at 1.01x')
    await page.getByRole('radio', { name: 'USDG', checked: true }).waitFor()
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('10')
    expect(await page.getByLabel('Auto cash-out').inputValue()).toBe('1.01')
    expect(faults).toEqual([])
  })

  it('explains next to the button why it does not bet', async () => {
    const refusal = page.getByRole('form').getByRole('alert')
    await page.getByRole('radio', { name: 'USDG' }).check()
    await page.getByLabel('Amount', { exact: true }).fill('1000')
    await betButton().click()
    await expect
      .poll(() => refusal.innerText(), SOON)
      .toBe('Choose an amount from 0.01 USDG to 500 USDG.')
    await page.getByLabel('Amount', { exact: true }).fill('400')
    await betButton().click()
    await expect.poll(() => refusal.innerText(), SOON).toMatch(/^You have [\d.]+ USDG in chips/)
    expect(faults).toEqual([])
  })

  it('drops a pending bet when the wallet changes or the player stays away for a while', async () => {
    let bets = 0
    page.on('request', (request) => (bets += request.postData()?.includes('"bet"') ? 1 : 0))
    const queue = async () => {
      const queued = page.getByRole('button', { name: /^Betting next round/ })
      const inPlay = page.getByRole('button', { name: /^(Placing|Your bet|Cash out|Settling)/ })
      do {
        // Queue right after betting closes. Later in a flight, the next round could open before the wallet changes.
        await page.getByRole('button', { name: /^Bet \d/ }).waitFor()
        await page.getByRole('button', { name: /^Bet on the next round/ }).click()
        await queued.or(inPlay).waitFor()
      } while (await inPlay.isVisible())
      bets = 0
    }
    await queue()
    await page.getByRole('banner').locator('summary').click()
    await page
      .getByRole('button', { name: /^Play as/ })
      .first()
      .click()
    await betButton().waitFor()
    expect(bets).toBe(0)
    await queue()
    await page.getByRole('link', { name: 'Mines', exact: true }).click()
    await page.getByRole('link', { name: 'Crash', exact: true }).click()
    await betButton().waitFor()
    expect(bets).toBe(0)
    expect(faults).toEqual([])
  })

  it('bets automatically in one round after another, once in each though answers are lost', async () => {
    const exactChips = async () => {
      const text = await page
        .getByLabel('Your chips')
        .locator('.money')
        .first()
        .getAttribute('title')
      return Number(text?.replace(' ETH', ''))
    }
    // The bet of an earlier story has ended: right after its end, a press starts nothing.
    await page.getByRole('button', { name: /^Bet \d/ }).waitFor()
    const before = await exactChips()
    const rounds: unknown[] = []
    await page.route('**/api/crash', async (route) => {
      const body = route.request().postDataJSON() as { action?: string; roundId?: number } | null
      if (body?.action !== 'bet') return route.continue()
      rounds.push(body.roundId)
      if (rounds.length > 2) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await page.getByLabel('Auto cash-out').fill('1.01')
    await page.getByRole('radio', { name: 'automatically' }).check()
    await page.getByLabel('Bets optional').fill('2')
    await page.getByRole('button', { name: /^Start autobet/ }).click()
    const run = page.getByTestId('autobet')
    await run.getByText('All bets placed', { exact: true }).waitFor()
    await run.getByText('2 of 2').waitFor()
    expect(new Set(rounds).size).toBe(2)
    const net = await run.locator('.money').first().getAttribute('title')
    const isLoss = await run.getByText('Loss', { exact: true }).isVisible()
    const told = Number(net?.replace(' ETH', '')) * (isLoss ? -1 : 1)
    await expect.poll(exactChips, SOON).toBeCloseTo(before + told, 12)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `crash-autobet-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
  })

  it('stays signed in after a reload', async () => {
    await page.reload()
    await page.getByLabel('Your chips').getByText('ETH').waitFor()
    await betButton().waitFor()
  })
})
