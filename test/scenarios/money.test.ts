import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { dateOf } from '../../src/core/utc-day.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { account } from '../shared/mnemonic.ts'
import { SOON } from '../shared/soon.ts'
import { runCli, startService, type StartedService } from './started-service.ts'

describe('the operator of a started service', () => {
  let service: StartedService

  beforeAll(async () => {
    service = await startService((origin) => ({
      METRICS_TOKEN,
      SITE_ORIGIN: origin,
      SITE_DOMAIN: new URL(origin).host,
    }))
  })

  afterAll(() => service?.stop())
  afterEach(() => vi.unstubAllEnvs())

  const send = async (path: string, body: object) => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await response.body?.cancel()
  }

  const operate = (...args: string[]) => runCli('operate', ...args, '--url', service.baseUrl)

  it('reads the books of the day so far, as a table and as CSV', async () => {
    vi.stubEnv('METRICS_TOKEN', METRICS_TOKEN)
    const wallet = account(0).address
    await send('/api/dev/faucet', { wallet, token: 'USDG', amountWei: '2500000' })
    const today = dateOf(Date.now())
    await vi.waitFor(
      async () => {
        // Sends the wallet's position, which its alarm would do within five minutes.
        await send('/api/dev/solvency', { wallet })
        const ordered = await operate(
          'reproject',
          `books:${today}`,
          '--reason',
          'a look',
          '--as',
          'admin',
        )
        expect(ordered.output).toContain(`The books of ${today} are being counted.`)
        const { output, exitCode } = await operate('books', '--from', today)
        expect(exitCode).toBe(0)
        expect(output).toContain(`${today} has not ended: this is its part so far.`)
        expect(output).not.toContain("The journal doesn't add up")
      },
      { ...SOON, interval: 1_000 },
    )
    const csv = await operate('books', '--from', today, '--csv')
    const header = 'day,asset,kind,name,wagered,returned,ggr,fees,prizes,gas,losses,restored\r\n'
    expect(csv.output).toBe(`${header}${today} has not ended: this is its part so far.\n`)
  })

  it('verifies all journals, and copies them', async () => {
    const wallet = account(1).address
    for (const amountWei of ['5', '6']) {
      await send('/api/dev/faucet', { wallet, token: 'ETH', amountWei })
    }
    await send('/api/dev/solvency', { wallet })
    const verified = await operate('verify-all', '--as', 'support')
    expect(verified.output).toMatch(
      /^Verified: (?:1 ledger|2 ledgers) and 0 archived segments. Failures: 0.$/m,
    )
    expect(verified.exitCode).toBe(0)
    const folder = await mkdtemp(join(tmpdir(), 'fairhouse-export-'))
    try {
      const copied = await operate('export', '--out', folder, '--as', 'admin')
      expect(copied.output).toMatch(
        /^Exported: [12] journals with [23] entries. Failed verification: 0. Earlier copies kept: 0.$/m,
      )
      const lines = (await readFile(join(folder, `${wallet}.jsonl`), 'utf8')).trim().split('\n')
      expect(lines.map((line) => JSON.parse(line).postings[0].amountWei)).toEqual(['5', '6'])
    } finally {
      await rm(folder, { recursive: true })
    }
    expect(await operate('export', '--out', folder, '--as', 'support')).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('admin'),
    })
  })

  it('looks at stuck money, a player, partners and rounds', async () => {
    const wallet = account(2).address
    await send('/api/dev/faucet', { wallet, token: 'USDG', amountWei: '2500000' })
    const frozen = await operate('freeze', wallet, '--reason', 'a look', '--as', 'support')
    expect(frozen.exitCode).toBe(0)
    const as = ['--as', 'viewer']
    const stuck = await operate('stuck', ...as)
    expect([stuck.exitCode, stuck.output]).toEqual([
      1,
      expect.stringContaining(`unfreeze ${wallet}`),
    ])
    const player = await operate('player', wallet, '--as', 'support')
    expect(player.output).toContain('USDG: chips 2.5')
    expect(player.output).toContain('An operator has frozen it.')
    const verified = await operate('verify', wallet, '--as', 'support')
    expect(verified.output).toContain('Verified')
    expect((await operate('verify', wallet, ...as)).output).toContain('role support')
    expect((await operate('partners', ...as)).output).toContain('demo-two: open')
    expect((await operate('rounds', ...as)).exitCode).toBe(0)
    const missing = await operate('rounds', '999999', ...as)
    expect([missing.exitCode, missing.output]).toEqual([
      1,
      expect.stringContaining('has not ended'),
    ])
    expect((await operate('player', ...as)).output).toContain('The wallet is missing')
  })

  it('is told what is missing without a vault or a token', async () => {
    vi.stubEnv('METRICS_TOKEN', METRICS_TOKEN)
    const compared = await operate('reconcile')
    expect(compared).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('VAULT_ADDRESS'),
    })
    vi.stubEnv('METRICS_TOKEN', '')
    const books = await operate('books', '--from', '2040-01-01')
    expect(books).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('OPERATOR_PRIVATE_KEY'),
    })
    const asViewer = await operate('books', '--from', '2040-01-01', '--as', 'viewer')
    expect(asViewer).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('None of these days'),
    })
  })
})
