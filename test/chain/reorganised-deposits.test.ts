import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { getAddress, pad, parseAbi, zeroAddress, zeroHash, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, treasury, vaultWatch } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import type { VaultTransaction } from '../../src/ledger/deposit.ts'
import type { Token } from '../../src/money/token.ts'
import { SOON } from '../shared/soon.ts'
import { pass, Player, outcomeOf } from '../workers/support.ts'
import { RELAYER, USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import { dropBlocks } from './dropped.ts'
import {
  ask,
  chain,
  chipsOf,
  deploy,
  deposit,
  depositor,
  FIRST,
  fundHouse,
  leavesDifference,
  mined,
  nodeAnswers,
  setVars,
  useChain,
  vault,
  vaultConfig,
  withdraw,
  write,
} from './support.ts'

useChain()

const depositorAbi = parseAbi([
  'function depositBoth(uint256 first, uint256 second)',
  'function depositFickle()',
])

const watch = () => vaultWatch(env, vaultConfig().id)
const theTreasury = () => treasury(env, vaultConfig().id)

/** Does what the cron handler does for the vault, minute by minute, and the alarms of some ledgers. */
async function minutes(count: number, ...wallets: string[]): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    pass(60_000)
    if (minute === 2) await chain.mine({ blocks: 1 })
    for (const wallet of wallets) await runDurableObjectAlarm(ledger(env, wallet))
    await watch().catchUp()
    await ledger(env, HOUSE).sendPosition()
    await theTreasury().count()
  }
}

/** Returns by how much the vault and the ledgers differ in a token, and where. */
async function driftsOf(token: Token) {
  const found = await theTreasury().reconciliation()
  const drifts = found?.drifts.filter((drift) => drift.token === token)
  return drifts?.map(({ place, amountWei }) => ({ place, amountWei }))
}

/** Deploys a contract with ETH of its own that deposits in its own name. */
async function depositorContract() {
  const hash = await deploy('Depositor', [VAULT_ADDRESS], 1_000_000n)
  const { contractAddress } = await chain.getTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('it was deployed')
  const address = getAddress(contractAddress)
  const chips = async () => {
    pass(2_000)
    const me = await ledger(env, address).me({
      roundId: 1,
      phase: 'betting',
      multiplier: 100,
      decidedTokens: [],
    })
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
      ...vault,
      functionName: 'deposit',
      args: [zeroAddress, 9n],
      value: 9n,
      account: new Player(1).account,
      ...FIRST,
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

describe('deposits of one transaction', () => {
  it('are credited once each, even if the chain mines them again in another position', async () => {
    const contract = await depositorContract()
    const hash = await contract.send('depositBoth', [3n, 4n])
    expect(await contract.chips()).toBe(7n)
    await mineAgainLater(hash)
    expect(await contract.chips()).toBe(7n)
    expect(await ledger(env, contract.address).writeOff('nothing-to-do')).toBe(0)
  })

  it('freeze their wallet if the chain mines something else in their place, and stop nobody else', async () => {
    await fundHouse('USDG', 5n)
    const contract = await depositorContract()
    const hash = await contract.send('depositFickle', [])
    expect(await contract.chips()).toBe(1n)
    await mineAgainLater(hash)
    // What it deposits now is credited, too.
    expect(await contract.chips()).toBe(11n)
    const both = [contract.address, new Player(1).wallet]
    await minutes(36, ...both)
    expect(await theTreasury().count()).toMatchObject({ ok: true })
    expect(await driftsOf('ETH')).toEqual([{ place: contract.address, amountWei: -1n }])
    expect(await watch().missing()).toMatchObject([{ account: contract.address }])
    expect(await ledger(env, contract.address).writeOff('written-off')).toBe(1)
    await minutes(8, ...both)
    expect(await driftsOf('ETH')).toEqual([])
    expect(await contract.chips()).toBe(11n)
  })

  it('that were written off are returned to the house if the chain has them again', async () => {
    const contract = await depositorContract()
    const hash = await contract.send('depositBoth', [3n, 4n])
    expect(await contract.chips()).toBe(7n)
    const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
    await dropBlocks(1)
    await chain.mine({ blocks: 1 })
    pass(2_000)
    await watch().look()
    expect(await ledger(env, contract.address).writeOff('written-off')).toBe(1)
    await mined(chain.sendRawTransaction({ serializedTransaction: raw }))
    expect(await contract.chips()).toBe(7n)
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
        vaultId: other.id,
        txHash: first ?? zeroHash,
        version: 1,
        isOnChain: true,
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
        ...vault,
        functionName: 'deposit',
        args: [zeroAddress, 5n],
        value: 5n,
        account,
        maxFeePerGas: FIRST.maxFeePerGas,
        maxPriorityFeePerGas: 9n - BigInt(index),
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

describe('a chain that is shorter than what is settled', () => {
  it('freezes the wallets whose settled deposits it lacks', async () => {
    await watch().look()
    const snapshot = await ask('evm_snapshot')
    await chain.mine({ blocks: 1 })
    pass(2_000)
    await watch().look()
    const alice = await depositor(0)
    await chain.mine({ blocks: 5 })
    await minutes(36, alice.wallet)
    await ask('evm_revert', snapshot)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // In the place of the block that it has seen.
    await chain.sendTransaction({ account: RELAYER, to: RELAYER.address, value: 7n })
    pass(2_000)
    await watch().look()
    expect(outcomeOf(await withdraw(alice))).toEqual([503, 'chain_unavailable'])
    leavesDifference('USDG', -1_000_000_000n)
  })

  it('takes no settled deposit away if it has it again', async () => {
    await watch().look()
    const before = await chain.getBlockNumber()
    const alice = await depositor(0)
    await minutes(36, alice.wallet)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    // As if the chain ended before the deposit.
    const confirmations = (await chain.getBlockNumber()) - before + 1n
    await setVars(watch(), { CHAIN_CONFIRMATIONS: `${confirmations}` })
    nodeAnswers('eth_getBlockByNumber', (found) => {
      const block = found as { number: Hex }
      return BigInt(block.number) > before ? null : { ...block, hash: zeroHash }
    })
    await watch().look()
    vi.mocked(globalThis.fetch).mockRestore()
    await setVars(watch(), { CHAIN_CONFIRMATIONS: '1' })
    pass(2_000)
    expect(await watch().look()).toBe(true)
    expect(await watch().missing()).toEqual([])
    expect((await withdraw(alice)).status).toBe(200)
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
