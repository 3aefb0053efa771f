import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { zeroHash } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { ledger, vaultWatch } from '../../src/calls/objects.ts'
import { MINUTE_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import { Platform } from '../workers/partner.ts'
import { type Answer, openRound, pass, Player, restart, outcomeOf } from '../workers/support.ts'
import { VAULT_ADDRESS } from './accounts.ts'
import {
  chain,
  chipsOf,
  countCalls,
  deposit,
  depositor,
  fundHouse,
  nodeFails,
  nodeRefuses,
  setVars,
  useChain,
  vaultConfig,
  withdraw,
  work,
} from './support.ts'

useChain()

const watch = () => vaultWatch(env, vaultConfig().id)

/** Makes a player's ledger accept nothing from the watch. */
const deafen = (player: Player) =>
  runInDurableObject(ledger(env, player.wallet), (object) => {
    vi.spyOn(object, 'takeVaultTransaction').mockRejectedValue(new Error('restarting'))
  })

describe('wallets that never deposited', () => {
  it('add no calls to the node, even if many poll', async () => {
    const players = Array.from({ length: 20 }, (_, index) => new Player(100 + index))
    for (const player of players) await player.authSig()
    const calls = countCalls()
    for (let second = 0; second < 60; second += 2) {
      pass(2_000)
      await Promise.all(players.map((player) => player.state()))
    }
    // 600 reads; a look at the vault every two seconds takes six calls, eight if it reads again.
    expect(calls()).toBeLessThanOrEqual(30 * 8)
  })

  it('get no ledger from any request', async () => {
    const stranger = new Player(0)
    await chipsOf(stranger)
    await stranger.bet('1000000')
    const ids = await listDurableObjectIds(env.LEDGER)
    for (const id of ids) {
      const isEmpty = await runInDurableObject(env.LEDGER.get(id), (_, { storage }) => {
        return storage.sql.exec('SELECT 1 FROM sqlite_master').toArray().length === 0
      })
      expect(isEmpty).toBe(true)
    }
  })
})

describe("a fresh depositor's first call", () => {
  it.each<[string, (alice: Player) => Promise<Answer>]>([
    ['a bet', (alice) => alice.bet('1000000')],
    ['a play', (alice) => alice.play()],
    ['a withdrawal', (alice) => withdraw(alice, { amountWei: 5_000_000n })],
  ])('can be %s', async (_what, call) => {
    const alice = new Player(0)
    await fundHouse('USDG', 1_000_000_000_000n)
    await sweep(env)
    await openRound({ min: 200 })
    await deposit(alice, 'USDG', 5_000_000n)
    pass(2_000)
    expect((await call(alice)).body).toMatchObject({ ok: true })
  })
})

describe('the vault watch', () => {
  it('reads in halves if the node refuses a range for its size', async () => {
    const players = [0, 1, 2].map((index) => new Player(index))
    for (const player of players) await deposit(player, 'USDG', 5n)
    nodeRefuses('eth_getLogs', (logs) => (logs as unknown[]).length > 2)
    for (const player of players) expect(await chipsOf(player)).toBe(5n)
  })

  it('asks for fewer blocks at once after a node was too slow for more, and for more again once it answers', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await setVars(watch(), { CHAIN_LOG_RANGE: '32' })
    expect(await watch().look()).toBe(true)
    const players = [0, 1, 2].map((index) => new Player(index))
    for (const player of players) await deposit(player, 'USDG', 5n)
    await chain.mine({ blocks: 20 })
    const asked: number[] = []
    let most = 2
    nodeFails((body) => {
      const range = /"fromBlock":"(0x\w+)","toBlock":"(0x\w+)"/.exec(body)
      if (!range?.[1] || !range[2]) return false
      const blocks = Number(range[2]) - Number(range[1]) + 1
      asked.push(blocks)
      return blocks > most
    }, 'before')
    const readAll = async () => {
      for (let look = 0; look < 12 && !(await watch().look()); look++) pass(2_000)
      expect(await watch().look()).toBe(true)
    }
    await readAll()
    for (const player of players) expect(await chipsOf(player)).toBe(5n)
    expect(asked).toContain(1)
    asked.length = 0
    most = Infinity
    for (let minute = 0; minute < 6; minute++) {
      pass(60_000)
      await chain.mine({ blocks: 32 })
      await readAll()
    }
    expect(asked).toContain(32)
  })

  it('stops at a token that is not configured, without skipping anything', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5n)
    await setVars(watch(), { USDG_ADDRESS: VAULT_ADDRESS })
    expect(await watch().look()).toBe(false)
    expect(errors.mock.calls.flat().join()).toContain('vault_read_failed')
    await setVars(watch(), {})
    expect(await chipsOf(alice)).toBe(5n)
  })

  it('is current after a restart although the newest block has long been settled', async () => {
    await depositor(0)
    pass(31 * MINUTE_MS)
    expect(await watch().look()).toBe(true)
    await restart()
    expect(await watch().look()).toBe(true)
    const { isCurrent, block } = await watch().standing([])
    expect([isCurrent, block]).toEqual([true, Number(await chain.getBlockNumber())])
  })

  it('survives a restart between reading a deposit and crediting it', async () => {
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5n)
    await deafen(alice)
    pass(2_000)
    await watch().look()
    await restart()
    vi.restoreAllMocks()
    pass(2_000)
    expect(await chipsOf(alice)).toBe(5n)
  })
})

