import { env } from 'cloudflare:workers'
import { zeroAddress } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { health } from '../../src/calls/objects.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import { costsOf } from '../workers/costs.ts'
import { Monitor } from '../workers/monitor.ts'
import { codeOf, openRound, pass } from '../workers/support.ts'
import { OWNER, RELAYER, USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  ask,
  asOwner,
  chain,
  depositor,
  fundHouse,
  mined,
  nodeFails,
  statusOf,
  useChain,
  vault,
  withdraw,
  work,
  write,
} from './support.ts'

useChain()

const ETHER = 10n ** 18n

/** These stories have a vault alone: neither prizes nor boxes are on chain. */
const vaultOnly: object = { ...env, LOOTBOX_POOL: '', BOX_NFT_ADDRESS: '' }

/** Runs the cron trigger each minute, as the platform does. */
const newMonitor = () => new Monitor(() => sweep(vaultOnly as Env))

/** A service that has been read and counted: nothing fires. */
async function watched(): Promise<Monitor> {
  const monitor = newMonitor()
  expect(await monitor.minutes(2)).toEqual([])
  expect(await monitor.degraded()).toEqual({})
  return monitor
}

beforeEach(async () => {
  await fundHouse('USDG', 1_000_000_000n)
})

describe('an operator is alerted', () => {
  it('to a node that does not answer, until it does', async () => {
    const monitor = await watched()
    nodeFails(() => true, 'before')
    expect(await monitor.minutes(4)).not.toContain('ChainUnread')
    expect(await monitor.minutes(5)).toContain('ChainUnread')
    expect((await monitor.degraded())['chain']).toContain('deposits and withdrawals wait')
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await monitor.minutes(2)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
  })

  it('to a relayer without gas, until it is funded', async () => {
    const monitor = await watched()
    await chain.setBalance({ address: RELAYER.address, value: ETHER / 100n })
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.minutes(1)).toEqual(['RelayerGasLow'])
    await chain.setBalance({ address: RELAYER.address, value: 10n * ETHER })
    expect(await monitor.minutes(1)).toEqual([])
  })

  it('to a paused vault and the withdrawal that waits for it, until both are over', async () => {
    const player = await depositor(0)
    const monitor = await watched()
    expect((await withdraw(player)).status).toBe(200)
    await work(player, 0)
    await asOwner('pause')
    expect(await monitor.minutes(1)).toEqual(['VaultPaused'])
    pass(57 * MINUTE_MS)
    expect(await monitor.minutes(1)).toEqual(['VaultPaused'])
    expect(await monitor.minutes(3)).toEqual(['WithdrawalsLate', 'VaultPaused'])
    expect((await monitor.degraded())['relayer']).toBe('Withdrawals or prizes are paid late.')
    await asOwner('unpause')
    await work(player, 6)
    expect(await statusOf(player)).toMatch(/confirmed|failed/)
    expect(await monitor.minutes(1)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
  })

  it('to another relayer that the vault’s owner has announced, until it is called off', async () => {
    const monitor = await watched()
    await write(vault, 'announceRelayer', [OWNER.address])
    expect(await monitor.minutes(1)).toEqual(['RelayerAnnounced'])
    // The vault stores the time. An estimate for the second of the first call would be too low for a later one.
    const call = { ...vault, functionName: 'announceRelayer', args: [zeroAddress] } as const
    await mined(chain.writeContract({ ...call, account: OWNER, gas: 100_000n }))
    expect(await monitor.minutes(1)).toEqual([])
  })

  it('to nothing on a chain without blocks, whose newest block has long been settled', async () => {
    const monitor = await watched()
    pass(31 * MINUTE_MS)
    await monitor.minutes(2)
    expect(await monitor.minutes(8)).toEqual([])
    expect(await monitor.degraded()).toEqual({})
  })

  it('to dollars that left the vault past its books, until they are back', async () => {
    const monitor = await watched()
    await ask('anvil_impersonateAccount', VAULT_ADDRESS)
    await ask('anvil_setBalance', VAULT_ADDRESS, '0xde0b6b3a7640000')
    const usdg = { address: USDG_ADDRESS, abi: tokenAbi } as const
    await write(usdg, 'transfer', [OWNER.address, 7n], VAULT_ADDRESS)
    await ask('anvil_setBalance', VAULT_ADDRESS, '0x0')
    expect(await monitor.minutes(10)).toEqual([])
    expect(await monitor.minutes(1)).toEqual(['VaultDrift'])
    await write(usdg, 'transfer', [VAULT_ADDRESS, 7n])
    expect(await monitor.minutes(1)).toEqual([])
  })

  it('to a vault that is not compared with the ledgers, until it is', async () => {
    const monitor = await watched()
    const balances = 'eth_getBalance'
    // The node has forgotten the state after an old block.
    nodeFails((body) => body.includes(balances) && !body.includes('latest'), 'before')
    expect(await monitor.minutes(14)).not.toContain('ReconciliationLate')
    expect(await monitor.minutes(3)).toEqual(['ReconciliationLate'])
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await monitor.minutes(1)).toEqual([])
  })

  it('to a database that accepts no writes, until it does', async () => {
    const monitor = await watched()
    for (const change of ['INSERT', 'UPDATE']) {
      await env.DB.exec(
        `CREATE TRIGGER full_${change} BEFORE ${change} ON heartbeat BEGIN SELECT RAISE(FAIL, 'full'); END`,
      )
    }
    expect(await monitor.minutes(9)).toEqual([])
    expect(await monitor.minutes(5)).toContain('BankrollInvalid')
    expect((await monitor.degraded())['bankroll']).toContain('no bets are accepted')
    await openRound()
    pass(15_000)
    expect(codeOf(await (await depositor(1)).bet('1000000'))).toBeDefined()
    for (const change of ['INSERT', 'UPDATE']) await env.DB.exec(`DROP TRIGGER full_${change}`)
    // The ledgers have six minutes to send what is missing.
    expect(await monitor.minutes(8)).toEqual([])
    expect((await monitor.degraded())['bankroll']).toBeUndefined()
  })

  it('to a restored database, until every position has been sent again', async () => {
    const monitor = await watched()
    await env.DB.exec('UPDATE heartbeat SET beat = 0')
    expect(await monitor.minutes(1)).toContain('DatabaseRestored')
  })
})

describe('a scrape with everything configured', () => {
  it('tells how large the databases are that keep growing', async () => {
    await watched()
    const { table, chain: read, relayer, bankroll, log } = await health(env).facts()
    for (const found of [table, read, relayer, bankroll, log]) {
      expect(found).toMatchObject({ databaseBytes: expect.any(Number) as number })
    }
  })

  it('costs a call to each of eleven objects and two for each of two partners, and writes nothing', async () => {
    await watched()
    pass(10_000)
    const costs = await costsOf(() => health(env).facts())
    // Its own; the table, its round, chain, relayer, treasury, Control, log, exporter, daybook, solvency, lootbox; the partners' limits and ids.
    expect(costs).toMatchObject({ calls: 1 + 11 + 4, rows: 0 })
  })
})
