import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { bringBack, goesBackTo, stateOf } from '../workers/ledger-states.ts'
import { order } from '../workers/operator.ts'
import { now, pass, ringLedger, type Player } from '../workers/support.ts'
import { dropBlocks } from './dropped.ts'
import { chipsAndHouse, restore } from './restored.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  depositor,
  mined,
  useChain,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const FIRST = 1_000_000_000n
const LATER = 500_000_000n
const PAID = 100_000_000n

/** Returns a player whose ledger has gone back to before a payment, so that it takes the same nonce again. */
async function forgetfulDepositor(): Promise<Player> {
  const player = await depositor(0, 'USDG', FIRST)
  const state = await stateOf(player.wallet)
  await withdraw(player, { amountWei: 3n * PAID })
  expect(await workToEnd(player, { amountWei: 3n * PAID })).toBe('confirmed')
  pass(300_000)
  await ringLedger(player)
  await bringBack(player.wallet, state)
  return player
}

describe('a restored ledger', () => {
  it('has the deposits that it lost before it went on for a while', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    const state = await stateOf(alice.wallet)
    await deposit(alice, 'USDG', LATER)
    await chipsOf(alice)
    await deposit(alice, 'USDG', LATER)
    await chipsOf(alice)
    pass(3_600_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    await deposit(alice, 'USDG', PAID)
    await chipsOf(alice)
    await restore(alice)
    expect(await chipsOf(alice)).toBe(FIRST + 2n * LATER + PAID)
  })

  it('has the house bear a deposit that was written off once', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    pass(60_000)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await ask('anvil_reorg', 1, [])
    await chipsOf(alice)
    await order('write-off', alice.wallet)
    const known = await chipsAndHouse(alice)
    expect(known).toEqual({ chips: FIRST, house: -FIRST })
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    await order('write-off', alice.wallet)
    expect(await chipsAndHouse(alice)).toEqual(known)
  })

  it('returns a deposit to the house that was written off after the time to which it goes back', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    pass(60_000)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    const hash = await deposit(alice, 'USDG', LATER)
    expect(await chipsOf(alice)).toBe(FIRST + LATER)
    const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
    await dropBlocks(1)
    await chain.mine({ blocks: 1 })
    await chipsOf(alice)
    await order('write-off', alice.wallet)
    expect(await chipsAndHouse(alice)).toEqual({ chips: FIRST + LATER, house: -LATER })
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    expect(await chipsAndHouse(alice)).toEqual({ chips: FIRST + LATER, house: -LATER })
    await mined(chain.sendRawTransaction({ serializedTransaction: raw }))
    await chipsOf(alice)
    expect(await chipsAndHouse(alice)).toEqual({ chips: FIRST + LATER, house: 0n })
  })

  it('has the house bear nothing but what was written off', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    const early = await deposit(alice, 'USDG', PAID)
    const before = (await chain.getBlockNumber()) - 1n
    await deposit(alice, 'USDG', LATER)
    const chips = FIRST + PAID + LATER
    expect(await chipsOf(alice)).toBe(chips)
    pass(60_000)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    const raw = (await ask('eth_getRawTransactionByHash', early)) as Hex
    await dropBlocks(1)
    await chain.mine({ blocks: 1 })
    await chipsOf(alice)
    await order('write-off', alice.wallet)
    await dropBlocks(Number((await chain.getBlockNumber()) - before))
    await chain.mine({ blocks: 1 })
    await chipsOf(alice)
    const known = await chipsAndHouse(alice)
    expect(known).toEqual({ chips, house: -LATER })
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    expect(await chipsAndHouse(alice)).toEqual(known)
    expect((await withdraw(alice, { amountWei: PAID })).body).toMatchObject({
      error: { code: 'chain_unavailable' },
    })
    await mined(chain.sendRawTransaction({ serializedTransaction: raw }))
    await chipsOf(alice)
    expect(await chipsAndHouse(alice)).toEqual(known)
  })

  it('books what was paid with a nonce that its player has used twice', async () => {
    const alice = await forgetfulDepositor()
    expect((await withdraw(alice, { amountWei: PAID })).status).toBe(200)
    await work(alice)
    await restore(alice)
    expect(await chipsOf(alice)).toBe(FIRST - 3n * PAID)
  })

  it('is restored by no act on a withdrawal: one whose nonce has paid another is not refunded', async () => {
    const alice = await forgetfulDepositor()
    await withdraw(alice, { amountWei: PAID })
    await work(alice)
    const { act } = (await order('release-withdrawal', `${alice.wallet}:0`)).body
    expect(act.result).toMatchObject({ isDone: false })
    expect(await chipsAndHouse(alice)).toEqual({ chips: FIRST - PAID, house: 0n })
    await restore(alice)
    expect(await chipsAndHouse(alice)).toEqual({ chips: FIRST - 3n * PAID, house: 0n })
  })
})
