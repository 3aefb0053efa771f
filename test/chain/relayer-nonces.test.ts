import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { numberToHex, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { sweep } from '../../src/sweep.ts'
import { pass, rowsOf, type Player } from '../workers/support.ts'
import { lookFor } from './dropped.ts'
import {
  ask,
  chain,
  chipsOf,
  depositor,
  leavesDifference,
  look,
  nodeAnswers,
  record,
  recordedResult,
  sentByRelayer,
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
