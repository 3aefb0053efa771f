import { readFile } from 'node:fs/promises'
import type { Page, WebSocketRoute } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newReceiptKeys } from '../../src/cli/shared/receipt-keys.ts'
import { HALF_CRASH_AT_ONCE } from '../scenarios/started-service.ts'
import { barriers, betOnRound, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, giveChips, service, useService } from './stories.ts'

let page: Page
let faults: string[]

useService({ ...HALF_CRASH_AT_ONCE, RECEIPT_KEYS: newReceiptKeys() })
beforeAll(() => giveChips('ETH', 10n ** 18n))

beforeEach(async () => {
  const opened = await openPage(browser, service.baseUrl)
  ;({ page, faults } = opened)
})

/** Presses the Tab key until an element has the focus, like a player without a mouse. */
async function tabTo(name: RegExp): Promise<void> {
  const focused = () =>
    page.evaluate<string>(
      `(({ activeElement: at }) => at.ariaLabel ?? at.labels?.[0]?.innerText ?? at.innerText)(document)`,
    )
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab')
    if (name.test(await focused())) return
  }
  throw new Error(`Tab does not come to ${name}`)
}

/** The text of the file with the receipts that the page keeps of what it shows. */
async function downloadedReceipts(): Promise<string> {
  await page.getByText('Signed by the house:').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  return readFile(await (await downloading).path(), 'utf8')
}

const betButton = () => page.getByRole('button', { name: /^Bet \d/ })
const ended = () => page.getByText(/^You won|^Returned|^Crashed: .* lost$/).first()

describe('a player without a mouse', () => {
  it('signs in, bets, cashes out and verifies the round', async () => {
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter') // skips to the content
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).waitFor()
    await tabTo(/^Development wallet/)
    await page.keyboard.press('Enter')
    await page.getByLabel('Your chips').getByText('ETH').waitFor()
    await betButton().waitFor()
    await tabTo(/^Amount/)
    const roundId = await betOnRound(page, () => page.keyboard.press('Enter'))
    await page.getByRole('button', { name: 'Cash out' }).or(ended()).waitFor()
    await page.keyboard.press('c')
    await ended().waitFor()
    await betButton().waitFor()
    await tabTo(new RegExp(`in round ${roundId}: verify$`))
    await page.keyboard.press('Enter')
    await page.getByText('Verified: the result is correct.').waitFor()
    await page.getByText('its seed hash is the one you saw before bets closed').waitFor()
    await page.getByText('HMAC-SHA256 of the message, keyed with the seed').waitFor()
    expect(await downloadedReceipts()).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+/)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `verify-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})

describe('the verify view', () => {
  it('names the check that fails', async () => {
    await page.route('**/api/crash?action=round&*', async (route) => {
      const answer = await route.fetch()
      const told = (await answer.json()) as { crash: number }
      await route.fulfill({ json: { ...told, crash: told.crash + 1 } })
    })
    await page.reload()
    await page
      .getByRole('link', { name: /in round \d+: verify$/ })
      .first()
      .click()
    await page.getByText('Not verified:').waitFor()
    const wrong = page.getByRole('listitem').filter({ hasText: 'Failed' })
    await wrong.getByText(/^seed and pepper give a crash at/).waitFor()
  })

  it('reports that a round does not exist', async () => {
    await page.goto(`${service.baseUrl}/#/verify/crash/999999`)
    await page.getByRole('alert').getByText('No ended round has this number').waitFor()
    await page.goto(`${service.baseUrl}/#/verify/crash/abc`)
    await page.getByRole('alert').getByText('That isn’t a round number.').waitFor()
  })
})

const signIn = async () => {
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').getByText('ETH').waitFor()
}

const summary = () => page.getByRole('banner').locator('summary')
const signOut = () => page.getByRole('button', { name: 'Sign out' })

