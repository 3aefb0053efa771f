import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { loadConfig } from '../../../src/config/load.ts'
import { isRefusal } from '../../../src/core/refusal.ts'
import { flightMs, multiplierAt } from '../../../src/crash/curve.ts'
import { limitsOf, planRound } from '../../../src/crash/plan.ts'
import { Round, type RoundRecord } from '../../../src/crash/round.ts'
import { largestStake, withinTable } from '../../../src/crash/stakes.ts'
import { payoutOf } from '../../../src/money/multiplier.ts'
import { LIMITS, OPENED_AT, placement, recordOf, rules, TAKEOFF_AT } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

/** A round with a limit and a lowest forced multiplier, with a late crash. */
function tableOf(maxRoundPayout: bigint, minForcedMultiplier: number): Round {
  const record = recordOf('committed', 50_000)
  const token = { min: '1', max: `${10n ** 30n}`, maxPayout: `${10n ** 30n}` }
  const limits = { ...token, maxRoundPayout: maxRoundPayout.toString() }
  const plan = { ...record.plan, minForcedMultiplier, limits: { ETH: limits, USDG: limits } }
  return new Round({ ...record, plan } satisfies RoundRecord, [])
}

function place(round: Round, wallet: string, amountWei: bigint, autoCashout: number | null = null) {
  return round.place(placement({ wallet, amountWei, autoCashout }), OPENED_AT)
}

/** The stake that a refusal suggests. */
function mostOf(round: Round, wallet: string, amountWei: bigint): bigint {
  const refused = place(round, wallet, amountWei)
  if (!isRefusal(refused)) throw new Error('the stake was taken')
  expect(refused.error.code).toBe('payout_limit')
  const { maxAmountWei } = refused.error.details as { maxAmountWei: string }
  return BigInt(maxAmountWei)
}

describe('three wallets with the largest stakes allowed', () => {
  it('leave room for others, and end the round for nobody below 2.00', () => {
    const round = tableOf(10_000n, 200)
    for (const wallet of ['alice', 'bob', 'carol']) {
      place(round, wallet, mostOf(round, wallet, 10_000n))
    }
    expect(round.bets.map(({ amountWei }) => amountWei)).toEqual([1_250n, 937n, 703n])
    expect(isRefusal(place(round, 'dave', 527n))).toBe(false)
    round.advance(TAKEOFF_AT + flightMs(50_000))
    expect(round.bets.map(({ cashout }) => cashout)).toEqual([292, 292, 292, 292])
  })

  it('are shown the largest stake still accepted', () => {
    const round = tableOf(10_000n, 200)
    expect(isRefusal(place(round, 'alice', 1_251n))).toBe(true)
    expect(mostOf(round, 'alice', 1_251n)).toBe(1_250n)
    expect(isRefusal(place(round, 'alice', 1_250n))).toBe(false)
    const details = { maxPayout: '10000', maxAmountWei: '937' }
    expect(place(round, 'bob', 938n)).toMatchObject({ error: { details } })
  })
})

const aStake = fc.record({
  share: fc.bigInt({ min: 1n, max: 2_000n }),
  autoCashout: fc.option(fc.integer({ min: 101, max: 5_000 })),
  cashOutMs: fc.option(fc.integer({ min: 0, max: 60_000 })),
})

