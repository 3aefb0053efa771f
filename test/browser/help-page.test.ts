import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  barriers,
  DESKTOP,
  keepPicture,
  onEveryScreen,
  openGame,
  openPage,
  PHONE,
  SOON,
} from './page.ts'
import { browser, giveChips, PLAYER, service, useService } from './stories.ts'

useService()
beforeAll(() => giveChips('ETH', 1_234_500_000_000_000_000_000n))

const open = (path: string, options = DESKTOP) =>
  openPage(browser, `${service.baseUrl}/${path}`, options)
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const about = (page: Page) => page.getByRole('contentinfo').getByRole('link')

describe('the footer', () => {
  it('leads to the rules, fairness, returns, the API, limits, support and the status', async () => {
    const { page, faults } = await open('', PHONE)
    const links = await about(page).evaluateAll((all) =>
      all.map((link) => [link.textContent, link.getAttribute('href')]),
    )
    expect(links).toEqual([
      ['Rules', '#/help'],
      ['Fairness', '#/help/fairness'],
      ['Returns', '#/help/returns'],
      ['API', '/reference'],
      ['Limits', '#/limits'],
      ['Support', '/support'],
      ['Status', '#/status'],
    ])
    await about(page).filter({ hasText: 'Rules' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Rules').waitFor()
    await about(page).filter({ hasText: 'Fairness' }).click()
    await heading(page, 'Fairness').waitFor()
    await onEveryScreen(page, async () => expect(await barriers(page)).toEqual([]))
    expect(faults).toEqual([])
  })
})

describe('the help of a game', () => {
  it.each([
    ['crash', 'Crash', 'returns 99% of the stake', '1.34x'],
    ['mines', 'Mines', 'returns 99% of the stake', 'Each takes the one'],
    ['limbo', 'Limbo', 'returns 99% of the stake', '2.17x'],
    ['plinko', 'Plinko', '98.9883%', 'Right from 0.5 up'],
    ['keno', 'Keno', '99.0374%', 'Each takes the one'],
  ])('%s has its exact return, its limits and an example', async (game, title, share, step) => {
    const { page, faults } = await open(`#/${game}`)
    await page.getByRole('link', { name: 'Rules, return and limits' }).click()
    await heading(page, title).waitFor()
    await panel(page, 'What it returns').getByText(share).first().waitFor()
    await panel(page, 'Limits in force').getByText('0.00005 ETH').first().waitFor()
    await panel(page, 'Verify a result by hand').getByText(step).first().waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `help-${game}-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })

  it('of a game that is not configured says so', async () => {
    const { page } = await open('#/help/lootbox', PHONE)
    await panel(page, 'Limits in force').getByText('is not configured on this site').waitFor()
    await panel(page, 'Verify a result by hand').getByText('Tier 2 of 4').waitFor()
  })

  it('links to the returns of all games', async () => {
    const { page, faults } = await open('#/help/returns', PHONE)
    await page.getByRole('region', { name: /^Average return of keno/ }).waitFor()
    await panel(page, 'Crash').getByText('the house edge is 1%').waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `help-returns-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})

describe('beside each game', () => {
  it.each([
    ['crash', '99%', '1%'],
    ['mines', '99%', '1%'],
    ['limbo', '99%', '1%'],
    ['plinko', '98.9883%', '1.0117%'],
  ])('%s shows its return and its edge', async (game, share, edge) => {
    const { page } = await open(`#/${game}`)
    const row = (name: string) => page.locator('.odds > div').filter({ hasText: name })
    await row('Returns on average').getByText(share, { exact: true }).waitFor()
    await row('House edge').getByText(edge, { exact: true }).waitFor()
  })
})

describe('in a browser whose locale writes 0,5', () => {
  const GERMAN = { ...PHONE, locale: 'de-DE' }

  it('amounts and multipliers are shown and typed so, and 1.000 is refused', async () => {
    const { page, faults } = await openGame(browser, `${service.baseUrl}/#/limbo`, GERMAN)
    const amount = page.getByLabel('Amount', { exact: true })
    expect(await amount.inputValue()).toBe('0,001')
    await page.getByLabel('Your chips').getByText('1.234,5 ETH').waitFor()
    await page.getByText('0,00005 to 0,2 ETH').waitFor()
    await amount.fill('1.000')
    await page.getByText('Write the number without a thousands separator.').waitFor()
    expect(await amount.getAttribute('aria-invalid')).toBe('true')
    await amount.fill('0.002')
    const target = page.getByLabel('Target', { exact: true })
    await target.fill('1.000')
    await page.locator('.hint.wrong').getByText('without a thousands separator').waitFor()
    await page.getByRole('button', { name: 'Write the number without' }).waitFor()
    await target.fill('1,5')
    await page.getByRole('button', { name: 'Play for 0,002 ETH' }).waitFor()
    await amount.fill('0,003')
    await page.getByRole('button', { name: 'Play for 0,003 ETH' }).click()
    await page.locator('.outcome.told').getByText('target 1,50x').waitFor()
    await keepPicture(page, 'german-limbo')
    expect(faults).toEqual([])
  })

  it('times are its own, with UTC in their titles', async () => {
    const { page } = await open(`#/play/${PLAYER}/0`, GERMAN)
    const time = page.locator('time').first()
    expect(await time.textContent()).toMatch(/^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$/)
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC$/)
  })
})

describe('the status', () => {
  const PARTS = {
    beacon: { status: 'up', ageMs: 1_000, message: null },
    chain: { status: 'degraded', ageMs: 180_000, message: 'The node is behind.' },
    lootbox: { status: 'off', ageMs: null, message: null },
  }

  async function openStatus(status: number, body: object) {
    const opened = await open('', PHONE)
    const json = { status, contentType: 'application/json', body: JSON.stringify(body) }
    await opened.page.route('**/api/health', (route) => route.fulfill(json))
    await about(opened.page).filter({ hasText: 'Status' }).click()
    await heading(opened.page, 'Status').waitFor()
    return opened
  }

  it('names each part in plain words, with its age', async () => {
    const health = { ok: true, status: 'degraded', parts: PARTS, at: Date.now() }
    const { page, faults } = await openStatus(200, health)
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('Chain').getByText('Degraded: The node is behind.').waitFor()
    await row('Public randomness (drand)').getByText('Works').waitFor()
    await row('Chain').getByText('3 minutes ago').waitFor()
    await row('Lootbox').getByText('Not configured').waitFor()
    await page.getByRole('heading', { name: 'Some parts are degraded' }).waitFor()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `status-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })

  it('is closed while operators have closed everything', async () => {
    const { page } = await openStatus(200, {
      ok: true,
      status: 'up',
      mode: 'draining',
      parts: PARTS,
      at: Date.now(),
    })
    await page.getByRole('heading', { name: 'Closed for maintenance' }).waitFor()
  })

  it('is unknown where the service doesn’t report it', async () => {
    const { page } = await openStatus(404, { ok: false, error: { code: 'not_found', message: '' } })
    await page.getByRole('heading', { name: 'Unknown' }).waitFor()
  })
})

describe('a shared link', () => {
  it('opens the permanent page, and carries a preview with a picture', async () => {
    const path = `/play/${PLAYER}/0`
    const { page, faults } = await open(path.slice(1), PHONE)
    await page.getByRole('heading', { name: 'Limbo, play 0' }).waitFor()
    expect(new URL(page.url()).hash).toBe(`#${path}`)
    await page.getByRole('button', { name: 'Copy link' }).waitFor()
    const html = await (await fetch(`${service.baseUrl}${path}`)).text()
    const picture = /property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(picture).toMatch(new RegExp(`${path}/preview.png$`))
    expect(/property="og:title" content="([^"]+)"/.exec(html)?.[1]).toMatch(/^Limbo: /)
    const own = new URL(picture).pathname
    await page.evaluate(`document.body.innerHTML = '<img src="${own}">'`)
    const size = () =>
      page.evaluate('[document.images[0].naturalWidth, document.images[0].naturalHeight]')
    await expect.poll(size, SOON).toEqual([1200, 630])
    await page.setViewportSize({ width: 1200, height: 630 })
    await keepPicture(page, 'preview')
    expect(faults).toEqual([])
  })
})
