import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { barriers, betUntilItFlies, keepPicture, onEveryScreen, openPage } from './page.ts'
import { browser, giveChips, service, useService } from './stories.ts'

let page: Page
let faults: string[]

useService()
beforeAll(() => giveChips('ETH', 10n ** 18n))

beforeEach(async () => {
  ;({ page, faults } = await openPage(browser, service.baseUrl))
  await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
  await page.getByLabel('Your chips').getByText('ETH').waitFor()
})

/** A flight may be long, and a story may need several. */
describe('the crash page', () => {
  it('follows the live stream without polling', async () => {
    await betUntilItFlies(page)
    let asked = 0
    page.on('request', (request) => (asked += request.url().includes('action=watch') ? 1 : 0))
    await betUntilItFlies(page)
    expect(asked).toBe(0)
  })

  it('polls while the stream is down', async () => {
    await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
    await page.reload()
    await betUntilItFlies(page)
    await betUntilItFlies(page)
    expect(faults).toEqual([])
  })

  it('does not scroll sideways, however many rounds it lists', async () => {
    await page.routeWebSocket('**/api/crash/stream', (socket) => socket.close())
    const answer = await fetch(`${service.baseUrl}/api/crash?action=watch`)
    const state: object = await answer.json()
    const history = Array.from({ length: 20 }, (_, ago) => ({ roundId: 900 - ago, crash: 12.34 }))
    const json = { ...state, history }
    await page.route('**/api/crash?action=watch', (route) => route.fulfill({ json }))
    await page.reload()
    await page.getByRole('link', { name: 'in round 881: verify' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `history-${screen}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    })
  })

  it('has no accessibility violations, in flight and on every screen', async () => {
    await betUntilItFlies(page)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `crash-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})
