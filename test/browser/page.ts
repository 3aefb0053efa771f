import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export interface OpenPage {
  page: Page
  /** What no page may do: errors on its console, requests to other hosts, breaches of its policy. */
  faults: string[]
}

/** Opens the page in a browser of its own, with its conduct watched. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) faults.push(`asked ${request.url()}`)
  })
  await page.exposeFunction('reportBreach', (breach: string) => faults.push(breach))
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      reportBreach(event.violatedDirective + ' ' + event.blockedURI))`,
  )
  await page.goto(url)
  return { page, faults }
}
