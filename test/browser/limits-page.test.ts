import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import { barriers, commitment, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, giveChips, service, useService } from './stories.ts'

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
}

useService()
beforeAll(() => giveChips('ETH', 10n ** 18n))

const panel = (page: Page, name: string) => page.getByRole('region', { name })
const notice = (page: Page) => page.getByRole('complementary', { name: 'Your limits' })
const visit = (page: Page, view: string) => page.goto(`${service.baseUrl}/#/${view}`)

async function setBetting(page: Page, amount: string): Promise<void> {
  const form = panel(page, 'Set a limit')
  await form.getByLabel('Limit', { exact: true }).selectOption('What I bet')
  await form.getByRole('radio', { name: 'ETH' }).check()
  await form.getByLabel('At most').fill(amount)
  await form.getByRole('button', { name: 'Set limit' }).click()
}

/** Opens limbo and waits for its commitment: until it arrives, the page may still show the one of an earlier visit. */
async function sitDown(page: Page): Promise<void> {
  const loaded = page.waitForResponse((answer) => answer.url().includes('/api/entropy?'))
  await visit(page, 'limbo')
  await loaded
}

/** Plays once the next play's commitment is shown. */
async function play(page: Page, amount: string): Promise<void> {
  await commitment(page)
  await page.getByLabel('Amount', { exact: true }).fill(amount)
  await page.getByRole('button', { name: /^Play/ }).click()
}

/** Has the driven clock of the page reach a time from now. */
async function pass(page: Page, ms: number): Promise<void> {
  await page.clock.fastForward(ms)
}

