import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { pad, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { ledger, vaultWatch } from '../../src/calls/objects.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { now, pass, Player, restart, rowsOf } from '../workers/support.ts'
import { watchStorage } from '../workers/watch-storage.ts'
import { VAULT_ADDRESS } from './accounts.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  depositor,
  fundHouse,
  leavesDifference,
  nodeAnswers,
  setVars,
  useChain,
  vaultConfig,
} from './support.ts'

useChain()

const watch = () => vaultWatch(env, vaultConfig().id)

describe('a log that a lagging node omitted', () => {
  it('is found at the next look, even many blocks later', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await deposit(alice, 'USDG', 5n)
    nodeAnswers('eth_getLogs', () => [])
    for (let look = 0; look < 3; look++) {
      await chain.mine({ blocks: 100 })
      expect(await chipsOf(alice)).toBe(1_000_000_000n)
    }
    expect(errors.mock.calls.flat().join()).toContain('vault_logs_incomplete')
    vi.restoreAllMocks()
    expect(await chipsOf(alice)).toBe(1_000_000_005n)
  })

  const settledBlock = () =>
    runInDurableObject(
      watch(),
      (_, { storage }) =>
        storage.sql.exec<{ block: number }>('SELECT block FROM settled').one().block,
    )

  /** Makes the watch lack a wallet's deposit, in a block that it takes for settled. Returns that block. */
  async function lackSettled(): Promise<number> {
    for (let minute = 0; minute < 45; minute++) {
      pass(60_000)
      await chain.mine({ blocks: 1 })
      await watch().look()
    }
    await runInDurableObject(watch(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM logs')
      storage.sql.exec(`UPDATE settled SET totals = replace(totals, '1000000000', '0')`)
      storage.sql.exec(`UPDATE nets SET net = replace(net, '1000000000', '0')`)
    })
    return settledBlock()
  }

  it('is found from the first block on, even if it was thought to be settled', async () => {
    const alice = await depositor(0)
    const settled = await lackSettled()
    await restart()
    // A node may be behind for some looks, and reading everything again makes new deposits wait.
    pass(60_000)
    for (let look = 0; look < 30; look++) {
      pass(2_000)
      await watch().look()
    }
    expect(await settledBlock()).toBe(settled)
    expect(await watch().look()).toBe(false)
    for (let look = 0; look < 5; look++) {
      pass(40_000)
      await watch().look()
    }
    expect(await settledBlock()).toBeLessThan(settled)
    expect(await watch().look()).toBe(true)
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    const { recent, others } = await watch().standing([], [alice.wallet])
    const net = { ETH: 0n, USDG: 1_000_000_000n }
    expect([...recent, ...others]).toMatchObject([{ wallet: alice.wallet, net }])
  })

  it('is found even if the watch sleeps from one look of the cron trigger to the next', async () => {
    const alice = await depositor(0)
    const settled = await lackSettled()
    for (let minute = 0; minute < 8; minute++) {
      await restart()
      pass(60_000)
      await watch().look()
    }
    expect(await settledBlock()).toBeLessThan(settled)
    expect(await watch().look()).toBe(true)
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })
})

describe('a deposit that only an abandoned branch has', () => {
  it('is credited by no number of confirmations, although a node was left behind there', async () => {
    await depositor(0)
    const [other, thief] = [new Player(1), new Player(2)]
    await setVars(watch(), { CHAIN_CONFIRMATIONS: '12' })
    await deposit(other, 'USDG', 100_000_000n)
    const [hash] = (await chain.getBlock()).transactions
    await chain.mine({ blocks: 11 })
    type DepositLog = { transactionHash: Hex; topics: Hex[] }
    nodeAnswers('eth_getLogs', (logs) =>
      (logs as DepositLog[]).map((log) => {
        if (log.transactionHash !== hash) return log
        const [event, , ...others] = log.topics
        const topics = [event, pad(thief.account.address), ...others]
        return { ...log, topics, blockHash: pad('0xbb'), transactionHash: pad('0xcc') }
      }),
    )
    expect([await chipsOf(thief), await chipsOf(other)]).toEqual([0n, 0n])
    vi.restoreAllMocks()
    expect([await chipsOf(thief), await chipsOf(other)]).toEqual([0n, 100_000_000n])
  })
})

