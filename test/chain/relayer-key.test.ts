import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { sweep } from '../../src/sweep.ts'
import { now, pass, watch, type Player } from '../workers/support.ts'
import { account, privateKeyOf, RELAYER } from './accounts.ts'
import {
  ask,
  chain,
  depositor,
  FIRST,
  look,
  record,
  setVars,
  statusOf,
  theRelayer,
  tokenBalance,
  useChain,
  vault,
  withdraw,
  work,
  write,
} from './support.ts'

useChain()

const NEXT = account(5)
const TWO_DAYS_MS = 2 * 86_400_000
const LOST_MS = 120_000

/** Deploys the service again with the new key. */
const changeKey = () => setVars(theRelayer(), { RELAYER_PRIVATE_KEY: privateKeyOf(NEXT) })

/** The owner announces the new account and completes the change after the delay. */
async function announce(): Promise<void> {
  await write(vault, 'announceRelayer', [NEXT.address])
  pass(TWO_DAYS_MS)
  // On a busy machine, the chain's clock has run ahead of the driven one.
  const { timestamp } = await chain.getBlock()
  await ask('evm_setNextBlockTimestamp', Number(timestamp) + TWO_DAYS_MS / 1_000)
  await chain.mine({ blocks: 1 })
}

const takeOver = () => write(vault, 'takeOverAsRelayer', [], NEXT)

describe('an announced relayer', () => {
  /** Has the service read a block made at a time, and returns what everyone is shown. */
  const shownAt = async (ms: number) => {
    await ask('evm_setNextBlockTimestamp', ms / 1_000)
    await chain.mine({ blocks: 1 })
    pass(60_000)
    await sweep(env)
    pass(15_000)
    return (await watch()).config.chain.nextRelayer
  }

  const headAt = async () => Number((await chain.getBlock()).timestamp) * 1_000

  it('is shown to everyone until its announcement lapses', async () => {
    expect(await shownAt((await headAt()) + 1_000)).toBeNull()
    await write(vault, 'announceRelayer', [NEXT.address])
    const from = (await headAt()) + TWO_DAYS_MS
    const window = await chain.readContract({ ...vault, functionName: 'RELAYER_WINDOW' })
    const until = from + Number(window) * 1_000
    const announced = { address: NEXT.address, from, until }
    expect(await shownAt((await headAt()) + 1_000)).toEqual(announced)
    expect(await shownAt(until)).toEqual(announced)
    expect(await shownAt(until + 1_000)).toBeNull()
  })

  it('is no longer announced once it has taken over', async () => {
    await announce()
    expect(await shownAt((await headAt()) + 1_000)).toMatchObject({ address: NEXT.address })
    await takeOver()
    expect(await shownAt((await headAt()) + 1_000)).toBeNull()
  })
})

describe('the relayer with a new key', () => {
  let alice: Player

  beforeEach(async () => {
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
    alice = await depositor(0)
    for (const nonce of [0, 1]) {
      await withdraw(alice, { nonce })
      await work(alice)
      expect(await statusOf(alice, { nonce })).toBe('confirmed')
    }
    await announce()
  })

  it('pays with the nonces of its own account, whatever nonces the old one has used', async () => {
    await takeOver()
    await changeKey()
    const before = await tokenBalance(alice.account.address, 'USDG')
    await withdraw(alice, { nonce: 2 })
    await work(alice, 3)
    expect(await statusOf(alice, { nonce: 2 })).toBe('confirmed')
    expect((await tokenBalance(alice.account.address, 'USDG')) - before).toBe(100_000_000n)
  })

  it('waits without giving up any payout until the vault accepts it as its relayer', async () => {
    await changeKey()
    await withdraw(alice, { nonce: 2 })
    await work(alice, 4)
    expect(await statusOf(alice, { nonce: 2 })).toBe('pending')
    await takeOver()
    await work(alice, 10)
    expect(await statusOf(alice, { nonce: 2 })).toBe('confirmed')
  })

  it('confirms the transactions that the old key has sent', async () => {
    await chain.setAutomine(false)
    await withdraw(alice, { nonce: 2 })
    await work(alice, 1)
    await changeKey()
    await work(alice, 12)
    expect(await statusOf(alice, { nonce: 2 })).toBe('submitted')
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await work(alice, 2)
    expect(await statusOf(alice, { nonce: 2 })).toBe('confirmed')
  })

  it.each([
    ['the old key still follows', async () => work(alice, 2)],
    ['the new key finds', async () => {}],
  ])('pays what the vault refused after the takeover, which %s', async (_who, then) => {
    const before = await tokenBalance(alice.account.address, 'USDG')
    await chain.setAutomine(false)
    await withdraw(alice, { nonce: 2 })
    await work(alice, 1)
    expect(await statusOf(alice, { nonce: 2 })).toBe('submitted')
    // Its fees are higher, so it comes first in the block that also has the payment.
    await chain.writeContract({
      ...vault,
      account: NEXT,
      functionName: 'takeOverAsRelayer',
      ...FIRST,
    })
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await then()
    await changeKey()
    await work(alice, 10)
    expect(await statusOf(alice, { nonce: 2 })).toBe('confirmed')
    expect((await tokenBalance(alice.account.address, 'USDG')) - before).toBe(100_000_000n)
  })

  it('sends a house result again that the old key has signed, however old, as later nonces wait for it', async () => {
    await chain.setAutomine(false)
    await record('7')
    await look()
    await withdraw(alice, { nonce: 2 })
    await work(alice, 1)
    await ask('anvil_dropAllTransactions')
    await chain.setAutomine(true)
    await changeKey()
    pass(600_000)
    await work(alice, 4)
    expect(await statusOf(alice, { nonce: 2 })).toBe('confirmed')
  })

  it('pays the withdrawals that the old key has sent but has no gas to finish', async () => {
    const before = await tokenBalance(alice.account.address, 'USDG')
    await chain.setAutomine(false)
    await withdraw(alice, { nonce: 2 })
    await work(alice, 1)
    expect(await statusOf(alice, { nonce: 2 })).toBe('submitted')
    await ask('anvil_dropAllTransactions')
    await chain.setBalance({ address: RELAYER.address, value: 0n })
    await chain.setAutomine(true)
    await changeKey()
    pass(LOST_MS)
    await work(alice, 4)
    expect(await statusOf(alice, { nonce: 2 })).toBe('submitted')
    await takeOver()
    await work(alice, 4)
    expect(await statusOf(alice, { nonce: 2 })).toBe('confirmed')
    expect((await tokenBalance(alice.account.address, 'USDG')) - before).toBe(100_000_000n)
  })
})
