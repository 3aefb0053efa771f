import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type StartedService } from '../scenarios/started-service.ts'
import { openBrowser } from './browser.ts'
import { openPage } from './page.ts'

let service: StartedService
let browser: Browser

beforeAll(async () => {
  service = await startService()
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

describe('the page', () => {
  it('signs in with the development wallet in one click', async () => {
    const { page, faults } = await openPage(browser, service.baseUrl)
    await page.getByRole('button', { name: 'Development wallet' }).click()
    await page.getByLabel('Your chips').getByText('0 ETH').waitFor()
    expect(faults).toEqual([])
  })
})