describe('deposits in many blocks', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })

  /** Has the node take few calls at once from now on. */
  function takesAtOnce(most: number): void {
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const calls: unknown = JSON.parse(init?.body as string)
      const isRefused = Array.isArray(calls) && calls.length > most
      return isRefused ? Response.json({ error: 'too many' }, { status: 429 }) : real(input, init)
    })
  }

  it('are credited although the node takes few calls at once', async () => {
    const [stranger, alice] = [await depositor(1), await depositor(2)]
    takesAtOnce(10)
    for (let block = 0; block < 25; block++) await deposit(stranger, 'USDG', 1n)
    await deposit(alice, 'USDG', 5n)
    expect(await chipsOf(alice)).toBe(1_000_000_005n)
    expect(await chipsOf(stranger)).toBe(1_000_000_025n)
  })

  it('are credited a few at a time if the node takes few calls a second', async () => {
    const [stranger, alice] = [await depositor(1), await depositor(2)]
    for (let block = 0; block < 60; block++) await deposit(stranger, 'USDG', 1n)
    await deposit(alice, 'USDG', 5n)
    const real = globalThis.fetch
    let left = 0
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const calls: unknown = JSON.parse(init?.body as string)
      const count = Array.isArray(calls) ? calls.length : 1
      if (count > left) return Response.json({ error: 'too many' }, { status: 429 })
      left -= count
      return real(input, init)
    })
    let isCurrent = false
    for (let looks = 0; looks < 8 && !isCurrent; looks++) {
      pass(20_000)
      left = 40
      isCurrent = await watch().look()
    }
    expect(isCurrent).toBe(true)
    expect(await chipsOf(alice)).toBe(1_000_000_005n)
    expect(await chipsOf(stranger)).toBe(1_000_000_060n)
  })

  it('are credited a part at a time if they are very many, although the node takes three calls at once', async () => {
    const alice = await depositor(2, 'ETH', 1n)
    for (let block = 0; block < 490; block++) await deposit(alice, 'ETH', 1n)
    takesAtOnce(3)
    const found: number[] = []
    let isCurrent = false
    for (let look = 0; look < 20 && !isCurrent; look++) {
      pass(2_000)
      isCurrent = await watch().look()
      const [row] = await rowsOf<{ count: number }>(watch(), 'SELECT count(*) AS count FROM logs')
      found.push(row!.count)
    }
    expect(new Set(found)).toEqual(new Set([481, 491]))
    expect(await chipsOf(alice, 'ETH')).toBe(491n)
  })
})

