import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../src/cli/shared/client.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { Player } from '../../src/cli/shared/player.ts'
import { newReceiptKeys } from '../../src/cli/shared/receipt-keys.ts'
import { TILES } from '../../src/games/mines/rule.ts'
import { DOUBLE_TAP_MS } from '../../src/play/double-tap.ts'
import {
  barriers,
  commitment,
  DESKTOP,
  keepPicture,
  onEveryScreen,
  openGame,
  PHONE,
  UNPROVEN,
} from './page.ts'
import { browser, giveChips, recentPlays, service, useService } from './stories.ts'

const { privateKey: KEY } = devPlayer(0)
const CHIPS = 10n ** 18n

useService({ RECEIPT_KEYS: newReceiptKeys() })
beforeAll(() => giveChips('ETH', CHIPS))

const open = (options = DESKTOP) => openGame(browser, `${service.baseUrl}/#/mines`, options)

const newest = async () => (await recentPlays())[0]

async function signedIn(): Promise<Player> {
  const player = new Player(new Client(service.baseUrl), KEY)
  await player.signIn(await player.signInMessage())
  return player
}

const mines = (page: Page) => page.getByRole('slider', { name: 'Mines' })
const startButton = (page: Page) => page.getByRole('button', { name: /^Start for/ })
const cashOutButton = (page: Page) => page.getByRole('button', { name: /^Cash out/ })
const tile = (page: Page, index: number) =>
  page.getByRole('button', { name: new RegExp(`^Tile ${index}(,|$)`) })
const gems = (page: Page) => page.getByRole('button', { name: /^Tile .*gem$/ })
const paysNow = (page: Page) => page.getByTestId('pays-now')
const step = (action: string) => (request: Request) =>
  request.postData()?.includes(`"mines-${action}"`) ?? false

/** Starts games with one mine until a tile is safe: the house draws at random. */
async function startUntilSafe(page: Page, index: number, press = 'click' as 'click' | 'tap') {
  for (;;) {
    await mines(page).fill('1')
    await startButton(page)[press]()
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    await tile(page, index)[press]()
    await tile(page, index).and(page.locator('.open')).waitFor()
    if (await cashOutButton(page).isVisible()) return
    await startButton(page).waitFor()
    // A press that comes sooner may have been meant for the game that has just ended.
    await page.waitForTimeout(DOUBLE_TAP_MS)
  }
}

/** Answers twice to nobody: what the service has done is not told. */
async function loseTwo(page: Page, isLost: (request: Request) => boolean): Promise<() => number> {
  let lost = 0
  await page.route('**/api/entropy', async (route) => {
    if (!isLost(route.request()) || lost > 1) return route.continue()
    lost++
    await route.fetch()
    return route.abort()
  })
  return () => lost
}

