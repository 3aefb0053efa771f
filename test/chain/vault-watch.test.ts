import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { getAddress, pad, parseAbi, zeroAddress, zeroHash, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import type { VaultTransaction } from '../../src/ledger/deposit.ts'
import { ledger, vaultWatch } from '../../src/objects.ts'
import { sweep } from '../../src/sweep.ts'
import { SOON } from '../soon.ts'
import { Platform } from '../workers/partner.ts'
import {
  type Answer,
  now,
  openRound,
  pass,
  Player,
  restart,
  outcomeOf,
} from '../workers/support.ts'
import { watchStorage } from '../workers/watch-storage.ts'
import { USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  ask,
  chain,
  chipsOf,
  countCalls,
  deploy,
  deposit,
  depositor,
  FIRST,
  fundHouse,
  leavesDifference,
  mined,
  nodeAnswers,
  nodeRefuses,
  setVars,
  useChain,
  vault,
  vaultConfig,
  withdraw,
  work,
  write,
} from './support.ts'

useChain()

const depositorAbi = parseAbi([
  'function depositBoth(uint256 first, uint256 second)',
  'function depositFickle()',
])

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

  it('is found from the first block on, even if it was thought to be settled', async () => {
    const alice = await depositor(0)
    for (let minute = 0; minute < 45; minute++) {
      pass(60_000)
      await chain.mine({ blocks: 1 })
      await watch().look()
    }
    const settledBlock = () =>
      runInDurableObject(
        watch(),
        (_, { storage }) =>
          storage.sql.exec<{ block: number }>('SELECT block FROM settled').one().block,
      )
    const settled = await settledBlock()
    await runInDurableObject(watch(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM logs')
      storage.sql.exec(`UPDATE settled SET totals = replace(totals, '1000000000', '0')`)
      storage.sql.exec(`UPDATE nets SET net = replace(net, '1000000000', '0')`)
    })
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
})

describe('the vault watch', () => {
  it('reads in halves if the node refuses a range for its size', async () => {
    const players = [0, 1, 2].map((index) => new Player(index))
    for (const player of players) await deposit(player, 'USDG', 5n)
    nodeRefuses('eth_getLogs', (logs) => (logs as unknown[]).length > 2)
    for (const player of players) expect(await chipsOf(player)).toBe(5n)
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
})

describe('reports about one transaction that arrive out of order', () => {
  it('credit nothing if the newest says that a reorg removed it', async () => {
    const alice = await depositor(0)
    const transaction = {
      vaultId: vaultConfig().id,
      txHash: `0x${'ab'.repeat(32)}`,
      movements: [{ kind: 'deposited', position: 0, token: 'USDG', amountWei: 5n }],
    } satisfies Partial<VaultTransaction>
    const tell = (version: number, isOnChain: boolean) =>
      ledger(env, alice.wallet).takeVaultTransaction({ ...transaction, version, isOnChain })
    await tell(2, false)
    await tell(1, true)
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect((await withdraw(alice)).status).toBe(200)
  })
})

/** Deploys a contract with ETH of its own that deposits in its own name. */
async function depositorContract() {
  const hash = await deploy('Depositor', [VAULT_ADDRESS], 1_000_000n)
  const { contractAddress } = await chain.getTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('it was deployed')
  const address = getAddress(contractAddress)
  const chips = async () => {
    pass(2_000)
    const me = await ledger(env, address).me({ roundId: 1, phase: 'betting', multiplier: 100 })
    return BigInt(me.chips.ETH)
  }
  const send = (functionName: 'depositBoth' | 'depositFickle', args: bigint[]) =>
    write({ address, abi: depositorAbi }, functionName, args)
  return { address, chips, send }
}

/** Replaces the newest block, mining its one transaction again behind another deposit. */
async function mineAgainLater(hash: Hex): Promise<void> {
  const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
  await ask('anvil_reorg', 1, [])
  pass(2_000)
  await watch().look()
  await chain.setAutomine(false)
  const deposited = mined(
    chain.writeContract({
      ...{ ...vault, functionName: 'deposit', args: [zeroAddress, 9n] },
      ...{ value: 9n, account: new Player(1).account, ...FIRST },
    }),
  )
  await vi.waitFor(
    async () => expect(await ask('txpool_status')).toMatchObject({ pending: '0x1' }),
    SOON,
  )
  await chain.sendRawTransaction({ serializedTransaction: raw })
  await chain.mine({ blocks: 1 })
  await deposited
  await chain.setAutomine(true)
}

describe('deposits of one transaction', () => {
  it('are credited once each, even if the chain mines them again in another position', async () => {
    const contract = await depositorContract()
    const hash = await contract.send('depositBoth', [3n, 4n])
    expect(await contract.chips()).toBe(7n)
    await mineAgainLater(hash)
    expect(await contract.chips()).toBe(7n)
    expect(await ledger(env, contract.address).writeOff('nothing-to-do')).toBe(0)
  })

  it('freeze their wallet if the chain mines something else in their place', async () => {
    const contract = await depositorContract()
    const hash = await contract.send('depositFickle', [])
    expect(await contract.chips()).toBe(1n)
    await mineAgainLater(hash)
    expect(await contract.chips()).toBe(1n)
    expect(await ledger(env, contract.address).writeOff('written-off')).toBe(1)
    leavesDifference('ETH', 10n)
  })
})

describe('a transaction that pays into two vaults of a chain', () => {
  it('is credited from each, although both have its log at the same position', async () => {
    const alice = await depositor(0, 'ETH', 5n)
    const [first] = (await chain.getBlock()).transactions
    await runInDurableObject(ledger(env, alice.wallet), async (object) => {
      const { vault: configured } = loadConfig((object as unknown as { env: Env }).env)
      const { id, address, chainId } = configured!
      const other = { id: `${chainId}:${USDG_ADDRESS}`, address: USDG_ADDRESS }
      Object.assign(configured!, other)
      await object.takeVaultTransaction({
        ...{ vaultId: other.id, txHash: first ?? zeroHash, version: 1, isOnChain: true },
        movements: [{ kind: 'deposited', position: 0, token: 'ETH', amountWei: 7n }],
      })
      Object.assign(configured!, { id, address })
    })
    expect(await chipsOf(alice, 'ETH')).toBe(12n)
    leavesDifference('ETH', -7n)
  })
})

describe('a transaction that deposits for two wallets', () => {
  type Log = { transactionHash: Hex; topics: Hex[] }
  const [alice, bob] = [new Player(0), new Player(1)]
  /** Changes the two logs in the node's next answer that has them. */
  let once: ((logs: Log[]) => Log[]) | null

  /** Deposits for both in one block, and makes the node show both as logs of one transaction. */
  async function depositForBoth(): Promise<void> {
    await chain.setAutomine(false)
    const sent = [alice, bob].map(({ account }, index) =>
      chain.writeContract({
        ...{ ...vault, functionName: 'deposit', args: [zeroAddress, 5n], value: 5n, account },
        ...{ maxFeePerGas: FIRST.maxFeePerGas, maxPriorityFeePerGas: 9n - BigInt(index) },
      }),
    )
    const [first = zeroHash, second] = await Promise.all(sent)
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    nodeAnswers('eth_getLogs', (found) => {
      const isOurs = ({ transactionHash: hash }: Log) => hash === first || hash === second
      const logs = found as Log[]
      const ours = logs.filter(isOurs).map((log) => ({ ...log, transactionHash: first }))
      const change = ours.length > 0 && once
      if (change) once = null
      return [...logs.filter((log) => !isOurs(log)), ...(change ? change(ours) : ours)]
    })
  }

  const chipsOfBoth = async () => [await chipsOf(alice, 'ETH'), await chipsOf(bob, 'ETH')]

  /** Has everything read again, as once a minute. */
  async function readAgain(): Promise<void> {
    pass(61_000)
    await watch().look()
  }

  beforeEach(async () => {
    once = null
    await depositForBoth()
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })

  it.each<[string, (logs: Log[]) => Log[]]>([
    ['lacks its first log', (logs) => logs.slice(1)],
    ['lacks its last log', (logs) => logs.slice(0, -1)],
    ['has its logs in another order', (logs) => logs.toReversed()],
  ])('credits each once if a node %s when everything is read again', async (_, change) => {
    expect(await chipsOfBoth()).toEqual([5n, 5n])
    once = change
    await readAgain()
    expect(once).toBeNull()
    expect(await chipsOfBoth()).toEqual([5n, 5n])
    await readAgain()
    expect(await chipsOfBoth()).toEqual([5n, 5n])
    for (const player of [alice, bob]) {
      expect((await withdraw(player, { token: 'ETH', amountWei: 5n })).status).toBe(200)
    }
  })

  it('credits each once, and freezes none, if a node lacks its first log when it is first read', async () => {
    once = (logs) => logs.slice(1)
    await watch().look()
    expect(once).toBeNull()
    await readAgain()
    expect(await chipsOfBoth()).toEqual([5n, 5n])
    for (const player of [alice, bob]) {
      expect((await withdraw(player, { token: 'ETH', amountWei: 5n })).status).toBe(200)
    }
  })
})

describe('a transaction that the chain mines again', () => {
  /** Gives Alice's logs as Bob's, as if a contract now deposits for another wallet. */
  function nowFor(bob: Player) {
    nodeAnswers('eth_getLogs', (logs) =>
      (logs as { topics: Hex[] }[]).map((log) => ({
        ...log,
        topics: log.topics.map((topic, index) => (index === 1 ? pad(bob.account.address) : topic)),
      })),
    )
  }

  it("as another wallet's deposit freezes the wallet first credited", async () => {
    const [alice, bob] = [new Player(0), new Player(1)]
    const hash = await deposit(alice, 'ETH', 5n)
    expect(await chipsOf(alice, 'ETH')).toBe(5n)
    const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
    await ask('anvil_reorg', 1, [])
    await mined(chain.sendRawTransaction({ serializedTransaction: raw }))
    nowFor(bob)
    expect(await chipsOf(bob, 'ETH')).toBe(5n)
    expect(outcomeOf(await withdraw(alice, { token: 'ETH', amountWei: 5n }))).toEqual([
      503,
      'chain_unavailable',
    ])
    leavesDifference('ETH', -5n)
  })
})

describe('a node that gives different contents for the same block', () => {
  it('is trusted again, and each deposit in its first answer is credited only once', async () => {
    const contract = await depositorContract()
    nodeAnswers('eth_getLogs', (logs) => (logs as unknown[]).toSpliced(-2, 1))
    await contract.send('depositBoth', [3n, 4n])
    expect(await contract.chips()).toBe(4n)
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    pass(2_000)
    expect(await watch().look()).toBe(true)
    expect(await contract.chips()).toBe(7n)
    expect(await ledger(env, contract.address).writeOff('nothing-to-do')).toBe(0)
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
    expect(errors()).toContain('vault_block_reorganized')
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
})