describe('the account menu', () => {
  it('closes on a choice, on Escape, on a click outside and on navigation', async () => {
    await signIn()
    const leave = [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('region', { name: 'Recent wins' }).click(),
      () => page.evaluate(`location.hash = '#/keno'`),
      () =>
        page
          .getByRole('button', { name: /^Play as/ })
          .first()
          .click(),
    ]
    for (const act of leave) {
      await summary().click()
      await signOut().waitFor()
      await act()
      await signOut().waitFor({ state: 'hidden' })
    }
    expect(faults).toEqual([])
  })

  it('returns the focus to its button on Escape', async () => {
    await signIn()
    await summary().press('Enter')
    await tabTo(/^Play as/)
    await page.keyboard.press('Escape')
    await signOut().waitFor({ state: 'hidden' })
    await page.locator('summary:focus').waitFor()
  })
})

describe('a refusal', () => {
  it('of a bet without chips disappears when there are chips', async () => {
    const refusal = page.getByRole('form').getByRole('alert')
    await signIn()
    await summary().click()
    await page
      .getByRole('button', { name: /^Play as/ })
      .last()
      .click()
    await page.getByLabel('Your chips').getByText('0 ETH', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Bet/ }).click()
    await refusal.getByText('You have 0 ETH in chips. Deposit more or bet less.').waitFor()
    await page.getByRole('link', { name: 'Cashier', exact: true }).click()
    await page.getByRole('button', { name: 'Take 1 ETH' }).click()
    await page.getByLabel('Your chips').getByText('1 ETH', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Crash', exact: true }).click()
    await page.getByRole('button', { name: /^Bet/ }).waitFor()
    await refusal.waitFor({ state: 'hidden' })
  })
})

describe('an unknown address', () => {
  it('shows an error and a link back', async () => {
    await page.goto(`${service.baseUrl}/#/nosuchpage`)
    await page.getByRole('heading', { name: 'Page not found', level: 2 }).waitFor()
    expect(await page.title()).toBe('Page not found · Fairhouse')
    await onEveryScreen(page, async () => expect(await barriers(page)).toEqual([]))
    await page.getByRole('link', { name: 'Go to Crash' }).click()
    await betButton()
      .or(page.getByRole('region', { name: 'Current round' }))
      .first()
      .waitFor()
    expect(faults).toEqual([])
  })
})

describe('a public site', () => {
  it('offers to connect a wallet at once, and requests no development wallets', async () => {
    const asked: string[] = []
    await page.context().route('http://fairhouse.example/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      asked.push(pathname)
      // A development path is never answered: nothing may wait for it.
      if (pathname.startsWith('/api/dev')) return
      await route.fulfill({
        response: await route.fetch({ url: service.baseUrl + pathname + search }),
      })
    })
    await page.goto('http://fairhouse.example/#/mines')
    await page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).waitFor()
    await page.getByRole('button', { name: 'Tile 0', exact: true }).waitFor()
    expect(asked.filter((path) => path.startsWith('/api/dev'))).toEqual([])
    expect(asked).toContain('/api/entropy')
    await page.context().unrouteAll({ behavior: 'wait' })
  })
})

describe('a lost connection', () => {
  it('is reported, and the table resumes when it is restored', async () => {
    const sockets = new Set<WebSocketRoute>()
    let isLost = false
    await page.routeWebSocket('**/api/crash/stream', (socket) => {
      if (isLost) return void socket.close()
      socket.connectToServer()
      sockets.add(socket)
    })
    await page.reload()
    const round = () => page.getByText(/^Round \d+ was fixed/).innerText()
    const before = await round()
    isLost = true
    await page.context().setOffline(true)
    for (const socket of sockets) await socket.close()
    const lost = page.getByText('Connection lost. Reconnecting…')
    await lost.waitFor()
    isLost = false
    await page.context().setOffline(false)
    await lost.waitFor({ state: 'hidden' })
    await expect.poll(round, { timeout: 200_000 }).not.toBe(before)
  })
})

describe('the API reference', () => {
  it('is a page that works without scripts, next to the document', async () => {
    await page.goto(`${service.baseUrl}/reference`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const document = await fetch(`${service.baseUrl}/reference/openapi.yaml`)
    expect(document.headers.get('content-type')).toMatch(/yaml/)
    expect(await document.text()).toContain('openapi: 3.1')
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `reference-${screen}`)
      // axe takes nine seconds for this long page: once per size, and once per colour scheme.
      if (screen === 'phone-light' || screen === 'desktop-dark') {
        expect(await barriers(page)).toEqual([])
      }
    })
    expect(faults).toEqual([])
  })
})