describe('mines picked tile by tile', () => {
  it('pays more with every safe tile, and is cashed out by mouse', async () => {
    const { page, faults } = await open()
    await startUntilSafe(page, 7)
    expect(await paysNow(page).textContent()).toBe('1.0312x')
    await page.getByText('At 1.0312x, next tile 1.076x').waitFor()
    await page.getByRole('status').filter({ hasText: 'Tile 7 is safe' }).waitFor()
    expect(await gems(page).count()).toBe(1)
    expect(await mines(page).isDisabled()).toBe(true)
    await cashOutButton(page).click()
    await page.getByText('No mine under your tile', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Tile .*mine$/ }).count()).toBe(1)
    expect(await gems(page).count()).toBe(TILES - 1)
    const play = await newest()
    expect(play).toMatchObject({ win: true, multiplier: 1.0312, meta: { picked: [7] } })
    await page.getByRole('link', { name: `Verify play ${play?.nonce}`, exact: true }).click()
    await page.getByText('Verified: the result is correct.').waitFor()
    await page.getByText('its seed hash is the one you saw before you played').waitFor()
    await page.getByText('3 receipts').waitFor()
    expect(faults).toEqual([])
  })

  it('warns at once of a receipt that the house has not signed', async () => {
    const { page, faults } = await open()
    await page.route('**/api/entropy', async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { receipt?: string }
      const [header, claims] = answer.receipt?.split('.') ?? []
      await route.fulfill({ json: { ...answer, receipt: `${header}.${claims}.${'A'.repeat(86)}` } })
    })
    await mines(page).fill('24')
    await startButton(page).click()
    const warning = page.getByRole('complementary', { name: UNPROVEN })
    await warning.getByText('no key of the house has signed it').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: 'Pick a random tile' }).click()
    await page.getByText(/^(Mine under tile|No mine under)/).waitFor()
    await page.close()
  })

  it('shows all mines after a hit', async () => {
    const { page, faults } = await open()
    await mines(page).fill('24')
    await startButton(page).click()
    await page.getByRole('button', { name: 'Pick a random tile' }).click()
    await page.getByText(/^(Mine under tile|No mine under)/).waitFor()
    expect(await page.getByRole('button', { name: /^Tile .*mine$/ }).count()).toBe(24)
    expect(faults).toEqual([])
  })

  it('is played with the keyboard alone, and never ends by a second press', async () => {
    const { page, faults } = await open()
    await mines(page).fill('1')
    await startButton(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Pick a tile before you cash out.').waitFor()
    await tile(page, 0).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Space')
    await tile(page, 1).and(page.locator('.open')).waitFor()
    if (await cashOutButton(page).isVisible()) {
      await cashOutButton(page).focus()
      await page.keyboard.press('Enter')
    }
    await startButton(page).waitFor()
    expect((await newest())?.meta).toMatchObject({ picked: [1] })
    expect(faults).toEqual([])
  })

  it('goes on after a reload, with the stake and the picks as they were', async () => {
    const { page, faults } = await open()
    await page.getByLabel('Amount', { exact: true }).fill('0.002')
    await startUntilSafe(page, 3)
    await page.reload()
    await cashOutButton(page).waitFor()
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('0.002')
    expect(await tile(page, 3).getAttribute('aria-label')).toBe('Tile 3, gem')
    await cashOutButton(page).click()
    await startButton(page).waitFor()
    expect(faults).toEqual([])
  })

  it('takes a step once, though its answers are lost', async () => {
    const { page } = await open()
    const alert = page.getByRole('alert').getByText('the same step is never taken twice')
    const before = (await newest())?.nonce ?? -1
    const lostStarts = await loseTwo(page, step('open'))
    await mines(page).fill('1')
    await startButton(page).click()
    await alert.waitFor()
    await startButton(page).click()
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    expect(lostStarts()).toBe(2)
    const lostPicks = await loseTwo(page, step('pick'))
    await tile(page, 5).click()
    await alert.waitFor()
    await tile(page, 5).click()
    await tile(page, 5).and(page.locator('.open')).waitFor()
    expect(lostPicks()).toBe(2)
    if (await cashOutButton(page).isVisible()) {
      const lostCashOuts = await loseTwo(page, step('cashout'))
      await cashOutButton(page).click()
      await alert.waitFor()
      await cashOutButton(page).click()
      await startButton(page).waitFor()
      expect(lostCashOuts()).toBe(2)
    }
    expect(await newest()).toMatchObject({ nonce: before + 1, meta: { picked: [5] } })
  })

  it('tells how a game ended elsewhere', async () => {
    const { page } = await open()
    await startUntilSafe(page, 11)
    const player = await signedIn()
    const { openGame: game } = await player.terms()
    await player.cashOutMines(game?.nonce ?? -1)
    await tile(page, 12).click()
    await page.getByRole('alert').getByText('This game was cashed out for 0.0010312').waitFor()
    expect(await page.getByRole('button', { name: /^Tile .*mine$/ }).count()).toBe(1)
    await startButton(page).waitFor()
  })

  it('shows a game that was opened elsewhere instead of opening a second one', async () => {
    const { page } = await open()
    await commitment(page)
    const player = await signedIn()
    const { fairness } = await player.terms()
    const stake = { token: 'ETH', amountWei: '50000000000000', params: { mines: 2 } }
    await player.openMines({ ...stake, nonce: fairness.nonce })
    await startButton(page).click()
    await page.getByRole('button', { name: 'Pick a tile' }).waitFor()
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('0.00005')
    await page.getByRole('button', { name: 'Pick a random tile' }).click()
    await page.locator('.cell.open').first().waitFor()
    if (await cashOutButton(page).isVisible()) await cashOutButton(page).click()
    await startButton(page).waitFor()
  })

  it('fits a phone and has no accessibility violations, open and ended', async () => {
    const { page, faults } = await open(PHONE)
    await startUntilSafe(page, 12, 'tap')
    await keepPicture(page, 'mines-open-phone')
    const board = await page.getByRole('group', { name: 'Tiles' }).boundingBox()
    const button = await cashOutButton(page).boundingBox()
    if (!board || !button) throw new Error('the game is out of sight')
    expect(board.y).toBeGreaterThanOrEqual(0)
    expect(board.y + board.height).toBeLessThanOrEqual(button.y)
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `mines-open-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await cashOutButton(page).click()
    await startButton(page).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `mines-ended-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})