describe('a deposit that was read but has not reached its ledger', () => {
  it('is not reported as credited', async () => {
    const alice = await depositor(0)
    await deposit(alice, 'USDG', 5n)
    await deafen(alice)
    pass(2_000)
    expect(await watch().look()).toBe(false)
    expect(await watch().catchUp()).toBe(false)
    vi.restoreAllMocks()
    pass(2_000)
    expect(await watch().look()).toBe(true)
    expect(await chipsOf(alice)).toBe(1_000_000_005n)
  })

  it('does not permanently refuse a debit that needs it', async () => {
    const alice = await depositor(0)
    const platform = new Platform()
    await deposit(alice, 'USDG', 5_000_000n)
    await deafen(alice)
    pass(2_000)
    const debit = () => platform.transact(alice, '-1005', { partnerTransactionId: 'spin-1' })
    expect((await debit()).body.error.code).toBe('chain_unavailable')
    vi.restoreAllMocks()
    pass(2_000)
    expect((await debit()).body).toMatchObject({ balanceWei: '0' })
  })

  it('does not concern debits of other wallets', async () => {
    const alice = await depositor(0)
    const bob = new Player(1)
    await deposit(bob, 'USDG', 5_000_000n)
    await deafen(bob)
    pass(2_000)
    const refused = await new Platform().transact(alice, '-1005')
    expect(outcomeOf(refused)).toEqual([402, 'insufficient_chips'])
    vi.restoreAllMocks()
    pass(2_000)
    expect(await chipsOf(bob)).toBe(5_000_000n)
  })
})

