import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { partnerAccounts } from '../../durable-objects/treasury/partner-accounts.ts'
import { daybook, partnerLimit } from '../../src/calls/objects.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { DAY_MS, dateOf, dayAt } from '../../src/core/utc-day.ts'
import { owedToPartners } from '../../src/money/bankroll.ts'
import { Platform } from './partner.ts'
import { fundedPlayer, now, pass, ringLedger, setTime, useStories, type Player } from './support.ts'

useStories()

const demo = new Platform(DEV_PARTNER)
const other = new Platform(OTHER_DEV_PARTNER)

/** The balances of both partners in USDG: their debits less their credits. */
const balances = async () => {
  const { USDG } = await partnerAccounts(env)
  return USDG.map(({ balanceWei }) => balanceWei)
}

async function reported(...players: Player[]): Promise<void> {
  pass(300_000)
  for (const player of players) await ringLedger(player)
}

it('a partner’s account has a credit at once, and a debit within minutes', async () => {
  const alice = await fundedPlayer(0)
  const bob = await fundedPlayer(1)
  await other.transact(bob, '2')
  expect(await balances()).toEqual([0n, -2_000_000n])
  await demo.transact(alice, '-1.5')
  expect(await balances()).toEqual([0n, -2_000_000n])
  await reported(alice, bob)
  expect(await balances()).toEqual([1_500_000n, -2_000_000n])
  pass(3 * DAY_MS)
  await other.transact(bob, '0.5')
  expect(await balances()).toEqual([1_500_000n, -2_500_000n])
})

it('a partner’s account has every debit of a day, also those after the first report', async () => {
  const alice = await fundedPlayer(0)
  for (const debitedWei of [1_000_000n, 2_000_000n]) {
    await demo.transact(alice, '-1')
    await reported(alice)
    expect(await balances()).toEqual([debitedWei, 0n])
  }
})

it('a debit that is rolled back the next day is owed to the house at once if it was paid for', async () => {
  const alice = await fundedPlayer(0)
  await demo.transact(alice, '-100', { partnerTransactionId: 'stake' })
  await reported(alice)
  pass(DAY_MS - 3_600_000)
  expect((await demo.rollBack(alice, 'stake')).status).toBe(200)
  const { USDG } = await partnerAccounts(env)
  expect(USDG[0]?.balanceWei).toBe(0n)
  const paid = { balanceWei: 0n, settledWei: 100_000_000n }
  const third = { balanceWei: 100_000_000n, settledWei: 0n }
  expect(owedToPartners(100_000_000n, [paid, third])).toBe(100_000_000n)
})

it('a credit that is rolled back just before the second midnight after it is owed no more', async () => {
  const bob = await fundedPlayer(1)
  setTime(Date.parse(dateOf(now())) + DAY_MS - 30_000)
  await other.transact(bob, '2', { partnerTransactionId: 'win' })
  await reported(bob)
  pass(DAY_MS - 360_000)
  expect((await other.rollBack(bob, 'win')).status).toBe(200)
  await reported(bob)
  expect(await balances()).toEqual([0n, 0n])
  pass(DAY_MS)
  await other.transact(bob, '3')
  expect(await balances()).toEqual([0n, -3_000_000n])
})

it('a credit that is rolled back the next day is owed no more', async () => {
  const bob = await fundedPlayer(1)
  await other.transact(bob, '2', { partnerTransactionId: 'win' })
  pass(DAY_MS - 3_600_000)
  expect((await other.rollBack(bob, 'win')).status).toBe(200)
  await reported(bob)
  expect(await balances()).toEqual([0n, 0n])
})

it('a partner that was removed from the configuration keeps its account once the books know it', async () => {
  setTime(Date.parse(dateOf(now())) + 3_600_000)
  await daybook(env).sweep()
  const bob = await fundedPlayer(1)
  await other.transact(bob, '2')
  await reported(bob)
  setTime(Date.parse(dateOf(now())) + DAY_MS + 900_000)
  await daybook(env).sweep()
  await runDurableObjectAlarm(daybook(env))
  const { PARTNERS, ...rest } = env
  const { [OTHER_DEV_PARTNER.id]: _, ...others } = PARTNERS as unknown as Record<string, object>
  const { USDG } = await partnerAccounts({ ...rest, PARTNERS: others })
  expect(USDG.map(({ balanceWei }) => balanceWei)).toEqual([0n, -2_000_000n])
})

it('accounts stay as they are when a report arrives days late', async () => {
  await daybook(env).sweep()
  const bob = await fundedPlayer(1)
  await other.transact(bob, '2')
  const limit = partnerLimit(env, OTHER_DEV_PARTNER.id)
  const day = dayAt(now())
  const report = { wallet: bob.wallet, token: 'USDG', day, debitedWei: 500_000n } as const
  await limit.debited(report)
  pass(3 * DAY_MS)
  for (let times = 0; times < 3; times++) await limit.debited(report)
  expect(await balances()).toEqual([0n, -1_500_000n])
})
