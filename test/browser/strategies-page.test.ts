import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ended, startButton } from './autobet.ts'
import {
  barriers,
  commitment,
  DESKTOP,
  keepPicture,
  onEveryScreen,
  openGame,
  openPage,
  PHONE,
  SOON,
} from './page.ts'
import { browser, giveChips, recentPlays, service, useService } from './stories.ts'

const STAKE = 10n ** 15n

useService()
beforeAll(() => giveChips('ETH', 10n ** 18n))

/** Returns the stakes of the player's plays, oldest first. */
async function stakes(): Promise<bigint[]> {
  return (await recentPlays()).toReversed().map(({ amount }) => BigInt(amount))
}

const open = (options = DESKTOP) => openPage(browser, `${service.baseUrl}/#/strategies`, options)

/** Writes a strategy of the player's own, and simulates it. */
async function simulate(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Simulate' }).click()
}

/** Everything by which code could reach the network, other code, storage, a clock or chance. */
const FORBIDDEN = [
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'EventSource',
  'WebTransport',
  'importScripts',
  'Worker',
  'indexedDB',
  'caches',
  'BroadcastChannel',
  'MessageChannel',
  'postMessage',
  'onmessage',
  'close',
  'navigator',
  'location',
  'self',
  'crypto',
  'performance',
  'Date',
  'setTimeout',
  'setInterval',
  'queueMicrotask',
  'SharedArrayBuffer',
  'WebAssembly',
]

/** A strategy that says what it can reach. */
const EXPLORER = `(state, event) => {
  const scope = Function('return this')()
  const found = ${JSON.stringify(FORBIDDEN)}.filter((name) => {
    for (let each = scope; each; each = Object.getPrototypeOf(each)) {
      if (Object.hasOwn(each, name)) return true
    }
  })
  if (Object.hasOwn(Math, 'random')) found.push('a random number')
  throw new Error('reaches [' + found.join() + ']')
}`

describe('a strategy', () => {
  it('is simulated by the service’s rules, beside what is to be expected', async () => {
    const { page, faults } = await open()
    await page.getByLabel('Strategy', { exact: true }).selectOption('Martingale')
    await page.getByText('On average it loses the edge on everything it stakes').waitFor()
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page.getByTestId('outcome').waitFor()
    await page.getByText('No strategy changes the expected result').waitFor()
    const first = page.getByTestId('outcome').getByRole('row', { name: /^Return on each stake/ })
    expect(await first.textContent()).toContain('99.0000%')
    expect(faults).toEqual([])
    await keepPicture(page, 'strategies-outcome')
  })

  it('reaches no network, no storage, no clock and no page', async () => {
    const { page } = await open()
    await simulate(page, EXPLORER)
    await page.getByText('Error: reaches []', { exact: true }).waitFor()
  })

  it.each(['Array.prototype.reduce', 'BigInt.prototype.toString', 'globalThis.BigInt'])(
    'can’t make its simulation lie: %s',
    async (name) => {
      const { page } = await open()
      await simulate(page, `(state, event) => { ${name} = () => 0n; return { stake: 1n } }`)
      await page.getByText('TypeError: Cannot assign to read only property').waitFor()
    },
  )

  it('can be evaluated only in a worker whose file may load nothing, and not in the page', async () => {
    const { page } = await open()
    const asked = page.waitForResponse(/\/strategies\/worker-/)
    await page.getByRole('button', { name: 'Simulate' }).click()
    const policy = (await asked).headers()['content-security-policy']
    expect(policy).toBe("default-src 'none'; script-src 'unsafe-eval'")
    const ofPage = await page.request.get(service.baseUrl)
    expect(ofPage.headers()['content-security-policy']).not.toContain('unsafe')
    await page.evaluate(`document.head.append(Object.assign(
      document.createElement('script'), { textContent: 'globalThis.wasRun = true' }))`)

    expect(await page.evaluate('globalThis.wasRun')).toBeUndefined()
    const loaded: string[] = []
    page.on('requestfinished', (request) => loaded.push(request.url()))
    await simulate(page, "() => { import('/of-a-strategy.js'); return { stop: true } }")
    await page.getByTestId('outcome').waitFor()
    expect(loaded.filter((url) => url.includes('of-a-strategy'))).toEqual([])
  })

  it('is stopped if it never answers', async () => {
    const { page } = await open()
    await simulate(page, '() => { for (;;); }')
    await page.getByText('The strategy took too long, so it was stopped.').waitFor()
  })

  it.each([
    ['no function', '42', 'Write a function'],
    ['a stake as a number', '() => ({ stake: 1 })', 'not { stake } or { stop: true }'],
    ['a negative stake', '() => ({ stake: -1n })', 'not { stake } or { stop: true }'],
    ['something else besides', '() => ({ stake: 1n, to: "0x" })', 'not { stake }'],
  ])('is refused with %s', async (_name, code, message) => {
    const { page } = await open()
    await simulate(page, code)
    await page.getByText(message).waitFor()
  })

  it('fits a phone and has no accessibility violations', async () => {
    const { page, faults } = await open(PHONE)
    await page.getByRole('button', { name: 'Simulate' }).tap()
    await page.getByTestId('outcome').waitFor()
    await onEveryScreen(page, async (screen) => {
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
      await keepPicture(page, `strategies-${screen}`, true)
      expect(await barriers(page)).toEqual([])
    })
    expect(faults).toEqual([])
  })
})

