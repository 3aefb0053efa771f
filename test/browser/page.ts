import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Locator, Page, Response } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

export { SOON } from '../shared/soon.ts'

export interface OpenPage {
  page: Page
  /** Everything a page must not do: log errors, request other hosts, breach its policy. */
  faults: string[]
}

/** Chromium's own line for a cash-out that came after the crash: rounds end at random. */
const TOO_LATE = /status of 409 \(Conflict\) \S+\/api\/crash$/

/** The name of the page's warning that a receipt does not prove what it should. */
export const UNPROVEN = 'A receipt that proves nothing'

/** Long enough for a flight to the highest multiplier, of almost four minutes. */
export const FLIGHT_MS = 240_000

/** Opens the page in a separate browser and records its faults. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  // Drawing sixty frames a second without a graphics card takes most of a story's time.
  // A story about the offline page lets its service worker in.
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    ...options,
  })
  const page = await context.newPage()
  const faults: string[] = []
  onTestFinished(async ({ task }) => {
    let shown: string | null = null
    if (!page.isClosed()) {
      if (task.result?.state === 'fail') shown = await whatIsShown(page, faults)
      // The local service keeps its word, so its receipts prove what each story was told.
      expect(await page.getByRole('complementary', { name: UNPROVEN }).count()).toBe(0)
      // A route may still be answering a request that nobody waits for any more.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    await context.close()
    // As an error of the story, it is printed beside the first one, at the end of the run.
    if (shown !== null) throw new Error(`The page then showed:\n${shown}`)
  })
  page.setDefaultTimeout(FLIGHT_MS)
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url}`
    if (message.type() === 'error' && !TOO_LATE.test(text)) faults.push(text)
  })
  const { host } = new URL(url)
  page.on('request', (request) => {
    if (new URL(request.url()).host !== host) faults.push(`asked ${request.url()}`)
  })
  await page.exposeFunction('reportBreach', (breach: string) => faults.push(breach))
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      reportBreach(event.violatedDirective + ' ' + event.blockedURI))`,
  )
  await page.goto(url)
  return { page, faults }
}

/** Opens a game as the first development player, once it can be played. */
export async function openGame(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const opened = await openPage(browser, url, options)
  await opened.page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await commitment(opened.page)
  return opened
}

/** Waits until the next play's commitment is shown, so that the game can be played. */
export async function commitment(page: Page): Promise<void> {
  const shown = page.getByTestId('next-seed-hash').filter({ hasText: /^[0-9a-f]{64}$/ })
  await shown.waitFor()
}

/** A bet that was not sent by then was not placed: the page had just heard of the end of another. */
const BET_MS = 10_000

/**
 * Bets on the crash table until a round takes the bet: betting may close under a press, and right after a bet has ended
 * a press bets nothing.
 * @param press presses the button that bets
 * @returns the number of the round
 */
export async function betOnRound(page: Page, press: () => Promise<void>): Promise<number> {
  for (;;) {
    await page.getByRole('button', { name: /^Bet \d/ }).waitFor()
    const isOfBet = (response: Response) =>
      response.request().postData()?.includes('"bet"') ?? false
    const answered = page.waitForResponse(isOfBet, { timeout: BET_MS }).catch(() => null)
    await press()
    const answer = await answered
    if (answer?.ok()) return (answer.request().postDataJSON() as { roundId: number }).roundId
  }
}

export function lostBet(page: Page): Locator {
  return page.getByText(/^Crashed: .* lost$/)
}

/** Bets with the Enter key until a bet is in flight: a round may crash at take-off. */
export async function betUntilItFlies(page: Page): Promise<void> {
  const cashOutButton = page.getByRole('button', { name: /^Cash out at/ })
  do {
    await betOnRound(page, () => page.getByLabel('Amount', { exact: true }).press('Enter'))
    // The loss of an earlier bet may still be shown.
    await lostBet(page)
      .waitFor({ state: 'hidden', timeout: BET_MS })
      .catch(() => {})
    await cashOutButton.or(lostBet(page)).waitFor()
  } while (await lostBet(page).isVisible())
}

/** Decides against a limit whenever the cashier asks for one. */
export async function declineLimits(page: Page): Promise<void> {
  const decline = page.getByRole('button', { name: 'Continue without a limit' })
  // By key: what still loads may come under the pointer between its press and its release.
  await page.addLocatorHandler(decline, () => decline.press('Enter'))
}

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  colorScheme: 'dark',
  reducedMotion: 'reduce',
}

export const DESKTOP: BrowserContextOptions = {
  viewport: { width: 1280, height: 900 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
}

/** Returns the page's faults and the text that a screen reader gets of it, and saves a picture. */
async function whatIsShown(page: Page, faults: string[]): Promise<string> {
  await page.screenshot({ path: 'test-output/failed.png', fullPage: true })
  return [...faults, await page.locator('body').ariaSnapshot()].join('\n')
}

const VIEWPORTS = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 860 } }

/** Calls back with the page on each kind of screen, in light and in dark mode. */
export async function onEveryScreen(
  page: Page,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  for (const [name, viewport] of Object.entries(VIEWPORTS)) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await look(`${name}-${colorScheme}`)
    }
  }
}

/** Saves a picture of the page in test-output/ for inspection, if the variable FAIRHOUSE_PICTURES is set. */
export async function keepPicture(page: Page, name: string, fullPage = false): Promise<void> {
  if (!process.env['FAIRHOUSE_PICTURES']) return
  await page.screenshot({ path: `test-output/${name}.png`, fullPage })
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Returns the page's WCAG 2.2 AA violations, as axe reports them, once its view has been loaded. */
export async function barriers(page: Page): Promise<string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) {
    await page.evaluate(await readFile(AXE, 'utf8'))
  }
  return page.evaluate<string[]>(`axe
    .run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      // Describing every element that is in order takes most of the time.
      resultTypes: ['violations'],
    })
    .then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
}

/** Records the duration of every animation from now on, as `durations` in the page. */
export async function recordAnimations(page: Page): Promise<void> {
  await page.evaluate(`{
    const { animate } = Element.prototype
    globalThis.durations = []
    Element.prototype.animate = function (frames, options) {
      durations.push(options.duration)
      return animate.call(this, frames, options)
    }
  }`)
}
