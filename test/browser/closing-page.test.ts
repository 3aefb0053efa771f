import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { TableState } from '../../src/play/crash/table.ts'
import { HALF_CRASH_AT_ONCE, runCli } from '../scenarios/started-service.ts'
import { barriers, FLIGHT_MS, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, service, useService } from './stories.ts'

useService((origin) => ({
  // Operators sign for the site that they name.
  SITE_DOMAIN: new URL(origin).host,
  SITE_ORIGIN: origin,
  ...HALF_CRASH_AT_ONCE,
}))

/** Has an operator's command carried out, as by hand. */
async function operate(...args: string[]): Promise<string> {
  const url = ['--url', service.baseUrl, '--as', 'admin']
  const { exitCode, output } = await runCli('operate', ...args, ...url)
  expect(exitCode, output).toBe(0)
  return output
}

async function watch(): Promise<TableState> {
  const response = await fetch(`${service.baseUrl}/api/crash?action=watch`)
  const state: TableState = await response.json()
  return state
}

it('says that the table is closing, then closed, and takes bets again once it is open', async () => {
  const { page, faults } = await openPage(browser, service.baseUrl, {
    viewport: { width: 390, height: 844 },
  })
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  const stage = page.getByRole('region', { name: 'Current round' })
  expect(await operate('drain', '--reason', 'a new version')).toContain('Version 1 takes effect')
  await stage.getByText('Closing after this round.').waitFor()
  await stage.getByText('Closed for maintenance.').waitFor()
  await page.getByRole('button', { name: 'Closed' }).waitFor()
  expect((await watch()).mode).toBe('draining')
  expect(await operate('modes')).toContain('all: draining')
  await onEveryScreen(page, async (screen) => {
    await keepPicture(page, `closed-${screen}`)
    expect(await barriers(page)).toEqual([])
  })
  await showGame(page)
  const { roundId } = await watch()
  await operate('open', '--reason', 'the new version runs')
  await page.goto(service.baseUrl)
  // Another round may have opened before the switch took effect, and its flight is rarely long.
  await expect
    .poll(async () => (await watch()).roundId, { timeout: FLIGHT_MS })
    .toBeGreaterThan(roundId)
  await page.getByRole('button', { name: /^Bet/ }).waitFor()
  expect(await stage.getByText('Closed for maintenance.').count()).toBe(0)
  expect(faults).toEqual([])
})

async function showGame(page: Page): Promise<void> {
  await page.goto(`${service.baseUrl}/#/limbo`)
  await page.getByText('Closed for maintenance.').waitFor()
  await keepPicture(page, 'closed-game')
}
