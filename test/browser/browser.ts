import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'

/** The package starts its browser without the rule that a page is held to its origin. */
const UNSAFE = ['--disable-web-security', '--disable-site-isolation-trials', '--single-process']

/** A real Chromium, as `npm ci` brings it, as strict as a person's own. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((arg) => !UNSAFE.includes(arg)),
    headless: true,
  })
}
