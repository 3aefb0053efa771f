import { describe, expect, it } from 'vitest'
import { emptyBalances, post } from '../../../src/ledger/accounts.ts'
import {
  movementPostings,
  compareCredited,
  writeBackPostings,
  writeOffMissing,
  writeOffPostings,
  type CreditedMovement,
  type VaultMovement,
} from '../../../src/ledger/deposit.ts'

/** Deposits of these amounts, in order, the first of them at a position. */
const deposits = (amounts: bigint[], from = 0): VaultMovement[] =>
  amounts.map((amountWei, index) => ({
    kind: 'deposited',
    position: from + index,
    token: 'ETH',
    amountWei,
  }))

const missing = (movements: VaultMovement[]) =>
  movements.map((movement) => ({ ...movement, state: 'missing' as const }))
const writtenOff = (movements: VaultMovement[]) =>
  movements.map((movement) => ({ ...movement, state: 'written_off' as const }))

describe('the movements of a transaction that are credited', () => {
  const fresh = (credited: CreditedMovement[], onChain: VaultMovement[]) => {
    const found = compareCredited(credited, onChain)
    expect(found.credited).toEqual([...credited, ...found.fresh])
    return found.fresh
  }

  it('are all of a new one', () => {
    expect(fresh([], deposits([3n, 4n]))).toEqual(deposits([3n, 4n]))
  })

  it('are none of a known one, even if its movements have other positions now', () => {
    expect(fresh(deposits([3n, 4n]), deposits([3n, 4n]))).toEqual([])
    expect(fresh(deposits([5n]), deposits([5n], 1))).toEqual([])
    expect(fresh(deposits([3n, 4n]), deposits([4n, 3n]))).toEqual([])
  })

  it('are those that were left out at first, at positions that no other has had', () => {
    expect(fresh(deposits([4n]), deposits([3n, 4n]))).toEqual(deposits([3n], 1))
    expect(fresh(deposits([5n]), deposits([5n, 5n]))).toEqual(deposits([5n], 1))
    expect(fresh(deposits([5n], 1), deposits([5n, 5n]))).toEqual(deposits([5n], 2))
    expect(fresh(deposits([4n]), deposits([2n, 3n, 4n]))).toEqual(deposits([2n, 3n], 1))
  })
})

describe('what is written off of a transaction', () => {
  it('is all that is missing from the chain', () => {
    const credited = [...deposits([3n]), ...missing(deposits([5n, 5n], 1))]
    expect(writeOffMissing(credited)).toEqual({
      credited: [...deposits([3n]), ...writtenOff(deposits([5n, 5n], 1))],
      lost: deposits([5n, 5n], 1),
    })
  })

  it('is only what an act covers, and only as often as it does', () => {
    const credited = missing(deposits([5n, 5n, 7n]))
    expect(writeOffMissing(credited, deposits([5n, 3n]))).toEqual({
      credited: [...writtenOff(deposits([5n])), ...missing(deposits([5n, 7n], 1))],
      lost: deposits([5n]),
    })
    expect(writeOffMissing(credited, []).lost).toEqual([])
  })
})

describe('credited movements of a transaction', () => {
  it('are missing if the chain has no longer as many of them', () => {
    const nothing = { fresh: [], returned: [] }
    const three = missing(deposits([3n]))
    expect(compareCredited(deposits([3n]), [])).toEqual({ ...nothing, credited: three })
    expect(compareCredited(deposits([5n, 5n]), deposits([5n]))).toEqual({
      ...nothing,
      credited: [...deposits([5n]), ...missing(deposits([5n], 1))],
    })
    expect(compareCredited(three, [])).toEqual({ ...nothing, credited: three })
    expect(compareCredited(three, deposits([3n]))).toEqual({ ...nothing, credited: deposits([3n]) })
  })

  it.each<Partial<VaultMovement>>([{ amountWei: 4n }, { kind: 'funded' }, { token: 'USDG' }])(
    'are missing if the transaction now moves something else, %o, which is credited, too',
    (change) => {
      const other = deposits([3n]).map((movement) => ({ ...movement, ...change }))
      const fresh = other.map((movement) => ({ ...movement, position: 1 }))
      const first = missing(deposits([3n]))
      expect(compareCredited(deposits([3n]), other)).toEqual({
        credited: [...first, ...fresh],
        fresh,
        returned: [],
      })
    },
  )

  it('that were written off are returned if the chain has them again, and only these', () => {
    const [three, four] = [deposits([3n]), deposits([4n], 1)]
    const lost = writtenOff([...three, ...four])
    expect(compareCredited(lost, [])).toEqual({ credited: lost, fresh: [], returned: [] })
    expect(compareCredited(lost, three)).toEqual({
      credited: [...three, ...writtenOff(four)],
      fresh: [],
      returned: three,
    })
    const equal = [...deposits([3n]), ...writtenOff(deposits([3n], 1))]
    expect(compareCredited(equal, three)).toEqual({ credited: equal, fresh: [], returned: [] })
  })
})

describe('a ledger that has lost what it had credited', () => {
  it('credits what the chain has dropped since as missing, and only once', () => {
    const [three, four] = [deposits([3n]), deposits([4n], 1)]
    expect(compareCredited([], four, three)).toEqual({
      credited: [...four, ...missing(three)],
      fresh: [...four, ...three],
      returned: [],
    })
    const known = [...four, ...writtenOff(three)]
    expect(compareCredited(known, four, three)).toEqual({
      credited: known,
      fresh: [],
      returned: [],
    })
    expect(compareCredited(three, [], three)).toEqual({
      credited: missing(three),
      fresh: [],
      returned: [],
    })
    const fourth = deposits([3n], 1)
    expect(compareCredited([], three, three).credited).toEqual([...three, ...missing(fourth)])
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
