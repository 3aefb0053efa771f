import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { partnerAccounts } from '../../durable-objects/treasury/partner-accounts.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { DAY_MS, dateOf, dayAt } from '../../src/core/utc-day.ts'
import { daybook, partnerLimit } from '../../src/objects.ts'
import { Platform } from './partner.ts'
import { fundedPlayer, now, pass, ringLedger, setTime, useStories } from './support.ts'

useStories()

const demo = new Platform(DEV_PARTNER)
const other = new Platform(OTHER_DEV_PARTNER)

/** The balances of both partners in USDG: their debits less their credits. */
const balances = async () => {
  const { USDG } = await partnerAccounts(env)
  return USDG.map(({ balanceWei }) => balanceWei)
}

async function countDay(): Promise<void> {
  const day = dateOf(now())
  setTime(Date.parse(day) + DAY_MS + 900_000)
  await daybook(env).sweep()
  await runDurableObjectAlarm(daybook(env))
}

it('a partner’s account has a credit at once, a debit within minutes, and both once, however they are counted', async () => {
  await daybook(env).sweep()
  const alice = await fundedPlayer(0)
  const bob = await fundedPlayer(1)
  await other.transact(bob, '2')
  expect(await balances()).toEqual([0n, -2_000_000n])
  await demo.transact(alice, '-1.5')
  expect(await balances()).toEqual([0n, -2_000_000n])
  pass(300_000)
  for (const player of [alice, bob]) await ringLedger(player)
  expect(await balances()).toEqual([1_500_000n, -2_000_000n])
  // A count of the day that has not ended leaves the day to the limits.
  expect(await daybook(env).count(dateOf(now()))).toBeNull()
  await runDurableObjectAlarm(daybook(env))
  expect(await balances()).toEqual([1_500_000n, -2_000_000n])
  await countDay()
  expect((await daybook(env).closedPartners()).next).toBe(dayAt(now()))
  await other.transact(bob, '0.5')
  expect(await balances()).toEqual([1_500_000n, -2_500_000n])
})

it('accounts stay as they are while the books are days behind, and when a report arrives that late', async () => {
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
