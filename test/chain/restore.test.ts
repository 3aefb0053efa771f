import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ledger, vaultWatch } from '../../src/calls/objects.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { bringBack, goesBackTo, stateOf } from '../workers/ledger-states.ts'
import { order, setModes } from '../workers/operator.ts'
import { codeOf, now, pass, Player, ringLedger } from '../workers/support.ts'
import { restore } from './restored.ts'
import {
  ask,
  chipsOf,
  deposit,
  depositor,
  noncesUsed,
  statusOf,
  useChain,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const FIRST = 1_000_000_000n
const LATER = 500_000_000n
const PAID = 100_000_000n

/** Has the watch read everything again and report it. */
async function reportAgain({ wallet }: Player): Promise<void> {
  await vaultWatch(env, vaultConfig().id).tellAgain(wallet)
  await vaultWatch(env, vaultConfig().id).look()
}

describe('a restored ledger', () => {
  it('has each deposit once and uses no nonce of a withdrawal again', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await deposit(alice, 'USDG', LATER)
    expect(await chipsOf(alice)).toBe(FIRST + LATER)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')

    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    expect(await chipsOf(alice)).toBe(FIRST + LATER - PAID)
    await reportAgain(alice)
    await work(alice)
    expect(await chipsOf(alice)).toBe(FIRST + LATER - PAID)
    expect(codeOf(await withdraw(alice, { amountWei: 2n * PAID }))).toBe('nonce_mismatch')
    expect(await statusOf(alice)).toBe('confirmed')
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    expect(await workToEnd(alice, { nonce: 1 })).toBe('confirmed')
    expect(await noncesUsed(alice)).toBe(2n)
    expect(await chipsOf(alice)).toBe(FIRST + LATER - 2n * PAID)
  })

  it('ends a withdrawal that was in progress at the time it went back to', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    await withdraw(alice)
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    expect(await workToEnd(alice)).toBe('confirmed')
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    expect(await statusOf(alice)).toBe('confirmed')
    expect(await chipsOf(alice)).toBe(FIRST - PAID)
    await runDurableObjectAlarm(ledger(env, alice.wallet))
    expect(await chipsOf(alice)).toBe(FIRST - PAID)
  })

  it('has the deposit that D1 had not heard of when the platform restored it', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    const state = await stateOf(alice.wallet)
    await deposit(alice, 'USDG', LATER)
    await chipsOf(alice)
    pass(300_000)
    await ringLedger(alice)
    await deposit(alice, 'USDG', 3n * LATER)
    expect(await chipsOf(alice)).toBe(FIRST + 4n * LATER)
    await bringBack(alice.wallet, state)
    await restore(alice)
    expect(await chipsOf(alice)).toBe(FIRST + 4n * LATER)
  })

  it('still lacks a deposit that was missing before, and the house bears it once it is written off', async () => {
    const alice = await depositor(0, 'USDG', FIRST)
    await deposit(alice, 'ETH', 7n)
    await chipsOf(alice, 'ETH')
    const state = await stateOf(alice.wallet)
    const time = now()
    pass(1_000)
    await ask('anvil_reorg', 1, [])
    await chipsOf(alice, 'ETH')
    const before = await ledger(env, alice.wallet).standing(0)
    await goesBackTo(alice.wallet, state)
    await restore(alice, time)
    expect((await ledger(env, alice.wallet).standing(0)).balances).toEqual(before.balances)
    await order('write-off', alice.wallet)
    const { chips, house } = (await ledger(env, alice.wallet).standing(0)).balances.ETH
    expect([chips, house]).toEqual([7n, -7n])
  })

  it('that neither it nor D1 knows anything of is not restored', async () => {
    const { wallet } = new Player(3)
    await setModes(`wallet:${wallet}=closed`)
    pass(LAST_KNOWN_MS)
    const { body } = await order('restore', wallet)
    expect(body.act.result).toMatchObject({ isDone: false })
  })
})