describe('a deposit behind many of other wallets that have not reached their ledgers', () => {
  it('is credited at the first call of its own wallet', async () => {
    const alice = new Player(0)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await chipsOf(alice)
    await runInDurableObject(watch(), (_, { storage }) => {
      for (let dust = 0; dust < 1_000; dust++) {
        const payload = JSON.stringify({ account: `dust ${dust}`, txHash: zeroHash })
        storage.sql.exec(
          `INSERT INTO outbox (kind, payload, due_at) VALUES ('movement', ?, 1)`,
          payload,
        )
      }
    })
    await deposit(alice, 'USDG', 5n)
    expect(await chipsOf(alice)).toBe(5n)
    await runInDurableObject(watch(), (_, { storage }) => {
      storage.sql.exec(`DELETE FROM outbox WHERE payload LIKE '%dust%'`)
    })
  })

  it('does not wait for a ledger that does not answer', async () => {
    const [alice, bob] = [new Player(0), new Player(1)]
    await deposit(bob, 'USDG', 5n)
    await deposit(alice, 'USDG', 5n)
    const { LEDGER } = env
    const silent = { takeVaultTransaction: () => new Promise<never>(() => {}) }
    const getByName = (name: string) => (name === bob.wallet ? silent : LEDGER.getByName(name))
    await setVars(watch(), { LEDGER: { getByName } })
    pass(2_000)
    expect(await chipsOf(alice)).toBe(5n)
    const failed = await runInDurableObject(watch(), (_, { storage }) =>
      storage.sql.exec('SELECT payload FROM outbox WHERE attempts > 0').toArray(),
    )
    expect(failed, 'deliveries that were waited for in vain').toEqual([])
    await restart()
    expect(await watch().look()).toBe(true)
  })
})

it('many callers of one look start one batch of deliveries', async () => {
  await watch().look()
  await runInDurableObject(watch(), (_, { storage }) => {
    for (let dust = 0; dust < 500; dust++) {
      const [account, payload] = [`dust ${dust}`, { account: `dust ${dust}`, txHash: zeroHash }]
      storage.sql.exec(
        `INSERT INTO outbox (kind, payload, due_at) VALUES ('movement', ?, 1)`,
        JSON.stringify(payload),
      )
      storage.sql.exec(
        'INSERT INTO transactions (account, tx_hash, version, told) VALUES (?, ?, 1, 0)',
        account,
        zeroHash,
      )
    }
  })
  const takeVaultTransaction = vi.fn(() => new Promise<never>(() => {}))
  await setVars(watch(), { LEDGER: { getByName: () => ({ takeVaultTransaction }) } })
  pass(2_000)
  await Promise.all(Array.from({ length: 5 }, () => watch().catchUp()))
  expect(takeVaultTransaction).toHaveBeenCalledTimes(100)
  await restart()
  await runInDurableObject(watch(), (_, { storage }) => {
    for (const table of ['outbox', 'transactions']) storage.sql.exec(`DELETE FROM ${table}`)
  })
})

describe('a used nonce', () => {
  it('is known from the logs: a payment at once, a burn once it is irreversible', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    await work(alice)
    await watch().look()
    expect(await watch().nonceUse(alice.account.address, 0)).toMatchObject({
      kind: 'withdrawn',
      token: 'USDG',
      amountWei: 100_000_000n,
    })
    expect(await watch().nonceUse(alice.account.address, 1)).toBeNull()
  })
})

describe('the sum of all ledgers', () => {
  it('names a wallet whose ledger has not heard of its deposit for an hour, so that none counts on it', async () => {
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5n)
    await deafen(alice)
    for (let time = 0; time < 4; time++) {
      pass(1_000_000)
      await watch().look()
      await chain.mine({ blocks: 1 })
    }
    const { recent, settledPlayers } = await watch().standing([])
    expect([recent.map(({ wallet }) => wallet), settledPlayers]).toEqual([[alice.wallet], 0])
    await restart()
    await watch().look()
    expect(await chipsOf(alice)).toBe(5n)
  })

  it("equals the vault's holdings, wallet by wallet", async () => {
    const alice = await depositor(0)
    await fundHouse('USDG', 7n)
    pass(2_000)
    await watch().look()
    const standing = await watch().standing([])
    expect(standing).toMatchObject({
      isCurrent: true,
      settledPlayers: 0,
      net: { ETH: 0n, USDG: 1_000_000_007n },
    })
    const net = { ETH: 0n, USDG: 1_000_000_000n }
    expect(standing.recent).toContainEqual(expect.objectContaining({ wallet: alice.wallet, net }))
    expect(await watch().players(null, 10)).toEqual([alice.wallet])
  })
})
