import type { Page, Request } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FeedPlay } from '../../src/games/play-request.ts'
import { ended, startButton } from './autobet.ts'
import { barriers, DESKTOP, keepPicture, onEveryScreen, openGame, PHONE, SOON } from './page.ts'
import { browser, giveChips, PLAYER, recentPlays, service, useService } from './stories.ts'

const STAKE = 10n ** 15n

let playsBefore = 0

useService()
beforeAll(() => giveChips('ETH', 10n ** 18n))

beforeEach(async () => {
  playsBefore = (await recentPlays()).length
})

/** Returns the story's plays, oldest first. */
async function plays(): Promise<FeedPlay[]> {
  return (await recentPlays()).toReversed().slice(playsBefore)
}

const open = (options = DESKTOP) => openGame(browser, `${service.baseUrl}/#/limbo`, options)

interface Typed {
  count?: string
  pause?: string
}

/** Chooses automatic bets whose stake is raised by half after a loss. */
async function fill(page: Page, { count = '5', pause = 'None' }: Typed = {}): Promise<void> {
  await page.getByRole('radio', { name: 'automatically' }).check()
  await page.getByLabel('Bets optional').fill(count)
  await page.getByLabel('After a loss', { exact: true }).selectOption('Raise it')
  await page.getByLabel('Raise by % after a loss').fill('50')
  await page.getByLabel('Pause').selectOption(pause)
}

const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop autobet' }).first()

/** The stakes that these results ask for, one after another. */
function stakesAfter(results: FeedPlay[]): string[] {
  const stakes = [STAKE]
  for (const { win } of results) stakes.push(win ? STAKE : ((stakes.at(-1) ?? 0n) * 150n) / 100n)
  return stakes.slice(0, results.length).map(String)
}

const stakesOf = (results: FeedPlay[]) => results.map(({ amount }) => amount)

describe('autobet', () => {
  it('makes its number of plays, raises the stake after each loss, and says what came out', async () => {
    const { page, faults } = await open()
    await fill(page)
    await startButton(page).click()
    await ended(page, 'All bets placed').waitFor()
    const made = await plays()
    expect(stakesOf(made)).toEqual(stakesAfter(made))
    expect(made).toHaveLength(5)
    await page.getByTestId('autobet').getByText('5 of 5').waitFor()
    const net = made.reduce((sum, { payout, amount }) => sum + BigInt(payout) - BigInt(amount), 0n)
    const isLoss = net < 0n
    await page
      .getByTestId('autobet')
      .getByText(isLoss ? 'Loss' : 'Profit', { exact: true })
      .waitFor()
    expect(faults).toEqual([])
  })

  it('plays on after the player has turned off reality checks while one was due', async () => {
    const { page } = await open()
    await page.clock.install()
    const playTo = async (count: number) => {
      await fill(page, { count: '1' })
      await startButton(page).click()
      await expect.poll(async () => (await plays()).length, SOON).toBe(count)
    }
    await playTo(1)
    const turn = async (option: string) => {
      const saved = page.waitForResponse((answer) => answer.request().method() === 'POST')
      await page
        .getByRole('region', { name: 'Reality check' })
        .getByLabel('Remind me')
        .selectOption(option)
      await (await saved).finished()
    }
    await page.goto(`${service.baseUrl}/#/limits`)
    await turn('Every 15 minutes')
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const reads: Request[] = []
    await page.route('**/api/limits?*', async (route) => {
      reads.push(route.request())
      await answered
      await route.continue()
    })
    await page.clock.fastForward('15:00')
    // The view's own, and that of the check.
    await expect.poll(() => reads.length, SOON).toBeGreaterThan(1)
    await turn('Never')
    answer()
    await Promise.all(reads.map((read) => read.response()))
    await page.goto(`${service.baseUrl}/#/limbo`)
    await playTo(2)
  })

  it('is started and stopped with the keyboard', async () => {
    const { page } = await open()
    await fill(page, { count: '', pause: '3 seconds' })
    await startButton(page).focus()
    await page.keyboard.press('Enter')
    await stopButton(page).waitFor()
    await expect.poll(async () => (await plays()).length, SOON).toBe(1)
    // The focus has stayed on the button.
    await page.keyboard.press('Enter')
    await ended(page, 'You stopped it').waitFor()
    await startButton(page).waitFor()
    expect(await plays()).toHaveLength(1)
  })

  it('stakes once for each step, though answers are lost and the page is reloaded', async () => {
    const { page } = await open()
    await fill(page, { count: '4' })
    let sent = 0
    await page.route('**/api/entropy', async (route) => {
      if (!route.request().postData()?.includes('"play"')) return route.continue()
      sent++
      // The house has made the play each time; three of its answers never arrive.
      if (sent > 3) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await startButton(page).click()
    await expect.poll(() => sent, SOON).toBeGreaterThan(1)
    await page.reload()
    await ended(page, 'All bets placed').waitFor()
    const made = await plays()
    expect(made).toHaveLength(4)
    expect(stakesOf(made)).toEqual(stakesAfter(made))
    expect(sent).toBeGreaterThanOrEqual(6)
  })

  it('does not go on in two tabs at once', async () => {
    const { page } = await open()
    await fill(page, { count: '', pause: '3 seconds' })
    await startButton(page).click()
    await expect.poll(async () => (await plays()).length, SOON).toBe(1)
    const other = await page.context().newPage()
    await other.goto(`${service.baseUrl}/#/limbo`)
    await other.getByRole('radio', { name: 'automatically' }).check()
    await startButton(other).click()
    await other.getByRole('alert').getByText('Autobet is running in another tab').waitFor()
    await page.bringToFront()
    await stopButton(page).click()
    await ended(page, 'You stopped it').waitFor()
    expect(stakesOf(await plays())).toEqual(stakesAfter(await plays()))
  })

  it('stops at a refusal that repeats, and names it', async () => {
    const { page } = await open()
    await page.getByRole('radio', { name: 'USDG' }).check()
    await fill(page)
    await startButton(page).click()
    await ended(page, 'Not enough chips').waitFor()
    expect(await plays()).toHaveLength(0)
  })

  it('is neither offered nor carried on where the house allows no automatic bets', async () => {
    const { page } = await open()
    await fill(page, { count: '', pause: '3 seconds' })
    await startButton(page).click()
    await expect.poll(async () => (await plays()).length, SOON).toBe(1)
    await page.route('**/api/entropy?*', async (route) => {
      const response = await route.fetch()
      const config = (await response.json()) as { terms: object }
      const terms = { ...config.terms, autoplay: false }
      await route.fulfill({ response, json: { ...config, terms } })
    })
    await page.reload()
    const end = () =>
      page.evaluate<string>(
        `JSON.parse(localStorage['fairhouse.autobet.plays.${PLAYER}']).run.end?.reason`,
      )
    await expect.poll(end, SOON).toBe('off')
    const played = (await plays()).length
    await page.getByRole('button', { name: /^Play for/ }).waitFor()
    expect(await page.getByRole('radio', { name: 'automatically' }).count()).toBe(0)
    expect(await plays()).toHaveLength(played)
  })

  it('fits a phone and has no accessibility violations', async () => {
    const { page, faults } = await open(PHONE)
    await fill(page, { count: '2' })
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `autobet-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await startButton(page).tap()
    await ended(page, 'All bets placed').waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `autobet-ended-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})