describe('a player on a phone', () => {
  it('is reminded to review her account as often as she chose, until she has', async () => {
    const { page, faults } = await openPage(browser, service.baseUrl, PHONE)
    await page.clock.install()
    await page.reload()
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).tap()
    await page.locator('.menu summary').tap()
    await page.getByRole('banner').getByRole('link', { name: 'Limits' }).tap()
    await panel(page, 'Account review').getByLabel('Remind me').selectOption('Every month')
    const reminder = page.getByRole('complementary', { name: 'Account review' })
    await pass(page, 29 * DAY_MS)
    await panel(page, 'Your limits').getByText('You have set no limits.').waitFor()
    expect(await reminder.count()).toBe(0)
    await pass(page, DAY_MS)
    await reminder.getByText('whether you want a limit').waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `review-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await page.setViewportSize({ width: 390, height: 844 })
    await reminder.getByRole('link', { name: 'Activity' }).tap()
    await page.getByRole('heading', { name: 'Activity' }).first().waitFor()
    await reminder.getByRole('button', { name: 'I’ve reviewed them' }).tap()
    await reminder.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  it('sets a limit, is warned before it refuses, is reminded of the time, and excludes herself', async () => {
    const { page, faults } = await openPage(browser, service.baseUrl, PHONE)
    await page.clock.install()
    await page.reload()
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).tap()
    await page.locator('.menu summary').tap()
    await page.getByRole('banner').getByRole('link', { name: 'Limits' }).tap()
    await panel(page, 'Your limits').getByText('You have set no limits.').waitFor()

    await panel(page, 'Set a limit').getByRole('button', { name: 'Set limit' }).tap()
    await panel(page, 'Set a limit').getByText('Enter an amount in USDG').waitFor()
    await setBetting(page, '0.1')
    await panel(page, 'Your limits').getByText('0.1 ETH left of 0.1 ETH').waitFor()
    await panel(page, 'Reality check').getByLabel('Remind me').selectOption('Every 15 minutes')
    await panel(page, 'Set a limit').waitFor()

    await sitDown(page)
    await play(page, '0.09')
    await page
      .getByRole('status')
      .filter({ hasText: /^Play 0/ })
      .waitFor()
    await pass(page, 10_000)
    await notice(page).getByText('Daily betting limit: 0.01 ETH left.').waitFor()
    await play(page, '0.02')
    const refusal = page.getByRole('alert').filter({ hasText: 'Your daily betting limit' })
    await refusal.getByText(/has 0\.01 ETH left\. You can bet this from .+\./).waitFor()

    await pass(page, 16 * MINUTE_MS)
    const check = page.getByRole('dialog', { name: 'Reality check' })
    await check.getByText(/You have been playing for 1\d minutes\./).waitFor()
    await keepPicture(page, 'reality-check')
    expect(await barriers(page)).toEqual([])
    await check.getByRole('button', { name: 'Stop and see my limits' }).tap()
    await check.waitFor({ state: 'detached' })

    await setBetting(page, '0.5')
    const limits = panel(page, 'Your limits')
    await limits.getByText('A limit of 0.5 ETH can be confirmed from').waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `limits-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await page.setViewportSize({ width: 390, height: 844 })
    await panel(page, 'Reality check').getByLabel('Remind me').selectOption('Never')
    await page.getByRole('status').filter({ hasText: 'Reality check saved.' }).waitFor()
    // The page believes that a day has passed, and the service does not.
    await pass(page, DAY_MS)
    await limits.getByRole('button', { name: 'Confirm 0.5 ETH' }).tap()
    await page.getByRole('alert').getByText('A looser limit takes 24 hours').waitFor()

    const exclude = panel(page, 'Exclude yourself')
    await exclude.getByLabel('For how long').selectOption('A week')
    await exclude.getByRole('button', { name: 'Exclude me…' }).tap()
    const question = page.getByRole('dialog', { name: 'Exclude yourself from play?' })
    await keepPicture(page, 'exclusion')
    expect(await barriers(page)).toEqual([])
    await question.getByRole('button', { name: 'Cancel' }).tap()
    await question.waitFor({ state: 'detached' })
    expect(await notice(page).getByText('excluded').count()).toBe(0)
    await exclude.getByRole('button', { name: 'Exclude me…' }).tap()
    await question.getByRole('button', { name: 'Yes, exclude me' }).tap()
    await notice(page).getByText('You have excluded yourself from play until').waitFor()
    await sitDown(page)
    await play(page, '0.001')
    await page.getByRole('alert').getByText('You have excluded yourself from play').waitFor()
    await page.locator('.menu summary').tap()
    await page.getByRole('button', { name: 'Sign out' }).tap()
    const form = page.getByRole('form', { name: 'Your bet' })
    await form.getByRole('button', { name: 'Development wallet' }).waitFor()
    expect(await page.getByRole('button', { name: 'Try with fun chips' }).count()).toBe(0)
    expect(faults.filter((fault) => !/status of (403|409)/.test(fault))).toEqual([])
  })

  it('isn’t reminded before her bet has ended, nor answers with a key meant for the game', async () => {
    const { page } = await openPage(browser, `${service.baseUrl}/#/limbo`, PHONE)
    await page.clock.install()
    await page.reload()
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).tap()
    await play(page, '0.001')
    await page
      .getByRole('link', { name: /^Verify play/ })
      .first()
      .waitFor()
    await visit(page, 'limits')
    await panel(page, 'Reality check').getByLabel('Remind me').selectOption('Every 15 minutes')
    await page.getByRole('status').filter({ hasText: 'Reality check saved.' }).waitFor()
    let openBet: object | null = { roundId: 1, token: 'ETH', amountWei: '1', autoCashout: null }
    await page.route('**/api/crash?wallet=*', async (route) => {
      const response = await route.fetch()
      const state = (await response.json()) as { me: object }
      await route.fulfill({ response, json: { ...state, me: { ...state.me, openBet } } })
    })
    // As when the tab is shown again.
    const look = () =>
      page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    const inPlay = page.getByRole('banner').getByRole('link', { name: 'In play' })
    await look()
    await inPlay.waitFor()
    const read = page.waitForResponse((answer) => answer.url().includes('/api/limits?'))
    await pass(page, 15 * MINUTE_MS)
    await (await read).finished()
    const check = page.getByRole('dialog', { name: 'Reality check' })
    await page.evaluate('new Promise((done) => setTimeout(done, 200))')
    expect(await check.count()).toBe(0)
    openBet = null
    await look()
    await check.waitFor()
    await page.keyboard.press('Space')
    await page.evaluate('new Promise((done) => setTimeout(done, 0))')
    expect(await check.count()).toBe(1)
  })
})