describe('the stakes of a round', () => {
  it('stay within the bounds of its plan, whatever a caller has checked', () => {
    const round = new Round(recordOf('committed', 200, { min: '10', max: '500' }), [])
    const codes = [9n, 10n, 500n, 501n].map((amountWei, n) => {
      const placed = place(round, `${n}`, amountWei)
      return isRefusal(placed) ? placed.error.code : null
    })
    expect(codes).toEqual(['amount_out_of_bounds', null, null, 'amount_out_of_bounds'])
  })

  it('stay within its limit at the lowest forced multiplier, each at a quarter of the rest', () => {
    forAll(
      fc.bigInt({ min: 4n, max: 10n ** 24n }),
      fc.integer({ min: 101, max: 10_000 }),
      fc.array(aStake, { maxLength: 30 }),
      (limitWei, minForced, stakes) => {
        const round = tableOf(limitWei, minForced)
        let stakedWei = 0n
        for (const [index, { share, autoCashout }] of stakes.entries()) {
          const amountWei = (limitWei * share) / 4_000n + 1n
          const isTaken = !isRefusal(place(round, `${index}`, amountWei, autoCashout))
          const roomWei = (limitWei * 100n) / BigInt(minForced) - stakedWei
          expect(isTaken).toBe(amountWei * 4n <= roomWei)
          if (isTaken) stakedWei += amountWei
        }
        expect(stakedWei * BigInt(minForced) <= limitWei * 100n).toBe(true)
      },
    )
  })

  it('are never force-cashed-out below the lowest forced multiplier', () => {
    forAll(
      fc.bigInt({ min: 4n, max: 10n ** 24n }),
      fc.integer({ min: 101, max: 1_000 }),
      fc.array(aStake, { maxLength: 30 }),
      (limitWei, minForced, stakes) => {
        const round = tableOf(limitWei, minForced)
        const asked = stakes.map(({ share, ...stake }, index) => {
          place(round, `${index}`, (limitWei * share) / 40_000n + 1n, stake.autoCashout)
          return { ...stake, wallet: `${index}` }
        })
        const byHand = asked
          .filter(({ cashOutMs }) => cashOutMs !== null)
          .toSorted((a, b) => Number(a.cashOutMs) - Number(b.cashOutMs))
        for (const { wallet, cashOutMs } of byHand) {
          round.advance(TAKEOFF_AT + Number(cashOutMs))
          round.cashOut(wallet, TAKEOFF_AT + Number(cashOutMs))
        }
        round.advance(TAKEOFF_AT + flightMs(50_000))
        let paidWei = 0n
        for (const { wallet, amountWei, autoCashout, cashout } of round.bets) {
          if (cashout === null) continue
          paidWei += payoutOf(amountWei, cashout)
          const { cashOutMs = null } = asked.find((each) => each.wallet === wallet) ?? {}
          const wasAsked =
            cashout === autoCashout || (cashOutMs !== null && cashout === multiplierAt(cashOutMs))
          expect(wasAsked || cashout >= minForced).toBe(true)
        }
        expect(paidWei <= limitWei).toBe(true)
      },
    )
  })
})

describe('the published bounds', () => {
  const { crash } = loadConfig(unstable_readConfig({ config: 'wrangler.toml' }).vars as never)

  it('include a largest stake that an empty table accepts, for any bankroll', () => {
    forAll(
      fc.bigInt({ min: 0n, max: 10n ** 25n }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 101, max: 10_000 }),
      (amountWei, payoutBps, roundBps, minForcedMultiplier) => {
        const amounts = { ETH: amountWei, USDG: 0n }
        const plan = planRound({
          roundId: 1,
          openedAt: OPENED_AT,
          terms: '',
          seedHash: '',
          pepperHash: '',
          rules: { ...crash, minForcedMultiplier },
          bankroll: { amounts, payoutBps, roundBps },
        })
        const { max, maxPayout, maxRoundPayout } = limitsOf(plan, 'ETH')
        const empty = { maxRoundPayout, stakedWei: 0n, minForcedMultiplier }
        expect(max <= largestStake(empty)).toBe(true)
        expect(max * BigInt(minForcedMultiplier) <= maxPayout * 100n).toBe(true)
        expect(max <= BigInt(crash.limits.ETH.max)).toBe(true)
      },
    )
  })

  it('stay as configured if the limits allow them', () => {
    expect(withinTable({ ETH: LIMITS, USDG: LIMITS }, 200).ETH).toEqual(LIMITS)
    expect(rules().minForcedMultiplier).toBe(101)
    expect(crash.minForcedMultiplier).toBe(200)
  })

  it.each([
    ['1.00', 'a multiplier that nobody waits for'],
    ['2.005', 'one with three decimals'],
    ['two', 'none'],
  ])('are refused at start-up with %s: %s', (text) => {
    const { vars } = unstable_readConfig({ config: 'wrangler.toml' })
    const set = (fields: object) => loadConfig({ ...vars, ...fields } as never)
    expect(() => set({ CRASH_MIN_FORCED_MULTIPLIER: text })).toThrow('CRASH_MIN_FORCED_MULTIPLIER')
  })

  it('are refused at start-up if the minimum stake exceeds what an empty table accepts', () => {
    const { vars } = unstable_readConfig({ config: 'wrangler.toml' })
    const small = { min: '100', max: '100', maxPayout: '700', maxRoundPayout: '799' }
    const limits = (ETH: object) => ({ ...vars, CRASH_LIMITS: { ETH, USDG: small } }) as never
    expect(() => loadConfig(limits(small))).toThrow('must be at least min')
    const enough = { ...small, maxRoundPayout: '800' }
    expect(() =>
      loadConfig({ ...vars, CRASH_LIMITS: { ETH: enough, USDG: enough } } as never),
    ).not.toThrow()
  })
})
