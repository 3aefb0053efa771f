import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { DEV_PLAYERS, devPlayer } from '../../src/cli/shared/dev-players.ts'
import { startService, type StartedService } from '../scenarios/started-service.ts'
import { openBrowser } from './browser.ts'
import { barriers, keepPicture, onEveryScreen, openPage, type OpenPage } from './page.ts'

let service: StartedService
let browser: Browser

beforeAll(async () => {
  service = await startService()
  browser = await openBrowser()
  for (let player = 0; player < DEV_PLAYERS; player++) {
    await takeChips(player, 'ETH', '1000000000000000000')
    await takeChips(player, 'USDG', '100000000')
  }
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

/** The page of one player. */
class Table {
  readonly page: Page
  readonly faults: string[]

  constructor({ page, faults }: OpenPage) {
    this.page = page
    this.faults = faults
  }

  static async of(player: number, test: TestContext): Promise<Table> {
    const table = new Table(await openPage(browser, service.baseUrl, {}, test))
    const banner = table.page.getByRole('banner')
    await banner.getByRole('button', { name: 'Development wallet' }).click()
    await table.hasChips()
    if (player > 0) await table.playAs(player)
    return table
  }

  hasChips(): Promise<void> {
    return this.page.getByLabel('Your chips').getByText('ETH').waitFor()
  }

  async playAs(player: number): Promise<void> {
    await this.page.getByRole('banner').locator('summary').click()
    const name = `Play as ${devPlayer(player).address.slice(0, 6)}`
    await this.page.getByRole('button', { name }).click()
    await this.hasChips()
  }

  betButton = () => this.page.getByRole('button', { name: /^Bet (\d|on)/ })
  cashOutButton = () => this.page.getByRole('button', { name: /^Cash out at/ })
  won = () => this.page.getByText(/^You won/)
  lost = () => this.page.getByText(/^Crashed: .* lost$/)
  chips = () => this.page.getByLabel('Your chips').innerText()

  /** Bets with the Enter key until a bet is in flight: a round may crash at take-off. */
  async betUntilItFlies(): Promise<void> {
    do {
      await this.betButton().waitFor()
      await this.page.getByLabel('Amount', { exact: true }).press('Enter')
      await this.cashOutButton().or(this.lost()).waitFor()
    } while (await this.lost().isVisible())
  }
}

async function takeChips(player: number, token: string, amountWei: string): Promise<void> {
  const body = JSON.stringify({ wallet: devPlayer(player).address, token, amountWei })
  const headers = { 'content-type': 'application/json' }
  const url = `${service.baseUrl}/api/dev/faucet`
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
}

/** A flight may be long and a story may need several, so the stories share their rounds. */
describe.concurrent('the crash page', { timeout: 300_000 }, () => {
  it('takes a bet, pays a cash-out by key, and shows it in chips, wins and history', async (test) => {
    const table = await Table.of(0, test)
    const { page, faults } = table
    const before = await table.chips()
    do {
      await table.betUntilItFlies()
      await page.keyboard.press('c')
      await table.won().or(table.lost()).waitFor()
    } while (await table.lost().isVisible())
    await expect.poll(table.chips).not.toBe(before)
    await page.getByRole('row', { name: /^You 0\.01 ETH/ }).waitFor()
    await table.betButton().waitFor()
    await page
      .getByRole('link', { name: /x in round \d+: verify$/ })
      .first()
      .waitFor()
    expect(faults).toEqual([])
  })

  it('pays an automatic cash-out without a click', async (test) => {
    const table = await Table.of(1, test)
    const { page, faults } = table
    await page.getByRole('radio', { name: 'USDG' }).check()
    await page.getByLabel('Auto cash-out').fill('1.01')
    do {
      await table.betButton().click()
      await table.won().or(table.lost()).waitFor()
    } while (await table.lost().isVisible())
    expect(await table.won().innerText()).toBe('You won 10.1 USDG at 1.01x')
    expect(faults).toEqual([])
  })

  it('explains next to the button why it does not bet', async (test) => {
    const table = await Table.of(2, test)
    const { page, faults } = table
    const refusal = page.getByRole('form').getByRole('alert')
    await page.getByRole('radio', { name: 'USDG' }).check()
    await page.getByLabel('Amount', { exact: true }).fill('1000')
    await table.betButton().click()
    await expect
      .poll(() => refusal.innerText())
      .toBe('Choose an amount from 0.01 USDG to 500 USDG.')
    await page.getByLabel('Amount', { exact: true }).fill('400')
    await table.betButton().click()
    await expect.poll(() => refusal.innerText()).toMatch(/^You have [\d.]+ USDG in chips/)
    expect(faults).toEqual([])
  })

  it('drops a pending bet when the wallet changes or the player stays away for a while', async (test) => {
    const table = await Table.of(3, test)
    const { page, faults } = table
    let bets = 0
    page.on('request', (request) => (bets += request.postData()?.includes('"bet"') ? 1 : 0))
    const queue = async () => {
      const queued = page.getByRole('button', { name: /^Betting next round/ })
      const inPlay = page.getByRole('button', { name: /^(Placing|Your bet|Cash out|Settling)/ })
      do {
        await page.getByRole('button', { name: /^Bet on the next round/ }).click()
        await queued.or(inPlay).waitFor()
      } while (await inPlay.isVisible())
      bets = 0
    }
    await queue()
    await table.playAs(1)
    await table.betButton().waitFor()
    expect(bets).toBe(0)
    await queue()
    await page.getByRole('link', { name: 'Mines', exact: true }).click()
    await page.getByRole('link', { name: 'Crash', exact: true }).click()
    await table.betButton().waitFor()
    expect(bets).toBe(0)
    expect(faults).toEqual([])
  })

  it('follows the live stream without polling', async (test) => {
    const table = await Table.of(2, test)
    const { page } = table
    await table.betUntilItFlies()
    let asked = 0
    page.on('request', (request) => (asked += request.url().includes('action=watch') ? 1 : 0))
    await table.betUntilItFlies()
    expect(asked).toBe(0)
  })

  it('polls while the stream is down', async (test) => {
    const table = await Table.of(4, test)
    const { page, faults } = table
    await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
    await page.reload()
    await table.betUntilItFlies()
    await table.betUntilItFlies()
    expect(faults).toEqual([])
  })

  it('does not scroll sideways, however many rounds it lists', async (test) => {
    const table = await Table.of(0, test)
    const { page } = table
    await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
    const answer = await fetch(`${service.baseUrl}/api/crash?action=watch`)
    const state: object = await answer.json()
    const history = Array.from({ length: 20 }, (_, ago) => ({ roundId: 900 - ago, crash: 12.34 }))
    const json = { ...state, history }
    await page.route('**/api/crash?action=watch', (route) => route.fulfill({ json }))
    await page.reload()
    await page.getByRole('link', { name: 'in round 881: verify' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `history-${screen}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    })
  })

  it('stays signed in after a reload', async (test) => {
    const table = await Table.of(0, test)
    await table.page.reload()
    await table.hasChips()
    await table.betButton().waitFor()
  })
})

/** Not at the same time as others, since looking takes all of a machine's time. */
describe('the crash page in flight', { timeout: 300_000 }, () => {
  it('has no accessibility violations on any screen', async (test) => {
    const table = await Table.of(0, test)
    const { page, faults } = table
    await table.betUntilItFlies()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `crash-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})
