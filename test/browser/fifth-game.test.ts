import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../src/cli/shared/client.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { wranglerDev } from '../../src/cli/shared/service-process.ts'
import { registerDice } from '../fixtures/dice/register.ts'
import {
  createReadyCheckout,
  removeCheckout,
  runCliIn,
  startIn,
  type StartedService,
  PROJECT_DIR,
} from '../scenarios/started-service.ts'
import { openBrowser } from './browser.ts'
import { barriers, keepPicture, onEveryScreen, openPage } from './page.ts'
const PLAYER = devPlayer(0).address

interface DicePlay {
  game: string
  seed: string
  clientSeed: string
  nonce: number
  multiplier: number
  win: boolean
  meta: { roll: number; target: number; direction: 'over' | 'under' }
}

/** The service with a game that it does not have: two folders, and a line in each of two registries. */
describe('a game added only to the registries', () => {
  let checkout: string
  let service: StartedService
  let browser: Browser

  beforeAll(async () => {
    checkout = await createReadyCheckout()
    await registerDice(checkout)
    await promisify(execFile)('npm', ['run', 'build'], { cwd: checkout })
    service = await startIn(checkout, (port) => wranglerDev(checkout, port, {}))
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await removeCheckout(checkout)
  })

  const recent = async () => {
    const client = new Client(service.baseUrl)
    const body = { action: 'recent', game: 'dice' }
    return (await client.post<{ recent: DicePlay[] }>('/api/entropy', body)).recent
  }

  it('compiles with everything else unchanged', async () => {
    await cp(join(PROJECT_DIR, 'tsconfig.json'), join(checkout, 'tsconfig.json'))
    const compiler = join(PROJECT_DIR, 'node_modules/.bin/tsc')
    for (const project of ['.', 'src/play']) {
      await promisify(execFile)(compiler, ['-p', project], { cwd: checkout })
    }
  })

  it('is offered, and refuses params that its rule does not accept', async () => {
    const client = new Client(service.baseUrl)
    const config = await client.get<{ games: string[] }>('/api/entropy')
    expect(config.games).toEqual(['mines', 'limbo', 'plinko', 'keno', 'dice'])
    const params = ['--game', 'dice', '--params', '{"target": 0, "direction": "under"}']
    const { output, exitCode } = await runCliIn(
      checkout,
      'play',
      '--url',
      service.baseUrl,
      ...params,
    )
    expect(output).toContain('params.target: must leave a chance of 0.01 to 98 percent')
    expect(exitCode).toBe(1)
  })

  it('is played in the terminal and pays for its seeds with the house edge', async () => {
    const args = ['--url', service.baseUrl, '--game', 'dice', '--rounds', '5']
    const { output, exitCode } = await runCliIn(checkout, 'play', ...args)
    expect(output.match(/was fair: it paid/g)).toHaveLength(5)
    expect(output).toMatch(/rolled \d+\.\d\d to get over 50\.49/)
    expect(exitCode).toBe(0)
    await expect.poll(async () => (await recent()).length, { timeout: 30_000 }).toBe(5)
    for (const play of await recent()) {
      const { roll, target } = play.meta
      expect(roll).toBe(rollOf(play))
      expect(play.win).toBe(roll > target)
      expect(play.multiplier).toBe(roll > target ? 2 : 0)
    }
  })

  it('is verified in the terminal, and a tampered roll is named', async () => {
    const { output, exitCode } = await runCliIn(checkout, 'verify', service.baseUrl)
    expect(output).toContain('Plays checked: 5.')
    expect(exitCode).toBe(0)
    const [play] = await recent()
    const path = join(checkout, 'play.json')
    await writeFile(path, JSON.stringify({ ...play, meta: { ...play?.meta, roll: 12.34 } }))
    const tampered = await runCliIn(checkout, 'verify', path)
    expect(tampered.output).toContain('✗ seed, client seed and nonce')
    expect(tampered.exitCode).toBe(1)
  })

  it('is played and verified in a browser', async () => {
    await new Client(service.baseUrl).post('/api/dev/faucet', {
      wallet: PLAYER,
      token: 'ETH',
      amountWei: String(10n ** 18n),
    })
    const { page, faults } = await openPage(browser, service.baseUrl)
    await page.getByRole('banner').getByRole('button', { name: 'Development wallet' }).click()
    await page.getByRole('link', { name: 'Dice', exact: true }).click()
    await page.getByText('Roll over or under your target.').waitFor()
    await page.getByText('House edge of mines, limbo and dice').waitFor()
    await page.getByRole('radio', { name: 'under' }).check()
    await page.getByRole('slider', { name: 'Target' }).fill('25')
    await page.getByText('3.96x').waitFor()
    await page
      .getByTestId('next-seed-hash')
      .filter({ hasText: /^[0-9a-f]{64}$/ })
      .waitFor()
    await page.getByRole('button', { name: /^Play for/ }).click()
    await page.getByText(/^Rolled \d+\.\d\d, needed under 25\.00$/).waitFor()
    const onScale = await page.locator('.dice-roll').textContent()
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `dice-${screen}`)
      expect(await barriers(page)).toEqual([])
    })
    await page
      .getByRole('link', { name: /^Verify play/ })
      .first()
      .click()
    await page.getByText('Roll under 25.00').waitFor()
    const step = page.getByRole('definition').filter({ hasText: new RegExp(`^${onScale}$`) })
    await step.waitFor()
    expect(await page.locator('.checks .bad').count()).toBe(0)
    expect(await page.locator('.checks .good').count()).toBe(8)
    expect(faults).toEqual([])
  })
})

/** floor(float · 10000) hundredths, computed without the project's own code. */
function rollOf({ seed, clientSeed, nonce }: DicePlay): number {
  const block = createHmac('sha256', seed).update(`${clientSeed}:${nonce}:0`).digest()
  return Math.floor((block.readUInt32BE(0) / 2 ** 32) * 10_000) / 100
}
