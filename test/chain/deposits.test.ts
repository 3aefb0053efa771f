import { env } from 'cloudflare:workers'
import { numberToHex, pad, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, vaultWatch } from '../../src/calls/objects.ts'
import { SOON } from '../shared/soon.ts'
import { pass, Player, restart, outcomeOf } from '../workers/support.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  depositor,
  leavesDifference,
  nodeAnswers,
  nodeFails,
  nodeRefuses,
  setVars,
  useChain,
  vaultConfig,
  waitForNode,
  withdraw,
} from './support.ts'

useChain()

const [alice, bob] = [new Player(0), new Player(1)]
const watch = () => vaultWatch(env, vaultConfig().id)

/** Deposits from two players in one block. */
async function depositTogether(...players: Player[]): Promise<void> {
  await chain.setAutomine(false)
  const sent = Promise.all(players.map((player) => deposit(player, 'ETH', 1n)))
  const pending = numberToHex(players.length)
  await vi.waitFor(async () => expect(await ask('txpool_status')).toMatchObject({ pending }), SOON)
  await chain.mine({ blocks: 1 })
  await sent
  await chain.setAutomine(true)
}

describe('a deposit', () => {
  it.each(['ETH', 'USDG'] as const)(
    'of %s is chips in a state read two seconds later',
    async (token) => {
      expect(await chipsOf(alice, token)).toBe(0n)
      await deposit(alice, token, 5_000_000n)
      expect(await chipsOf(alice, token)).toBe(5_000_000n)
    },
  )

  it('is credited once across repeated reads and restarts', async () => {
    await depositor(0)
    for (let look = 0; look < 3; look++) {
      await restart()
      expect(await chipsOf(alice)).toBe(1_000_000_000n)
    }
    await deposit(alice, 'USDG', 7n)
    expect(await chipsOf(alice)).toBe(1_000_000_007n)
  })

  it('is credited once when many clients read at the same time', async () => {
    await deposit(alice, 'USDG', 5_000_000n)
    pass(2_000)
    const states = await Promise.all(Array.from({ length: 10 }, () => alice.state()))
    for (const { body } of states) expect(body.me.chips.USDG).toBe('5000000')
  })

  it('is credited to no other wallet', async () => {
    await deposit(alice, 'USDG', 5_000_000n)
    expect(await chipsOf(bob)).toBe(0n)
  })

  it('delays no reader while the node is down, and is credited when it is back', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    await depositor(0)
    await deposit(alice, 'USDG', 5n)
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { url } = new Request(input, init)
      if (url.startsWith('http://chain.test')) throw new Error('down')
      return real(input, init)
    })
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect(errors.mock.calls.flat().join()).not.toContain('chain.test')
    vi.restoreAllMocks()
    expect(await chipsOf(alice)).toBe(1_000_000_005n)
  })

  it('is credited a block later if the logs came from a lagging node', async () => {
    await deposit(alice, 'USDG', 5n)
    nodeAnswers('eth_getLogs', () => [])
    expect(await chipsOf(alice)).toBe(0n)
    vi.restoreAllMocks()
    await chain.mine({ blocks: 1 })
    expect(await chipsOf(alice)).toBe(5n)
  })

  it('is not confirmed by the head of another branch, which another node behind the address has', async () => {
    await setVars(watch(), { CHAIN_CONFIRMATIONS: '12' })
    await deposit(alice, 'USDG', 5n)
    nodeAnswers('eth_blockNumber', (head) => numberToHex(BigInt(head as Hex) + 11n))
    expect(await chipsOf(alice)).toBe(0n)
    vi.restoreAllMocks()
    await chain.mine({ blocks: 11 })
    expect(await chipsOf(alice)).toBe(5n)
  })

  it('waits while nodes behind the address have different blocks of its number', async () => {
    await deposit(alice, 'USDG', 5n)
    nodeAnswers('eth_getBlockByNumber', (block) => ({ ...(block as object), hash: pad('0x1') }))
    expect(await chipsOf(alice)).toBe(0n)
    vi.restoreAllMocks()
    expect(await chipsOf(alice)).toBe(5n)
  })

  it("waits while a node shows logs that exceed the contract's own totals", async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    await deposit(alice, 'USDG', 5n)
    nodeAnswers('eth_getLogs', (logs) => {
      const [last] = (logs as object[]).slice(-1)
      return [...(logs as object[]), { ...last, transactionHash: pad('0x1') }]
    })
    for (let look = 0; look < 3; look++) expect(await chipsOf(alice)).toBe(0n)
    expect(errors.mock.calls.flat().join()).toContain('vault_logs_incomplete')
    vi.restoreAllMocks()
    expect(await chipsOf(alice)).toBe(5n)
  })

  describe('beside a block whose logs the node does not return', () => {
    let block: bigint

    beforeEach(async () => {
      vi.spyOn(console, 'error').mockImplementation(() => {})
      expect(await chipsOf(alice)).toBe(0n)
      await deposit(alice, 'USDG', 5n)
      await depositTogether(new Player(2), new Player(3))
      block = await chain.getBlockNumber()
      await deposit(bob, 'USDG', 7n)
    })

    const chips = async () => {
      for (let look = 0; look < 8; look++) {
        pass(60_000)
        await watch().look()
      }
      const players = [alice, new Player(2), new Player(3), bob]
      return Promise.all(players.map((player, at) => chipsOf(player, at % 3 ? 'ETH' : 'USDG')))
    }

    it('is credited, as are those in the block: their logs are in the receipts', async () => {
      const isThere = (log: { blockNumber: Hex }) => BigInt(log.blockNumber) === block
      nodeRefuses('eth_getLogs', (logs) => (logs as { blockNumber: Hex }[]).some(isThere))
      expect(await chips()).toEqual([5n, 1n, 1n, 7n])
    })

    const asksForLogs = (body: string) => {
      const range = /"fromBlock":"(0x\w+)","toBlock":"(0x\w+)"/.exec(body)
      return BigInt(range?.[1] ?? block + 1n) <= block && block <= BigInt(range?.[2] ?? 0)
    }

    it('is credited, as are those in the block, if the node is too slow for its logs', async () => {
      nodeFails(asksForLogs, 'before')
      expect(await chips()).toEqual([5n, 1n, 1n, 7n])
    })

    it('is credited if its block is earlier, even if nothing reads the other block', async () => {
      const asks = (body: string) => asksForLogs(body) || body.includes('getTransactionReceipt')
      nodeFails(asks, 'before')
      expect(await chips()).toEqual([5n, 0n, 0n, 0n])
      leavesDifference('USDG', 7n)
      leavesDifference('ETH', 2n)
    })
  })

  it('does not hold up readers while the node is slow', async () => {
    await alice.fund()
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}))
    await waitForNode(0)
    pass(2_000)
    expect((await alice.state()).status).toBe(200)
  })
})

