import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { emptyBalances, post } from '../../../src/ledger/accounts.ts'
import {
  checkChips,
  creditAbove,
  isLateReversal,
  reversal,
  transactionText,
  transferPostings,
  type TransferAnswer,
} from '../../../src/ledger/transfer.ts'
import { forAll } from '../support/for-all.ts'

const amounts = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
const carriedOut: TransferAnswer = {
  ok: true,
  version: 1,
  id: 'one',
  token: 'ETH',
  beforeWei: '0',
  afterWei: '0',
}

const kept = (amountWei: bigint, result: TransferAnswer = carriedOut) => ({
  request: transactionText({ token: 'ETH', amountWei }),
  result,
})

describe('a transfer', () => {
  it('moves its amount between the chips and the partner, and nothing else', () => {
    forAll(amounts, (amountWei) => {
      const start = post(emptyBalances(), [
        { token: 'ETH', from: 'faucet', to: 'chips', amountWei: `${10n ** 31n}` },
      ])
      const after = post(start, transferPostings('ETH', amountWei))
      expect(after.ETH.chips - start.ETH.chips).toBe(amountWei)
      expect(after.ETH.partner).toBe(-amountWei)
    })
  })

  it('and its reversal cancel out', () => {
    forAll(amounts, (amountWei) => {
      expect(reversal(kept(amountWei), false)).toBe(-amountWei)
    })
  })

  it('that never arrived, was refused or was already reversed has nothing to reverse', () => {
    expect(reversal(null, false)).toBe(0n)
    expect(reversal(kept(5n, creditAbove(1n)), false)).toBe(0n)
    expect(reversal(kept(5n), true)).toBe(0n)
  })

  it('that is a rollback cannot be reversed', () => {
    const rollback = { request: '["rollback","ETH","5"]', result: carriedOut }
    expect(reversal(rollback, false)).toBe(0n)
  })

  it.each([
    ['of a credit that the player has had for a day', -5n, DAY_MS, false],
    ['of a credit that the player has had for longer', -5n, DAY_MS + 1, true],
    ['of a debit, which returns chips', 5n, 2 * DAY_MS, false],
    ['of nothing', 0n, 2 * DAY_MS, false],
  ])('is reversed late or not: %s', (_what, movedWei, ageMs, isLate) => {
    expect(isLateReversal(movedWei, 1_000, 1_000 + ageMs)).toBe(isLate)
  })

  it.each([
    [-10n, 10n, null],
    [-10n, 9n, { available: '9', required: '10' }],
    [0n, 0n, null],
    [5n, 0n, null],
  ])('of %s with %s chips is refused with %o', (amountWei, available, details) => {
    expect(checkChips('ETH', amountWei, available)?.error.details ?? null).toEqual(details)
  })
})
