import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { Ledger } from '../../durable-objects/ledger.ts'
import { control, vaultWatch } from '../../src/calls/objects.ts'
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
  fundHouse,
  mined,
  useChain,
  vaultConfig,
} from './support.ts'

useChain()

const FIRST = 1_000_000_000n
const LATER = 500_000_000n

/** The chips from both deposits. A player keeps them, even if one is missing. */
const BOTH = FIRST + LATER

/** Has the chain drop its newest transaction for a player. */
async function drop(player: Player, hash: Hex): Promise<Hex> {
  const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
  await dropBlocks(1)
  await chain.mine({ blocks: 1 })
  await chipsOf(player)
  return raw
}

async function mineAgain(player: Player, raw: Hex): Promise<void> {
  await mined(chain.sendRawTransaction({ serializedTransaction: raw }))
  await chipsOf(player)
}

interface Lost {
  alice: Player
  /** Of the ledger before the later deposit, and its time. */
  state: Awaited<ReturnType<typeof stateOf>>
  time: number
  raw: Hex
}

/** Has a player deposit twice, and the chain drop the second deposit. */
async function lostDeposit(): Promise<Lost> {
  const alice = await depositor(0, 'USDG', FIRST)
  pass(60_000)
  const [state, time] = [await stateOf(alice.wallet), now()]
  pass(1_000)
  const hash = await deposit(alice, 'USDG', LATER)
  expect(await chipsOf(alice)).toBe(BOTH)
  const raw = await drop(alice, hash)
  pass(1_000)
  return { alice, state, time, raw }
}

describe('a ledger that is restored after a deposit was written off has the house bear it', () => {
  it('no more if it had returned, though it is missing again', async () => {
    const { alice, state, time, raw } = await lostDeposit()
    await order('write-off', alice.wallet)
    await mineAgain(alice, raw)
    expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: 0n })
    await dropBlocks(1)
    await chain.mine({ blocks: 1 })
    await chipsOf(alice)
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    await mineAgain(alice, raw)
    expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: 0n })
  })

  it('no more if it had returned, though only D1 knows the ledger', async () => {
    const { alice, state, raw } = await lostDeposit()
    await order('write-off', alice.wallet)
    await mineAgain(alice, raw)
    expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: 0n })
    pass(3_600_000)
    await ringLedger(alice)
    await bringBack(alice.wallet, state)
    await restore(alice)
    expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: 0n })
  })

  it('once, though the act that did so had no result yet', async () => {
    const { alice, state, time } = await lostDeposit()
    const noting = vi.spyOn(Ledger.prototype, 'writtenOff').mockRejectedValue(new Error('down'))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await order('write-off', alice.wallet)
    expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: -LATER })
    pass(1_000)
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    noting.mockRestore()
    await runDurableObjectAlarm(control(env))
    expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: -LATER })
  })
})

it('a restored ledger lacks a deposit that the chain has dropped since it went back', async () => {
  await fundHouse('USDG', 2_000_000_000n)
  const alice = await depositor(0, 'USDG', FIRST)
  const state = await stateOf(alice.wallet)
  const hash = await deposit(alice, 'USDG', LATER)
  await chipsOf(alice)
  pass(3_600_000)
  await ringLedger(alice)
  await bringBack(alice.wallet, state)
  const raw = await drop(alice, hash)
  await restore(alice)
  const { body } = await order('write-off', alice.wallet)
  expect(body.act.result).toMatchObject({ isDone: true })
  expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: -LATER })
  await mineAgain(alice, raw)
  expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: 0n })
})

it('a restored ledger gets no chips for a deposit that the chain dropped before any ledger heard of it', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const alice = await depositor(0, 'USDG', FIRST)
  pass(60_000)
  const [state, time] = [await stateOf(alice.wallet), now()]
  pass(1_000)
  const hash = await deposit(alice, 'USDG', LATER)
  const telling = vi.spyOn(Ledger.prototype, 'takeVaultTransaction')
  telling.mockRejectedValue(new Error('down'))
  pass(2_000)
  await vaultWatch(env, vaultConfig().id).look()
  expect(telling).toHaveBeenCalled()
  telling.mockRestore()
  const raw = await drop(alice, hash)
  pass(20_000)
  expect(await vaultWatch(env, vaultConfig().id).look()).toBe(true)
  await goesBackTo(alice.wallet, state)
  await restore(alice, time)
  const { body } = await order('write-off', alice.wallet)
  expect(body.act.result).toMatchObject({ isDone: false })
  expect(await chipsAndHouse(alice)).toEqual({ chips: FIRST, house: 0n })
  await mineAgain(alice, raw)
  expect(await chipsAndHouse(alice)).toEqual({ chips: BOTH, house: 0n })
})
