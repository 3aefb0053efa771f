import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger, treasury, vaultWatch } from '../../src/calls/objects.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { entriesOf } from '../workers/journals.ts'
import { goesBackTo, stateOf } from '../workers/ledger-states.ts'
import { order, setModes } from '../workers/operator.ts'
import { now, pass, Player, ringLedger } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { dropBlocks } from './dropped.ts'
import { burnOutside, payOutside } from './outside.ts'
import {
  ask,
  asOwner,
  chain,
  chipsOf,
  depositor,
  fundHouse,
  leavesDifference,
  look,
  sentByRelayer,
  statusOf,
  theRelayer,
  useChain,
  vaultConfig,
  withdraw,
  workToEnd,
} from './support.ts'

useChain()

const DEPOSIT = 1_000_000_000n
const AMOUNT = 100_000_000n

/** Does what the cron handler does for the vault, minute by minute, and the alarms of some players' ledgers. */
async function minutes(count: number, ...players: Player[]): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    pass(60_000)
    for (const player of players) await ringLedger(player)
    await vaultWatch(env, vaultConfig().id).catchUp()
    await ledger(env, HOUSE).sendPosition()
    await treasury(env, vaultConfig().id).count()
  }
}

/** Passes the time after which the chain can't change what is in its blocks. */
async function settle(...players: Player[]): Promise<void> {
  await minutes(2, ...players)
  await chain.mine({ blocks: 1 })
  await minutes(33, ...players)
}

/** Has two operators say that the vault has paid with a nonce. Returns the act's result. */
async function confirm(player: Player, nonce = 0) {
  return (await order('confirm-withdrawal', `${player.wallet}:${nonce}`)).body.act.result
}

const balancesOf = async (player: Player) => {
  const audit = await ledger(env, player.wallet).verify()
  if (!audit.ok) throw new Error(audit.problem)
  return audit.balances.USDG
}

/** Whether the treasury counts the bankroll, and nothing differs. */
async function isInOrder(): Promise<boolean> {
  const counted = await treasury(env, vaultConfig().id).count()
  const found = await treasury(env, vaultConfig().id).reconciliation()
  return counted.ok && found?.drifts.length === 0
}

let alice: Player
let thief: Player
beforeEach(async () => {
  await fundHouse('USDG', DEPOSIT)
  alice = await depositor(0)
  thief = new Player(5)
  await minutes(1, alice)
})

describe('a payment that no ledger has ordered', () => {
  it('stops the count of the bankroll until operators have it booked for the house', async () => {
    await payOutside(thief, AMOUNT, 0)
    await settle(alice)
    expect(await isInOrder()).toBe(false)
    expect(await confirm(thief)).toMatchObject({ isDone: true })
    await minutes(8, alice, thief)
    expect(await isInOrder()).toBe(true)
    const { vault: paid, house, chips } = await balancesOf(thief)
    expect([paid, house, chips]).toEqual([`${AMOUNT}`, `${-AMOUNT}`, '0'])
    expect(await treasury(env, vaultConfig().id).bankroll()).toMatchObject({
      USDG: DEPOSIT - AMOUNT,
    })
  })

  it('is booked once, however often operators order it', async () => {
    await payOutside(thief, AMOUNT, 0)
    await settle(alice)
    const id = vaultConfig().id
    const act = () => ledger(env, thief.wallet).resolveWithdrawal(id, 0, 'confirmed', 'act:1')
    expect(await Promise.all([act(), act()])).toEqual([null, null])
    expect(await act()).toBeNull()
    expect(await confirm(thief)).toMatchObject({ isDone: false })
    expect((await balancesOf(thief))?.['house']).toBe(`${-AMOUNT}`)
    const entries = await entriesOf(ledger(env, thief.wallet))
    expect(entries.filter(({ postings }) => postings.length > 0)).toMatchObject([
      { operationId: `resolve:${id}:0:act:1` },
    ])
  })

  it("uses up the player's nonces up to the vault's, without paying twice what was signed for one", async () => {
    await burnOutside(alice, 0)
    await payOutside(alice, AMOUNT, 1)
    await burnOutside(alice, 2)
    await settle(alice)
    expect(await confirm(alice, 1)).toMatchObject({ isDone: true })
    expect((await withdraw(alice, { nonce: 1 })).body.error).toMatchObject({
      code: 'nonce_mismatch',
      details: { expected: 3 },
    })
    // The drift has paused them.
    await order('mode', 'withdrawals=open')
    await minutes(6, alice)
    expect((await withdraw(alice, { nonce: 3 })).status).toBe(200)
    expect(await workToEnd(alice, { nonce: 3 })).toBe('confirmed')
    expect(await chipsOf(alice)).toBe(DEPOSIT - AMOUNT)
    const { house, vault: net } = await balancesOf(alice)
    expect([house, net]).toEqual([`${-AMOUNT}`, `${2n * AMOUNT - DEPOSIT}`])
  })

  it('is not booked while the chain may still undo it, nor for a nonce that was burned', async () => {
    await payOutside(thief, AMOUNT, 0)
    await burnOutside(thief, 1)
    await minutes(2, alice)
    expect(await confirm(thief)).toMatchObject({
      isDone: false,
      message: expect.stringContaining('half an hour'),
    })
    await settle(alice)
    expect(await confirm(thief, 1)).toMatchObject({ isDone: false })
    expect(await confirm(thief, 2)).toMatchObject({ isDone: false })
    expect((await order('release-withdrawal', `${thief.wallet}:0`)).body.act.result).toMatchObject({
      isDone: false,
    })
    expect(await confirm(thief)).toMatchObject({ isDone: true })
  })

  it('is not booked before an earlier withdrawal of the wallet has ended', async () => {
    await payOutside(alice, AMOUNT / 2n, 0)
    await payOutside(alice, AMOUNT / 2n, 1)
    await withdraw(alice)
    await settle(alice)
    expect(await confirm(alice, 1)).toMatchObject({ isDone: false })
    expect(await confirm(alice, 0)).toMatchObject({ isDone: true })
    expect(await confirm(alice, 1)).toMatchObject({ isDone: true })
    await minutes(8, alice)
    expect(await isInOrder()).toBe(true)
    expect(await chipsOf(alice)).toBe(DEPOSIT - AMOUNT)
  })

  it('is not booked if the service has made it, and the ledger has lost that', async () => {
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    await settle(alice)
    const kind = 'withdrawal' as const
    const paid = { kind, vaultId: vaultConfig().id, player: alice.wallet, token: 'USDG' as const }
    const unordered = { ...paid, amountWei: `${AMOUNT}`, nonce: 0, signature: '', isSmall: false }
    expect(await theRelayer().closePayout(unordered, 'confirmed', 'act:1')).toMatchObject({
      error: { message: expect.stringContaining('Restore the ledger') },
    })
  })
})

