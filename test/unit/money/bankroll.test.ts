import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parts } from '../../../src/history/bankroll.ts'
import { countHouse, owedToPartners, withinBankroll } from '../../../src/money/bankroll.ts'
import { forAll } from '../support/for-all.ts'

const LIMITS = { min: '10', max: '1000', maxPayout: '100000', maxRoundPayout: '1000000' }
const limits = { ETH: LIMITS, USDG: LIMITS }
const bankroll = (ETH: bigint, USDG: bigint) => ({
  amounts: { ETH, USDG },
  payoutBps: 100,
  roundBps: 250,
})

describe('limits within a bankroll', () => {
  it('are as configured without a vault, or if the bankroll covers them', () => {
    expect(withinBankroll(limits, null)).toEqual(limits)
    expect(withinBankroll(limits, bankroll(10n ** 9n, 10n ** 9n))).toEqual(limits)
  })

  it('are shares of the bankroll if those are lower, separately for each token', () => {
    const bounded = withinBankroll(limits, bankroll(10n ** 9n, 50_000n))
    expect(bounded.ETH).toEqual(LIMITS)
    expect(bounded.USDG).toEqual({
      min: '10',
      max: '495',
      maxPayout: '500',
      maxRoundPayout: '1250',
    })
  })

  it('never rise, never risk more than the share, and accept no stake that cannot be paid out', () => {
    forAll(fc.bigInt({ min: 0n, max: 10n ** 12n }), (amount) => {
      const { max, maxPayout, maxRoundPayout } = withinBankroll(limits, bankroll(amount, 0n)).ETH
      expect(BigInt(maxPayout) * 100n <= amount).toBe(true)
      expect(BigInt(maxRoundPayout) * 40n <= amount).toBe(true)
      expect(BigInt(max) * 101n <= BigInt(maxPayout) * 100n || max === LIMITS.max).toBe(true)
      expect(BigInt(max) <= 1_000n && BigInt(maxPayout) <= 100_000n).toBe(true)
    })
  })
})

describe('the debt to partners', () => {
  const account = (balanceWei: bigint, settledWei = 0n) => ({ balanceWei, settledWei })

  it('is what is owed to each, because what one of them owes the house pays no other', () => {
    const amount = fc.bigInt({ min: -1_000n, max: 1_000n })
    forAll(fc.array(fc.tuple(amount, amount)), (pairs) => {
      const accounts = pairs.map(([balanceWei, settledWei]) => account(balanceWei, settledWei))
      const netWei = accounts.reduce((sum, { balanceWei }) => sum + balanceWei, 0n)
      const owed = accounts.map(({ balanceWei, settledWei }) => balanceWei - settledWei)
      const expected = owed.filter((wei) => wei > 0n).reduce((sum, wei) => sum + wei, 0n)
      expect(owedToPartners(netWei, accounts)).toBe(expected)
    })
  })

  it('has what the house was paid by a partner, once its players have lost that much', () => {
    expect(owedToPartners(-5_000n, [account(-5_000n, -5_000n), account(0n)])).toBe(0n)
    expect(owedToPartners(0n, [account(0n, -5_000n), account(0n)])).toBe(5_000n)
  })

  it('is exact with a single partner, whatever is known of its account', () => {
    expect(owedToPartners(700n, [account(0n, 500n)])).toBe(200n)
    expect(owedToPartners(-700n, [account(0n, 500n)])).toBe(0n)
    expect(owedToPartners(0n, [])).toBe(0n)
  })

  it('is never understated while debits of a partner are not known yet', () => {
    expect(owedToPartners(1_500n, [account(1_000n), account(-200n)])).toBe(1_700n)
  })

  it('lowers the bankroll and the result that the owner may withdraw', () => {
    // Funded with 10,000; players deposited 10,000, lost 1,000 at one partner and were paid 5,000 by another.
    const totals = { owedWei: 9_000n, houseWei: 10_000n, netDepositsWei: 5_000n }
    const partnersWei = owedToPartners(-4_000n, [account(1_000n), account(-5_000n)])
    expect(countHouse(totals, 15_000n, partnersWei)).toEqual({
      amountWei: 5_000n,
      resultWei: -5_000n,
    })
  })
})

describe('the funds of the house', () => {
  /** Players have deposited 100 and are owed 60, partners 15; the house was funded with 50 and has won 25. */
  const totals = { owedWei: 60n, houseWei: 75n, netDepositsWei: 100n }
  const partnersWei = 15n
  const heldWei = 150n

  it('are its own balance while the vault holds as much beyond all debts', () => {
    expect(countHouse(totals, heldWei, partnersWei)).toEqual({ amountWei: 75n, resultWei: 25n })
  })

  it('are no more than the vault holds beyond its debts to players and partners', () => {
    expect(countHouse(totals, heldWei - 5n, partnersWei).amountWei).toBe(70n)
  })

  it('are no more than its own balance, whatever else was sent to the vault', () => {
    expect(countHouse(totals, heldWei + 1_000n, partnersWei).amountWei).toBe(75n)
  })

  it('are nothing, rather than less, in a vault that cannot pay its debts, or for a house in debt', () => {
    expect(countHouse(totals, 0n, partnersWei).amountWei).toBe(0n)
    expect(countHouse({ ...totals, houseWei: -1n }, heldWei, partnersWei).amountWei).toBe(0n)
  })

  it('have won what the players deposited beyond all debts, or lost it', () => {
    expect(countHouse({ ...totals, owedWei: 90n }, heldWei, partnersWei).resultWei).toBe(-5n)
  })

  it('have won more where partners were paid outside', () => {
    expect(countHouse(totals, heldWei, 5n).resultWei).toBe(35n)
  })
})

describe('an amount split into two parts', () => {
  it('equals their sum, and the low part is never negative', () => {
    forAll(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (amount) => {
      const [high, low] = parts(amount)
      expect(BigInt(high) * 10n ** 12n + BigInt(low)).toBe(amount)
      expect(BigInt(low) >= 0n && BigInt(low) < 10n ** 12n).toBe(true)
    })
  })
})