describe('more logs than fit into memory', () => {
  const DEPOSITS = 6
  const alice = new Player(0)
  let before: number
  let logged: MockInstance<typeof console.error>
  const errors = () => logged.mock.calls.flat().join()

  type NodeLog = { blockNumber: Hex }

  /** Makes each of the vault's logs come with thousands of others, which move nothing. */
  function inflate(answer: (logs: NodeLog[]) => NodeLog[] = (logs) => logs): void {
    const other = { topics: [pad('0x1')], data: '0x', transactionHash: pad('0x1') }
    nodeAnswers('eth_getLogs', (result) =>
      answer(result as NodeLog[]).flatMap((log) => [
        log,
        ...Array.from({ length: 10_000 }, () => ({ ...log, ...other })),
      ]),
    )
  }

  const chips = async () => (await ledger(env, alice.wallet).standing(now())).balances.USDG.chips

  /** Looks until everything is read, a while after each look. Returns the chips after each. */
  async function readAll(ms = 2_000): Promise<bigint[]> {
    const seen: bigint[] = []
    while (seen.length < 12) {
      pass(ms)
      const isCurrent = await watch().look()
      seen.push(await chips())
      if (isCurrent) return seen
    }
    throw new Error('reading does not end')
  }

  beforeEach(async () => {
    logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    // Blocks of a long history would settle at once.
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
    before = Number(await chain.getBlockNumber())
    for (let log = 0; log < DEPOSITS; log++) await deposit(alice, 'USDG', 1n)
  })

  it('are read and credited a part at a time', async () => {
    inflate()
    const seen = await readAll()
    expect(new Set(seen).size).toBeGreaterThan(2)
    expect(seen.at(-1)).toBe(BigInt(DEPOSITS))
    const { isCurrent, net } = await watch().standing([])
    expect([isCurrent, net.USDG]).toEqual([true, BigInt(DEPOSITS)])
    expect(errors()).toBe('')
  })

  it('are read to the end, however long that takes, before they are read again', async () => {
    inflate()
    expect((await readAll(61_000)).length).toBeGreaterThan(1)
    expect((await readAll(61_000)).length).toBeGreaterThan(1)
    expect(errors()).toBe('')
  })

  it('are read again if a node has left one out', async () => {
    const [first] = await chain.getLogs({ address: VAULT_ADDRESS, fromBlock: BigInt(before + 1) })
    inflate((logs) => logs.filter(({ blockNumber }) => BigInt(blockNumber) !== first?.blockNumber))
    for (let look = 0; look < 12; look++) {
      pass(2_000)
      expect(await watch().look()).toBe(false)
    }
    expect(errors()).toContain('vault_logs_incomplete')
    expect(await chips()).toBe(BigInt(DEPOSITS - 1))
    vi.restoreAllMocks()
    inflate()
    expect((await readAll()).at(-1)).toBe(BigInt(DEPOSITS))
  })

  it('are not settled where a node has left one out, however old they are', async () => {
    const [first] = await chain.getLogs({ address: VAULT_ADDRESS, fromBlock: BigInt(before + 1) })
    pass(3_600_000)
    inflate((logs) => logs.filter(({ blockNumber }) => BigInt(blockNumber) !== first?.blockNumber))
    while ((await chips()) === 0n) {
      pass(2_000)
      expect(await watch().look()).toBe(false)
    }
    vi.restoreAllMocks()
    inflate()
    expect((await readAll()).at(-1)).toBe(BigInt(DEPOSITS))
  })

  it('freeze a wallet whose deposit the chain drops before the next part is read', async () => {
    inflate()
    while ((await chips()) === 0n) {
      pass(2_000)
      expect(await watch().look()).toBe(false)
    }
    leavesDifference('USDG', -(await chips()))
    await ask('anvil_reorg', Number(await chain.getBlockNumber()) - before, [])
    pass(2_000)
    await watch().look()
    expect(errors()).toContain('vault_block_reorganised')
    expect((await watch().missing()).map(({ account }) => account)).toEqual([alice.wallet])
  })
})

describe('dust, with which anybody may fund the house,', () => {
  const DUST = 40

  async function fundDust(): Promise<void> {
    for (let log = 0; log < DUST; log++) await fundHouse('ETH', 1n)
  }

  /** Returns the rows of logs and transactions that an act reads. */
  async function rowsRead(act: () => Promise<unknown>): Promise<number> {
    const cursors: SqlStorageCursor<never>[] = []
    const stop = await watchStorage({
      onStatement: (statement, cursor) => {
        if (/\b(logs|transactions)\b/.test(statement)) cursors.push(cursor as never)
      },
    })
    await act()
    stop()
    return cursors.reduce((rows, cursor) => rows + cursor.rowsRead, 0)
  }

  /** Lets enough time pass for all logs to settle. */
  async function settle(): Promise<void> {
    for (let minute = 0; minute < 45; minute++) {
      pass(60_000)
      await chain.mine({ blocks: 1 })
      await watch().look()
    }
  }

  it('is not read again by each look', async () => {
    const alice = new Player(0)
    await fundDust()
    await chipsOf(alice)
    await deposit(alice, 'ETH', 5n)
    pass(2_000)
    expect(await rowsRead(() => watch().look())).toBeLessThan(DUST / 2)
    expect(await chipsOf(alice, 'ETH')).toBe(5n)
  })

  it('is not read again by each count, once it has settled', async () => {
    await fundDust()
    await watch().look()
    await settle()
    await fundHouse('ETH', 7n)
    pass(2_000)
    await watch().look()
    let counted: unknown
    const rows = await rowsRead(async () => (counted = await watch().standing([], [HOUSE])))
    expect(rows).toBeLessThan(DUST / 2)
    const net = { ETH: BigInt(DUST) + 7n, USDG: 0n }
    expect(counted).toMatchObject({ isCurrent: true, net, recent: [{ wallet: HOUSE, net }] })
  })

  it('is reported to the treasury as one sum, even if all of it is new', async () => {
    await fundDust()
    await watch().look()
    const [house] = (await watch().standing([HOUSE])).recent
    expect(house?.fresh).toMatchObject([{ kind: 'funded', amountWei: BigInt(DUST) }])
  })
})