/** Chooses a strategy, and automatic plays of limbo by it. */
async function betBy(page: Page, code: string): Promise<void> {
  await page.goto(`${service.baseUrl}/#/strategies`)
  await page.getByLabel('Code').fill(code)
  await page.goto(`${service.baseUrl}/#/limbo`)
  await commitment(page)
  await page.getByRole('radio', { name: 'automatically' }).check()
  await page.getByLabel('Stakes').selectOption('By strategy')
  await page.getByLabel('Bets optional').fill('4')
  await page.getByLabel(/^Largest stake/).fill('0.003')
  await page.getByLabel(/^Stop at loss/).fill('0.1')
  await page.getByLabel('Pause').selectOption('None')
}

describe('automatic bets by a strategy', () => {
  it('stake what it says, and remember its state over a reload', async () => {
    const { page, faults } = await openGame(browser, `${service.baseUrl}/#/limbo`, DESKTOP)
    const before = (await stakes()).length
    await betBy(
      page,
      '(state, event) => ({ stake: event.base * BigInt((state ?? 0) % 3 + 1), state: (state ?? 0) + 1 })',
    )
    await page.getByLabel('Pause').selectOption('1 second')
    await startButton(page).click()
    await expect.poll(async () => (await stakes()).length - before, SOON).toBe(2)
    await page.reload()
    await ended(page, 'All bets placed').waitFor()
    const units = (await stakes()).slice(before).map((stake) => Number(stake / STAKE))
    expect(units).toEqual([1, 2, 3, 1])
    expect(faults).toEqual([])
  })

  it('end before a stake above the player’s limit', async () => {
    const { page } = await openGame(browser, `${service.baseUrl}/#/limbo`, DESKTOP)
    const before = (await stakes()).length
    await betBy(page, '(state, event) => ({ stake: event.base * 2n ** BigInt(event.bets) })')
    await keepPicture(page, 'autobet-strategy')
    await startButton(page).click()
    await ended(page, 'The strategy wanted more than your largest stake').waitFor()
    expect((await stakes()).slice(before)).toEqual([STAKE, 2n * STAKE])
  })

  it('need a largest stake, a number of bets and a largest loss', async () => {
    const { page } = await openGame(browser, `${service.baseUrl}/#/limbo`, DESKTOP)
    await betBy(page, '(state, event) => ({ stake: event.base })')
    for (const [label, message] of [
      [/^Stop at loss/, 'Enter the loss at which the strategy must stop.'],
      ['Bets optional', 'Enter a number of bets for the strategy.'],
      [/^Largest stake/, 'Enter the largest stake that the strategy may bet.'],
    ] as const) {
      await page.getByLabel(label).fill('')
      await startButton(page).click()
      await page.getByRole('alert').getByText(message).waitFor()
    }
  })
})