describe('when a reorg removes a deposit', () => {
  const takeBack = () => ask('anvil_reorg', 1, [])

  it("the service freezes the wallet's withdrawals and reports it", async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    await depositor(0)
    await takeBack()
    for (let look = 0; look < 3; look++) {
      await chipsOf(alice)
      await chain.mine({ blocks: 100 })
    }
    expect(errors.mock.calls.flat().join()).toContain('vault_block_reorganised')
    expect(outcomeOf(await withdraw(alice))).toEqual([503, 'chain_unavailable'])
    expect(await ledger(env, alice.wallet).verify()).toMatchObject({ ok: true })
    leavesDifference('USDG', -1_000_000_000n)
  })

  it('the service freezes withdrawals even while the chain is still shorter than before', async () => {
    const before = await ask('evm_snapshot')
    for (let block = 0; block < 3; block++) {
      await chain.mine({ blocks: 1 })
      await chipsOf(bob)
    }
    await depositor(0)
    await ask('evm_revert', before)
    await chain.mine({ blocks: 2, interval: 5 })
    await chipsOf(bob)
    expect(outcomeOf(await withdraw(alice))).toEqual([503, 'chain_unavailable'])
    leavesDifference('USDG', -1_000_000_000n)
  })

  it('the service freezes no wallet if a node merely lacks the latest block', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    await depositor(0)
    await chain.mine({ blocks: 1 })
    nodeAnswers('eth_getBlockByNumber', () => null)
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect((await withdraw(alice)).status).toBe(200)
    expect(errors).not.toHaveBeenCalled()
  })

  it('for a long time, the service credits later deposits and resumes withdrawals', async () => {
    await depositor(0)
    await chain.mine({ blocks: 1 })
    await chipsOf(alice)
    await takeBack()
    await chipsOf(alice)
    await setVars(watch(), { CHAIN_LOG_RANGE: '10' })
    await chain.mine({ blocks: 500 })
    await deposit(alice, 'USDG', 7n)
    for (let look = 0; look < 10; look++) await chipsOf(alice)
    expect(await chipsOf(alice)).toBe(1_000_000_007n)
    expect((await withdraw(alice)).status).toBe(200)
  })

  it('and the chain includes it again, the service credits it only once and resumes withdrawals', async () => {
    const hash = await deposit(alice, 'ETH', 5_000_000n)
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
    await takeBack()
    await chipsOf(alice, 'ETH')
    await chain.sendRawTransaction({ serializedTransaction: raw })
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    const { status } = await withdraw(alice, { token: 'ETH', amountWei: 5_000_000n })
    expect(status).toBe(200)
  })
})
