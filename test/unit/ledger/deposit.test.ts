import { describe, expect, it } from 'vitest'
import { emptyBalances, post } from '../../../src/ledger/accounts.ts'
import {
  movementPostings,
  uncredited,
  writeBackPostings,
  writeOffPostings,
  type VaultMovement,
} from '../../../src/ledger/deposit.ts'

/** Deposits of these amounts, in order, the first of them at a position. */
const deposits = (amounts: bigint[], from = 0): VaultMovement[] =>
  amounts.map((amountWei, index) => ({
    ...{ kind: 'deposited', position: from + index, token: 'ETH', amountWei },
  }))

describe('the movements of a transaction that are not credited yet', () => {
  it('are all of a new one', () => {
    expect(uncredited([], deposits([3n, 4n]))).toEqual(deposits([3n, 4n]))
  })

  it('are none of a known one, even if its movements have other positions now', () => {
    expect(uncredited(deposits([3n, 4n]), deposits([3n, 4n]))).toEqual([])
    expect(uncredited(deposits([5n]), deposits([5n], 1))).toEqual([])
    expect(uncredited(deposits([3n, 4n]), deposits([4n, 3n]))).toEqual([])
  })

  it('are those that were left out at first, at positions that no other has had', () => {
    expect(uncredited(deposits([4n]), deposits([3n, 4n]))).toEqual(deposits([3n], 1))
    expect(uncredited(deposits([5n]), deposits([5n, 5n]))).toEqual(deposits([5n], 1))
    expect(uncredited(deposits([5n], 1), deposits([5n, 5n]))).toEqual(deposits([5n], 2))
    expect(uncredited(deposits([4n]), deposits([2n, 3n, 4n]))).toEqual(deposits([2n, 3n], 1))
  })

  it('are unknown if a credited one is missing', () => {
    expect(uncredited(deposits([3n]), [])).toBeNull()
    expect(uncredited(deposits([5n, 5n]), deposits([5n]))).toBeNull()
    expect(uncredited(deposits([3n]), deposits([4n]))).toBeNull()
    const [funded] = deposits([3n]).map((movement) => ({ ...movement, kind: 'funded' as const }))
    expect(uncredited(deposits([3n]), funded ? [funded] : [])).toBeNull()
    const [dollars] = deposits([3n]).map((movement) => ({ ...movement, token: 'USDG' as const }))
    expect(uncredited(deposits([3n]), dollars ? [dollars] : [])).toBeNull()
  })
})

describe('a credited transaction that the chain has lost', () => {
  const movements: VaultMovement[] = (['deposited', 'funded', 'house-withdrawn'] as const).map(
    (kind) => ({ kind, position: 0, token: 'ETH', amountWei: 5n }),
  )

  it('is charged to the house, while a player keeps the chips', () => {
    const charged = movements.map((movement) => {
      const booked = post(emptyBalances(), movementPostings(movement, 0))
      return post(booked, writeOffPostings(movement)).ETH
    })
    // As if the vault had never been paid, or had never paid.
    expect(charged.map(({ vault }) => vault)).toEqual([0n, 0n, 0n])
    expect(charged.map(({ house }) => house)).toEqual([-5n, 0n, 0n])
    expect(charged.map(({ chips }) => chips)).toEqual([5n, 0n, 0n])
  })

  it('is not charged any more once it has returned', () => {
    for (const movement of movements) {
      const charged = post(emptyBalances(), writeOffPostings(movement))
      expect(post(charged, writeBackPostings(movement))).toEqual(emptyBalances())
    }
  })
})
