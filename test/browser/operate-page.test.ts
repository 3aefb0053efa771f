import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { runCli } from '../scenarios/started-service.ts'
import { openAs, sign } from './operators.ts'
import { barriers, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, PLAYER, service, useService } from './stories.ts'

useService((origin) => ({ SITE_DOMAIN: new URL(origin).host, SITE_ORIGIN: origin }))

async function order(page: Page, act: string, target: string): Promise<void> {
  const form = page.getByRole('region', { name: 'Other acts' })
  await form.getByLabel('Act').selectOption({ label: act })
  await form.getByRole('textbox').fill(target)
  await form.getByRole('button', { name: 'Continue' }).click()
}

/** Has an operator's command carried out, as by hand. */
function operate(...args: string[]): Promise<{ exitCode: number; output: string }> {
  return runCli('operate', ...args, '--url', service.baseUrl)
}

it('shows a viewer everything, and no button that orders anything', async () => {
  const { page, faults } = await openPage(browser, `${service.baseUrl}/operate`)
  await page.getByRole('button', { name: 'Viewer of local play' }).waitFor()
  await onEveryScreen(page, async (screen) => {
    await keepPicture(page, `operate-sign-in-${screen}`)
    expect(await barriers(page)).toEqual([])
  })
  await page.getByRole('button', { name: 'Viewer of local play' }).click()
  await page.getByText('Everything works').waitFor()
  await page.getByText('None: everything arrives.').waitFor()
  const buttons = await page.getByRole('button').allInnerTexts()
  expect(buttons).toEqual(['Sign out'])
  const views = await page.getByRole('navigation').getByRole('link').allInnerTexts()
  expect(views).toEqual(['State', 'Stuck', 'Money', 'Partners', 'Rounds'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(faults).toEqual([])
})

it('shows what is wrong: a part that is late, a low reserve and stuck messages', async () => {
  const { page, faults } = await openPage(browser, `${service.baseUrl}/operate`)
  await page.route(/\/api\/operate$/, async (route) => {
    const response = await route.fetch()
    const state = (await response.json()) as { health: { parts: object } }
    const late = {
      status: 'degraded',
      ageMs: 95_000,
      message: 'Some updates are late; nothing is lost.',
    }
    const parts = { ...state.health.parts, outboxes: late }
    const reserve = {
      balanceWei: '40000000000000001',
      reserveWei: '100000000000000000',
      poolWei: { ETH: '2500000000000000000', REWARD: '100000000000000000000' },
      isVaultPaused: false,
      withdrawalsWaiting: 3,
      prizesWaiting: 0,
    }
    const stuck = [{ class: 'Ledger', name: PLAYER, messages: 2, since: Date.now() - 95_000 }]
    const health = { ...state.health, status: 'degraded', parts }
    await route.fulfill({ response, json: { ...state, health, reserve, stuck, walletsInPlay: 7 } })
  })
  await page.getByRole('button', { name: 'Viewer of local play' }).click()
  await page.getByText('Some updates are late').waitFor()
  await page.getByText('0.04 ETH').waitFor()
  await page.getByText('2.5 ETH, 100 reward tokens').waitFor()
  await page.getByText('2 messages').waitFor()
  const inPlay = page
    .getByText('Wallets with something in play')
    .locator('xpath=following-sibling::*[1]')
  expect(await inPlay.textContent()).toContain('7')
  await onEveryScreen(page, async (screen) => {
    await keepPicture(page, `operate-wrong-${screen}`, true)
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    expect(await barriers(page)).toEqual([])
  })
  expect(faults).toEqual([])
})

it('closes the table by one operator’s signature, and ends a freeze by those of two', async () => {
  const { page: support, faults } = await openAs('Support')
  await support.getByRole('button', { name: 'Close crash' }).click()
  await keepPicture(support, 'operate-dialog')
  await sign(support, 'Close crash')
  await support.getByText(/mode crash=closed: Version 1 takes effect/).waitFor()
  expect(await support.getByRole('button', { name: 'Open crash' }).count()).toBe(0)
  await order(support, 'Freeze a wallet', 'everybody')
  await support.getByText('Enter Wallet.').waitFor()
  await order(support, 'Freeze a wallet', PLAYER)
  await sign(support, `freeze ${PLAYER}`)
  await support.getByText('The wallet is frozen').first().waitFor()

  const { page: treasurer } = await openAs('Treasurer')
  await order(treasurer, 'End a freeze', PLAYER)
  await sign(treasurer, `unfreeze ${PLAYER}`, 'Sign and propose')
  await treasurer.getByText('You have signed it.').waitFor()
  expect(await treasurer.getByRole('button', { name: 'Confirm' }).count()).toBe(0)

  const { page: admin } = await openAs('Admin')
  await admin.getByRole('button', { name: 'Confirm' }).waitFor()
  await onEveryScreen(admin, async (screen) => {
    await keepPicture(admin, `operate-${screen}`, true)
    expect(await barriers(admin)).toEqual([])
  })
  await admin.getByRole('button', { name: 'Confirm' }).click()
  await admin.getByText('The wallet is no longer frozen').first().waitFor()
  await admin.getByRole('button', { name: 'Open crash' }).click()
  await sign(admin, 'Open crash')
  await admin.getByText('Nothing waits.').waitFor()

  await order(admin, 'Set terms of play', '{"crash.edgeBps": 150}')
  await sign(admin, 'terms {"crash.edgeBps": 150}', 'Sign and propose')
  await treasurer.getByRole('button', { name: 'Confirm' }).click()
  await treasurer.getByText('crash.edgeBps', { exact: true }).waitFor()
  await keepPicture(treasurer, 'operate-terms', true)

  const journal = await operate('journal', '--as', 'viewer')
  expect(journal.output).toContain('The journal holds.')
  expect(journal.output).toContain('7 entries')
  expect(faults).toEqual([])
})

it('takes turns with the command: what one proposes there is confirmed here', async () => {
  const reason = ['--reason', 'A story.']
  const proposed = await operate('mode', 'withdrawals=draining', ...reason, '--as', 'treasurer')
  expect(proposed.output).toContain('Another operator has to confirm it')
  const [hash = ''] = /0x[0-9a-f]{64}/.exec(proposed.output) ?? []
  const again = await operate('confirm', hash, '--as', 'treasurer')
  expect([again.exitCode, again.output]).toEqual([1, expect.stringContaining('Another operator')])
  const lower = await operate('confirm', hash, '--as', 'support', '--yes')
  expect([lower.exitCode, lower.output]).toEqual([1, expect.stringContaining('role')])
  const { page } = await openAs('Admin')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Nothing waits.').waitFor()
  expect((await operate('modes')).output).toContain('withdrawals: draining')
  expect((await operate('status', '--as', 'viewer')).output).toContain('All parts are up.')
})
