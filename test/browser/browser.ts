import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'

/** Flags of the package that turn off a browser's same-origin policy and isolation. */
const UNSAFE = ['--disable-web-security', '--disable-site-isolation-trials', '--single-process']

/** A real Chromium, as `npm ci` installs it, with the same security rules as a user's own. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((arg) => !UNSAFE.includes(arg)),
    headless: true,
  })
}
