import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { vaultWatch } from '../../src/calls/objects.ts'
import { pass, type Player } from '../workers/support.ts'
import { dropBlocks, lookFor, signedWithoutBlock, useUpNoncesAfter } from './dropped.ts'
import { burnOutside, payOutside, settle } from './outside.ts'
import {
  ask,
  asOwner,
  chain,
  chipsOf,
  depositor,
  leavesDifference,
  look,
  nodeAnswers,
  nodeFails,
  noncesUsed,
  sentByRelayer,
  statusOf,
  tokenBalance,
  useChain,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n

/** Has the relayer find out how a transaction of others has ended a withdrawal, for which it asks once a minute. */
async function endOutside(player: Player): Promise<string | undefined> {
  await work(player, 1)
  await lookFor(2)
  return statusOf(player)
}

/**
 * Has the relayer sign a payment to Alice, which fails because another key holder makes it first. No block has either
 * yet.
 */
async function paidTwice() {
  const [alice, bob] = [await depositor(0), await depositor(1)]
  const paidBefore = await tokenBalance(alice.account.address, 'USDG')
  const before = Number(await chain.getBlockNumber())
  await chain.setAutomine(false)
  await withdraw(bob)
  await work(bob, 1)
  const own = await signedWithoutBlock(alice, 0)
  await payOutside(alice, AMOUNT, 0)
  return { alice, bob, own, paidBefore, before }
}

describe('when others use the relayer’s key and the chain drops transactions', () => {
  it('a payment that somebody else has made is made again if the chain drops it', async () => {
    const { alice, bob, own, paidBefore, before } = await paidTwice()
    await chain.sendRawTransaction({ serializedTransaction: own })
    await lookFor(0.25)
    expect(await statusOf(alice)).toBe('confirmed')
    await useUpNoncesAfter(before)
    await lookFor(4)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await statusOf(bob)).toBe('confirmed')
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(paidBefore + AMOUNT)
  })

  it('a payment that failed beside that of somebody else is made again if the chain drops both', async () => {
    const { alice, own, paidBefore, before } = await paidTwice()
    await chain.mine({ blocks: 1 })
    await chain.sendRawTransaction({ serializedTransaction: own })
    // The relayer sees its own fail, but not yet how the nonce was used.
    nodeFails((body) => body.includes('eth_getLogs'), 'before')
    await lookFor(0.25)
    expect(await statusOf(alice)).toBe('submitted')
    vi.mocked(globalThis.fetch).mockRestore()
    await useUpNoncesAfter(before)
    await lookFor(4)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(paidBefore + AMOUNT)
  })

  it('a payment that somebody else alone has made is made by the relayer if the chain drops it', async () => {
    const alice = await depositor(0)
    const paidBefore = await tokenBalance(alice.account.address, 'USDG')
    const before = Number(await chain.getBlockNumber())
    await withdraw(alice)
    await payOutside(alice, AMOUNT, 0)
    expect(await endOutside(alice)).toBe('confirmed')
    await useUpNoncesAfter(before)
    await lookFor(3)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(paidBefore + AMOUNT)
  })

  it('a nonce that somebody else has burned is burned by the relayer if the chain drops that, and pays nothing', async () => {
    const alice = await depositor(0)
    const chips = await chipsOf(alice)
    const paidBefore = await tokenBalance(alice.account.address, 'USDG')
    const before = Number(await chain.getBlockNumber())
    await withdraw(alice)
    await burnOutside(alice, 0)
    await settle(alice)
    expect(await statusOf(alice)).toBe('failed')
    await useUpNoncesAfter(before)
    await lookFor(3)
    expect(await noncesUsed(alice)).toBe(1n)
    expect(await chipsOf(alice)).toBe(chips)
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(paidBefore)
  })

  it('a payment that somebody else has made is not made twice because a node lacks its block for a moment', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    const behind = await ask('evm_snapshot')
    await payOutside(alice, AMOUNT, 0)
    expect(await endOutside(alice)).toBe('confirmed')
    const sent = await sentByRelayer()
    await ask('evm_revert', behind)
    await lookFor(1)
    await payOutside(alice, AMOUNT, 0)
    await lookFor(3)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(sent)
  })

  it('a payment that somebody else has made is refunded if the chain has a burn in its place', async () => {
    const alice = await depositor(0)
    const chips = await chipsOf(alice)
    const before = Number(await chain.getBlockNumber())
    await withdraw(alice)
    await payOutside(alice, AMOUNT, 0)
    expect(await endOutside(alice)).toBe('confirmed')
    await dropBlocks(Number(await chain.getBlockNumber()) - before)
    await burnOutside(alice, 0)
    await settle(alice)
    await lookFor(2)
    expect(await statusOf(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(chips)
  })

  it('a payment of somebody else is not believed while the vault watch cannot read what the chain has since', async () => {
    const alice = await depositor(0)
    const chips = await chipsOf(alice)
    await withdraw(alice)
    await payOutside(alice, AMOUNT, 0)
    await vaultWatch(env, vaultConfig().id).look()
    await dropBlocks(1)
    await burnOutside(alice, 0)
    pass(10_000)
    nodeFails((body) => body.includes('eth_getLogs'), 'before')
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('pending')
    vi.mocked(globalThis.fetch).mockRestore()
    await settle(alice)
    await lookFor(2)
    expect(await statusOf(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(chips)
  })

  it('a payment of the relayer whose receipt came late is made once if the chain drops it', async () => {
    const alice = await depositor(0)
    const before = Number(await chain.getBlockNumber())
    await withdraw(alice)
    await work(alice, 1)
    nodeAnswers('eth_getTransactionReceipt', () => null)
    await look()
    await lookFor(2.5)
    vi.mocked(globalThis.fetch).mockRestore()
    expect(await endOutside(alice)).toBe('confirmed')
    await dropBlocks(Number(await chain.getBlockNumber()) - before)
    await lookFor(4)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await sentByRelayer()).toBe(1)
  })

  it('operators hear that a refunded withdrawal was paid with the relayer key of a third party', async () => {
    const alice = await depositor(0)
    const chips = await chipsOf(alice)
    await withdraw(alice)
    await asOwner('pause')
    expect(await workToEnd(alice)).toBe('failed')
    const pausedIn = Number(await chain.getBlockNumber()) - 1
    await useUpNoncesAfter(pausedIn)
    await asOwner('unpause')
    await payOutside(alice, AMOUNT, 0)
    leavesDifference('USDG', -AMOUNT)
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    for (let time = 0; time < 40; time++) {
      pass(60_000)
      await work(alice, 1)
      await chain.mine({ blocks: 1 })
    }
    expect(logged.mock.calls.join()).toContain('payout_paid_after_burn')
    expect(logged.mock.calls.join()).toContain('ended_withdrawal_contradicted')
    expect(await statusOf(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(chips)
  })
})
