import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, onTestFailed } from 'vitest'
import { openBrowser } from './browser.ts'
import { Chain, startDevService, type DevService } from './dev-service.ts'
import {
  barriers,
  declineLimits,
  FLIGHT_MS,
  keepPicture,
  onEveryScreen,
  openPage,
  type OpenPage,
} from './page.ts'

/** The relayer looks at the chain every two seconds. */
export const SLOW = { timeout: FLIGHT_MS }
/** How many characters of the service's output a failure shows. */
const LAST_WORDS = 4_000

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } }
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  colorScheme: 'dark',
  hasTouch: true,
}

/** What {@link useDevService} has started. */
export let service: DevService
export let chain: Chain
export let browser: Browser

/** Starts what `npm run dev` does, and a browser, for the stories of a file. */
export function useDevService(): void {
  beforeAll(async () => {
    service = await startDevService()
    chain = new Chain(service.manifest)
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })
}

export async function openView(path: string, options = DESKTOP): Promise<OpenPage> {
  const opened = await openPage(browser, `${service.manifest.baseUrl}/#/${path}`, options)
  opened.page.setDefaultTimeout(SLOW.timeout)
  await declineLimits(opened.page)
  onTestFailed(() => console.log(service.output().slice(-LAST_WORDS)))
  return opened
}

/** @param index of the development player */
export async function signIn(page: Page, index: number): Promise<Address> {
  const { address } = service.manifest.players[index]!
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').waitFor()
  if (index > 0) await playAs(page, address)
  return address
}

/** Switches the page to another development player. */
export async function playAs(page: Page, address: Address): Promise<void> {
  const menu = page.getByRole('banner').locator('summary')
  const shown = `${address.slice(0, 6)}…${address.slice(-4)}`
  await menu.click()
  await page.getByRole('button', { name: `Play as ${shown}` }).click()
  await menu.getByText(shown).waitFor()
}

export const shoot = (page: Page, name: string) => keepPicture(page, name, true)

/** Looks for violations in a view, signed out and in, on every screen. */
export async function lookForBarriers(path: string): Promise<void> {
  const { page } = await openView(path)
  await page.getByRole('main').getByRole('button', { name: 'Development wallet' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await signIn(page, 0)
  await page.getByRole('main').locator('button.wide').first().waitFor()
  await onEveryScreen(page, async (screen) => {
    expect(await barriers(page), screen).toEqual([])
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width, screen).toBeLessThanOrEqual(page.viewportSize()!.width)
  })
}
