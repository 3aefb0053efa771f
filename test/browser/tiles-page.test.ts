import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, startButton } from './autobet.ts'
import { barriers, DESKTOP, keepPicture, onEveryScreen, openGame, PHONE, SOON } from './page.ts'
import { browser, giveChips, recentPlays, service, useService } from './stories.ts'

let playsBefore = 0

useService()
beforeAll(() => giveChips('ETH', 10n ** 18n))

beforeEach(async () => {
  playsBefore = (await recentPlays()).length
})

/** Returns the tiles picked in the story's games, oldest first, and whether each was won. */
async function games(): Promise<{ picked: number[]; win: boolean }[]> {
  const plays = (await recentPlays()).toReversed().slice(playsBefore)
  return plays.map((play) => {
    if (play.game !== 'mines') throw new Error(`${play.game} is not mines`)
    return { picked: [...play.meta.picked], win: play.win }
  })
}

const open = (options = DESKTOP) => openGame(browser, `${service.baseUrl}/#/mines`, options)

/** Chooses automatic games without a pause. */
async function fill(page: Page, count: string): Promise<void> {
  await page.getByRole('radio', { name: 'automatically' }).check()
  await page.getByLabel('Bets optional').fill(count)
  await page.getByLabel('Pause').selectOption('None')
}

const tile = (page: Page, index: number) => page.getByRole('button', { name: `Tile ${index}` })

describe('automatic games of mines, tile by tile', () => {
  it('pick other tiles each time, up to the chosen number, and cash out', async () => {
    const { page, faults } = await open()
    await fill(page, '4')
    await page.getByRole('slider', { name: 'Mines' }).fill('1')
    await page.getByRole('slider', { name: 'Tiles before cashing out' }).fill('2')
    await startButton(page).click()
    await ended(page, 'All bets placed').waitFor()
    await expect.poll(async () => (await games()).length, SOON).toBe(4)
    const played = await games()
    for (const { picked, win } of played) {
      expect(picked.length).toBeLessThanOrEqual(2)
      if (win) expect(picked).toHaveLength(2)
    }
    expect(new Set(played.map(({ picked }) => picked.join())).size).toBeGreaterThan(1)
    expect(faults).toEqual([])
  })

  it('pick the chosen tiles in their order, started with the keyboard', async () => {
    const { page, faults } = await open()
    await fill(page, '2')
    await page.getByRole('slider', { name: 'Mines' }).fill('1')
    await page.getByRole('radio', { name: 'The same tiles' }).check()
    await page.getByText('Pick at least one tile.').waitFor()
    for (const index of [7, 3]) await tile(page, index).first().click()
    await keepPicture(page, 'tiles-pattern')
    await startButton(page).focus()
    await page.keyboard.press('Enter')
    await ended(page, 'All bets placed').waitFor()
    await expect.poll(async () => (await games()).length, SOON).toBe(2)
    for (const { picked } of await games()) expect([7, 3].slice(0, picked.length)).toEqual(picked)
    expect(faults).toEqual([])
  })

  it('are played once each, though answers are lost and the page is reloaded', async () => {
    const { page } = await open()
    await fill(page, '3')
    await page.getByRole('slider', { name: 'Mines' }).fill('1')
    await page.getByRole('slider', { name: 'Tiles before cashing out' }).fill('3')
    let sent = 0
    await page.route('**/api/entropy', async (route) => {
      if (!route.request().postData()?.includes('"mines-')) return route.continue()
      sent++
      // The service has taken each step; every second answer of the first ten never arrives.
      if (sent > 10 || sent % 2 === 0) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await startButton(page).click()
    await expect.poll(() => sent, SOON).toBeGreaterThan(3)
    await page.reload()
    await ended(page, 'All bets placed').waitFor()
    await page.getByTestId('autobet').getByText('3 of 3').waitFor()
    await expect.poll(async () => (await games()).length, SOON).toBe(3)
    for (const { picked, win } of await games()) if (win) expect(picked).toHaveLength(3)
  })

  it('fit a phone and have no accessibility violations', async () => {
    const { page, faults } = await open(PHONE)
    await fill(page, '1')
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `tiles-${screen}`, true)
      expect(await barriers(page)).toEqual([])
    })
    await startButton(page).tap()
    await ended(page, 'All bets placed').waitFor()
    expect(faults).toEqual([])
  })
})
