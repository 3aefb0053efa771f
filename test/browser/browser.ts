import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'

/** Flags of the package that turn off a browser's same-origin policy and isolation. */
const UNSAFE = ['--disable-web-security', '--disable-site-isolation-trials', '--single-process']

/** Draws without an emulated graphics card, which takes several times as long. */
const PLAIN_DRAWING = ['--disable-gpu', '--disable-software-rasterizer']

/** Resolves no host but this machine. Intercepting requests instead would double the time that a page takes to load. */
const NO_NETWORK = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1']

chromium.setGraphicsMode = false

/** Names the executable that the global setup has unpacked. */
export const EXECUTABLE = 'FAIRHOUSE_TEST_BROWSER'

/** A real Chromium, as `npm ci` installs it, with the same security rules as a user's own. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env[EXECUTABLE]
  if (executablePath === undefined) throw new Error('The global setup has not unpacked a browser.')
  return playwright.launch({
    executablePath,
    args: [
      ...chromium.args.filter((arg) => !UNSAFE.includes(arg)),
      ...PLAIN_DRAWING,
      ...NO_NETWORK,
    ],
    headless: true,
  })
}
