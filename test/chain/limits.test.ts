import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ask, setLimit } from '../workers/limits.ts'
import { outcomeOf, pass, Player } from '../workers/support.ts'
import { actOnBox, deployBoxContracts, sellBoxes } from './boxes.ts'
import { asOwner, deposit, useChain, withdraw, work, workToEnd } from './support.ts'

useChain()

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

const DEPOSIT = 1_000_000_000n
const alice = new Player(0)

/** What alice has in USDG: her chips, and what is in quarantine. */
async function held(): Promise<bigint[]> {
  pass(2_000)
  const { chips, quarantine } = (await alice.state()).body.me
  return [BigInt(chips.USDG), BigInt(quarantine.USDG)]
}

describe('a deposit above its player’s limit', () => {
  beforeEach(async () => {
    await setLimit(alice, 'deposit', '400000000')
    await deposit(alice, 'USDG', DEPOSIT)
  })

  it('is withdrawn from quarantine first', async () => {
    expect(await held()).toEqual([400_000_000n, 600_000_000n])
    const first = { amountWei: 500_000_000n }
    await withdraw(alice, first)
    expect(await workToEnd(alice, first)).toBe('confirmed')
    expect(await held()).toEqual([400_000_000n, 100_000_000n])
    const rest = { amountWei: 500_000_000n, nonce: 1 }
    await withdraw(alice, rest)
    expect(await workToEnd(alice, rest)).toBe('confirmed')
    expect(await held()).toEqual([0n, 0n])
  })

  it('returns to quarantine when its withdrawal fails, and never becomes chips', async () => {
    expect(await held()).toEqual([400_000_000n, 600_000_000n])
    const order = { amountWei: 700_000_000n }
    await withdraw(alice, order)
    expect(await held()).toEqual([300_000_000n, 0n])
    await asOwner('pause')
    await work(alice, 1)
    expect(await workToEnd(alice, order)).toBe('failed')
    expect(await held()).toEqual([400_000_000n, 600_000_000n])
  })

  it('is withdrawn by an excluded player', async () => {
    await held()
    await ask(alice, 'exclude', { days: null })
    const all = { amountWei: DEPOSIT }
    await withdraw(alice, all)
    expect(await workToEnd(alice, all)).toBe('confirmed')
  })
})

it('an excluded player is sold no box', async () => {
  await deployBoxContracts()
  await sellBoxes([{ bps: 10_000, prize: 1n }])
  const buy = (player: Player) => actOnBox('buy', { kind: 0, wallet: player.wallet })
  await ask(alice, 'exclude', { days: 1 })
  expect(outcomeOf(await buy(alice))).toEqual([403, 'excluded'])
  expect(outcomeOf(await buy(new Player(1)))).toEqual([200, undefined])
  expect(outcomeOf(await actOnBox('buy', { kind: 0 }))).toEqual([200, undefined])
})
