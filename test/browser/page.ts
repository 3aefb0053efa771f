import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

export interface OpenPage {
  page: Page
  /** What no page may do: errors on its console, requests to other hosts, breaches of its policy. */
  faults: string[]
}

/** Chromium's own line for a cash-out that the crash was quicker than: rounds end when they like. */
const TOO_LATE = /status of 409 \(Conflict\) \S+\/api\/crash$/

/** A long flight, and most of them are shorter, is waited for. */
const TIMEOUT_MS = 120_000

/** Opens the page in a browser of its own, with its conduct watched. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  // Drawing sixty times a second without a graphics card is most of what a story costs.
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const { host } = new URL(url)
  await context.route(
    (asked) => asked.host !== host,
    (route) => route.abort(),
  )
  const page = await context.newPage()
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await tell(page)
    await context.close()
  })
  page.setDefaultTimeout(TIMEOUT_MS)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url}`
    if (message.type() === 'error' && !TOO_LATE.test(text)) faults.push(text)
  })
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

/** What a person would have seen, and a screen reader told, where a story did not go on. */
async function tell(page: Page): Promise<void> {
  console.log(await page.locator('body').ariaSnapshot())
  await page.screenshot({ path: 'test-output/failed.png', fullPage: true })
}

const VIEWPORTS = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 860 } }

/** Calls for the page as it is on each kind of screen, in light and in dark. */
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

/** Keeps a picture of the page in test-output/, to be looked at. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `test-output/${name}.png` })
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What WCAG 2.2 AA asks for and the page does not do, as axe sees it. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'))
  return page.evaluate<string[]>(`axe
    .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
}
