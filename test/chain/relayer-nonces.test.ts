import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { numberToHex, parseTransaction, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { sweep } from '../../src/sweep.ts'
import { pass, rowsOf, type Player } from '../workers/support.ts'
import { lookFor } from './dropped.ts'
import {
  ask,
  attempts,
  chain,
  chipsOf,
  depositor,
  freeze,
  leavesDifference,
  look,
  nodeAnswers,
  record,
  recordedResult,
  sentByRelayer,
  setVars,
  statusOf,
  theRelayer,
  useChain,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

/** Pays a withdrawal, and goes on until the relayer no longer watches its transaction. */
async function payAndForget(player: Player): Promise<void> {
  await withdraw(player)
  expect(await workToEnd(player)).toBe('confirmed')
  await chain.mine({ blocks: 66 })
  await lookFor(31)
}

/**
 * Has the chain leave all blocks since a snapshot for a longer branch. Once an anvil has mined some thousands of
 * blocks, as in a whole run, a deep `anvil_reorg` loses all contracts.
 */
async function leave(snapshot: unknown): Promise<void> {
  await ask('evm_revert', snapshot)
  await ask('anvil_dropAllTransactions')
  await chain.mine({ blocks: 80 })
}

const states = () =>
  rowsOf<{ nonce: number; state: string }>(theRelayer(), 'SELECT nonce, state FROM transactions')

describe('a nonce that the chain lacks', () => {
  it('is used by the same payment again, which the chain dropped after it was watched', async () => {
    const [alice, bob] = [await depositor(0), await depositor(1)]
    await chain.mine({ blocks: 5 })
    const before = await ask('evm_snapshot')
    await payAndForget(alice)
    expect(await states()).toEqual([{ nonce: 0, state: 'closed' }])
    await leave(before)
    expect(await sentByRelayer()).toBe(0)
    await chipsOf(bob)
    await withdraw(bob)
    await work(bob, 1)
    await lookFor(5)
    expect(await sentByRelayer()).toBe(2)
    await work(bob)
    expect(await statusOf(bob)).toBe('confirmed')
  })

  it('is not left because one node has counted too many', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    let lies = 1
    nodeAnswers('eth_getTransactionCount', (count) =>
      lies-- > 0 ? numberToHex(BigInt(count as Hex) + 1_000n) : count,
    )
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(1)
  })

  it('is used by an empty transaction if nodes have counted too many twice', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    let lies = 2
    nodeAnswers('eth_getTransactionCount', (count) =>
      lies-- > 0 ? numberToHex(BigInt(count as Hex) + 3n) : count,
    )
    await work(alice, 1)
    vi.restoreAllMocks()
    expect(await states()).toEqual([{ nonce: 3, state: 'open' }])
    await lookFor(1)
    expect(await sentByRelayer()).toBe(0)
    await lookFor(2)
    await work(alice)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(4)
  })

  it('is used for nothing if it was that of a house result that was given up', async () => {
    await chain.setAutomine(false)
    await record('7')
    await look()
    nodeAnswers('eth_getTransactionCount', (count) => numberToHex(BigInt(count as Hex) + 1n))
    await lookFor(3)
    vi.restoreAllMocks()
    expect(await states()).toEqual([{ nonce: 0, state: 'closed' }])
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    await sweep(env)
    await lookFor(3)
    expect([await recordedResult(), await sentByRelayer()]).toEqual([0n, 1])
  })

  it('is not one of a block that the node does not have yet', async () => {
    const alice = await depositor(0)
    const behind = await ask('evm_snapshot')
    await payAndForget(alice)
    await ask('evm_revert', behind)
    await sweep(env)
    await lookFor(3)
    expect(await states()).toEqual([{ nonce: 0, state: 'closed' }])
    // That node has not seen the payment.
    leavesDifference('USDG', 100_000_000n)
  })

  it('is found by the cron handler while nothing is to be paid, and the object is evicted between looks', async () => {
    const alice = await depositor(0)
    const before = await ask('evm_snapshot')
    await payAndForget(alice)
    await leave(before)
    await sweep(env)
    for (let looks = 0; looks < 12; looks++) {
      await evictDurableObject(theRelayer())
      pass(15_000)
      await look()
    }
    expect(await sentByRelayer()).toBe(1)
  })
})

describe('a transaction with less gas than a rollup takes by now for its data', () => {
  /**
   * Answers like a node of a rollup that takes some gas for data: it refuses transactions with less, and estimates
   * contain it.
   */
  function takeForData(data: { gas: bigint }): void {
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : '{}'
      const { id, method, params } = JSON.parse(body) as {
        id: number
        method: string
        params: [Hex]
      }
      if (method === 'eth_sendRawTransaction') {
        const { gas = 0n } = parseTransaction(params[0])
        const error = { code: -32_000, message: 'intrinsic gas too low' }
        if (gas < 21_000n + data.gas) return Response.json({ jsonrpc: '2.0', id, error })
      }
      const answer = await real(input, init)
      if (method !== 'eth_estimateGas') return answer
      const { result, error } = await answer.json<{ result: Hex; error?: object }>()
      return Response.json({
        jsonrpc: '2.0',
        id,
        ...(error ? { error } : { result: numberToHex(BigInt(result) + data.gas) }),
      })
    })
  }

  let alice: Player
  let bob: Player

  /** Has the payments of both players signed and dropped, and then data take more gas than a whole payment did. */
  async function sign(meanwhile = async () => {}): Promise<void> {
    const data = { gas: 0n }
    takeForData(data)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await chain.setAutomine(false)
    for (const player of [alice, bob]) {
      await withdraw(player)
      await work(player, 1)
    }
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    await meanwhile()
    data.gas = 300_000n
  }

  /** Has the relayer look at the chain each minute. */
  async function wait(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await chain.mine({ blocks: 1 })
      pass(61_000)
      await look()
    }
    await look()
  }

  const statuses = async () => [await statusOf(alice), await statusOf(bob)]

  beforeEach(async () => {
    alice = await depositor(0)
    bob = await depositor(1)
  })

  it('is replaced by one with enough of it, and later ones do not wait', async () => {
    await sign()
    await wait(2)
    expect(await statuses()).toEqual(['confirmed', 'confirmed'])
    expect(await sentByRelayer()).toBe(2)
  })

  it('is replaced if its payment would be refused by now, so that its nonce is used', async () => {
    await sign(() => freeze(alice.account.address))
    await wait(5)
    expect(await statuses()).toEqual(['failed', 'confirmed'])
  })

  it('is replaced by one with no gas for code that its wallet has got since', async () => {
    await sign(() => chain.setCode({ address: alice.account.address, bytecode: '0x5b600056' }))
    await wait(5)
    expect((await statuses())[1]).toBe('confirmed')
    const [, , replacement] = await rowsOf<{ raw: Hex }>(
      theRelayer(),
      'SELECT raw FROM attempts ORDER BY rowid',
    )
    expect(parseTransaction(replacement!.raw).gas).toBeLessThan(420_000n)
  })

  it('is replaced if its fees are as high as they may be', async () => {
    await setVars(theRelayer(), { RELAYER_MAX_FEE_WEI: '1000000000' })
    await sign()
    await wait(2)
    expect(await statuses()).toEqual(['confirmed', 'confirmed'])
    const fees = (await attempts()).map(({ max_fee }) => max_fee)
    expect(fees).toEqual(Array(4).fill('1000000000'))
  })
})