describe('a withdrawal that was paid after its refund', () => {
  it('is booked for the house by operators, and stays refunded', async () => {
    const chips = await chipsOf(alice)
    await withdraw(alice)
    await asOwner('pause')
    expect(await workToEnd(alice)).toBe('failed')
    const sent = await sentByRelayer()
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    while ((await sentByRelayer()) < sent) {
      await chain.sendTransaction({ account: RELAYER, to: RELAYER.address, value: 1n })
    }
    await asOwner('unpause')
    await payOutside(alice, AMOUNT, 0)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    for (let time = 0; time < 6; time++) {
      await look()
      await minutes(1, alice)
    }
    await settle(alice)
    expect(await isInOrder()).toBe(false)
    const [before, beforeAt] = [await stateOf(alice.wallet), now()]
    pass(1_000)
    expect(await confirm(alice)).toMatchObject({ isDone: true })
    expect(await confirm(alice)).toMatchObject({ isDone: false })
    await minutes(8, alice)
    expect(await isInOrder()).toBe(true)
    expect([await statusOf(alice), await chipsOf(alice)]).toEqual(['failed', chips])
    expect((await balancesOf(alice))?.['house']).toBe(`${-AMOUNT}`)

    // A ledger that went back to before the act would credit once more what it books.
    await goesBackTo(alice.wallet, before)
    await setModes(`wallet:${alice.wallet}=closed`)
    pass(LAST_KNOWN_MS)
    const time = isoTime(beforeAt).replace(/\.\d+Z$/, 'Z')
    const { result } = (await order('restore', `${alice.wallet}@${time}`)).body.act
    expect(result).toMatchObject({ isDone: false, message: expect.stringContaining('by hand') })
    leavesDifference('USDG', -AMOUNT)
  })

  it('is booked once too if operators had released it unpaid, and the chain dropped the burn', async () => {
    const chips = await chipsOf(alice)
    await burnOutside(alice, 0)
    await withdraw(alice)
    const released = await order('release-withdrawal', `${alice.wallet}:0`)
    expect(released.body.act.result).toMatchObject({ isDone: true })
    await dropBlocks(1)
    await payOutside(alice, AMOUNT, 0)
    await settle(alice)
    expect(await isInOrder()).toBe(false)
    expect(await confirm(alice)).toMatchObject({ isDone: true })
    pass(1_000)
    expect(await confirm(alice)).toMatchObject({ isDone: false })
    await minutes(8, alice)
    expect(await isInOrder()).toBe(true)
    expect([await statusOf(alice), await chipsOf(alice)]).toEqual(['failed', chips])
    expect((await balancesOf(alice))?.['house']).toBe(`${-AMOUNT}`)
  })
})
