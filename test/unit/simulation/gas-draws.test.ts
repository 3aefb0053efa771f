import { describe, expect, it } from 'vitest'
import { SentPayments } from '../../simulation/chain/sent-payments.ts'
import { checkGas, waitsForGas } from '../../simulation/invariants/gas.ts'

/**
 * The withdrawals of one wallet that the relayer has sent: their transactions' hashes and numbers, and their nonces.
 */
function paymentsOf(
  ...sent: readonly (readonly [hash: string, txNonce: number, nonce: number, sentAt: number])[]
): SentPayments {
  const payments = new SentPayments()
  for (const [hash, txNonce, nonce, sentAt] of sent)
    payments.note(
      hash as never,
      { player: '0xp', sender: '0xr', gasLimit: 875_000, txNonce, nonce, sentAt } as never,
    )
  return payments
}

/**
 * Has a transaction fail. @param nonces those of the player that were used before its block @param used and before
 * itself
 */
function fail(payments: SentPayments, hash: string, at: number, nonces = 0, used = nonces): void {
  payments.noteMined(hash as never, false, at, {
    nonces: new Map([['0xp', nonces]]),
    used: new Map([['0xp', used]]),
    heldWei: () => 1_000_000n,
  })
}

function succeed(payments: SentPayments, hash: string, at: number): void {
  const before = { nonces: new Map(), used: new Map(), heldWei: () => 1_000_000n }
  payments.noteMined(hash as never, true, at, before)
}

/** Returns what the invariant says. @param failed the hashes of transactions that are in blocks and have failed */
function violationsIn(payments: SentPayments, failed: readonly string[] = []): string[] {
  const violations: string[] = []
  const world = { violate: (text: string) => violations.push(text), clocksDifferMs: 0 }
  const blocks = [{ mined: failed.map((hash) => ({ tx: { hash } })) }]
  checkGas(world as never, { payments, blocks } as never)
  return violations
}

/** Two withdrawals of 700,000 gas, each sent twice, and what the invariant says once these are mined. */
function violationsOf(mined: readonly (readonly [hash: string, txNonce: number])[]): string[] {
  const payments = paymentsOf(
    ['0xa1', 5, 0, 0],
    ['0xa2', 5, 0, 60_000],
    ['0xb1', 6, 1, 120_000],
    ['0xb2', 6, 1, 180_000],
  )
  for (const [hash, txNonce] of mined) payments.noteUsed('0xr', txNonce, hash as never)
  return violationsIn(payments)
}

const DRAWN = ['0xp has drawn 1400000 gas in a day']

it('sees what a wallet draws too much, on whichever branch each attempt was mined', () => {
  const once = [
    ['0xa2', 5],
    ['0xb2', 6],
  ] as const
  expect(violationsOf(once)).toEqual(DRAWN)
  expect(violationsOf([['0xa1', 5], ['0xb1', 6], ...once])).toEqual(DRAWN)
})

it('does not count a payment whose number another transaction has used', () => {
  expect(
    violationsOf([
      ['0xelse', 5],
      ['0xb2', 6],
    ]),
  ).toEqual([])
})

it('does not count a payment that came before its turn', () => {
  const payments = paymentsOf(['0xa', 5, 0, 0], ['0xb', 6, 1, 1], ['0xb2', 6, 1, 2])
  fail(payments, '0xb', 2, 1)
  expect(violationsIn(payments)).toEqual(DRAWN)
  fail(payments, '0xb', 2, 0)
  expect(violationsIn(payments)).toEqual([])
})

describe('a withdrawal', () => {
  /** Whether the withdrawal with nonce 1 waits for gas, after one of 700,000 and its own transaction of as much. */
  function waits(lost: boolean, again = false): boolean {
    const payments = paymentsOf(['0xb1', 6, 1, 0], ...(again ? [['0xb2', 7, 1, 1] as const] : []))
    if (lost) payments.noteUsed('0xr', 6, '0xelse')
    if (again) payments.noteUsed('0xr', 7, '0xelse')
    payments.noteEstimate({ player: '0xp', nonce: 1 } as never, 700_000)
    return waitsForGas({ payments } as never, { player: '0xp', nonce: 1 } as never, 60_000)
  }

  it('waits for gas that it has drawn, but not if its transaction has lost its number', () => {
    expect(waits(false)).toBe(true)
    expect(waits(true)).toBe(false)
  })

  it('waits after two lost transactions, because a node without receipts makes all look lost', () => {
    expect(waits(true, true)).toBe(true)
  })

  const EARLY = ['withdrawal 1 of 0xp did not wait after one was mined in vain']
  const DAY = 86_400_000

  it('waits after one that was mined in vain', () => {
    const payments = paymentsOf(['0xa', 5, 0, 0], ['0xb', 6, 1, DAY + 30_000])
    fail(payments, '0xa', DAY)
    expect(violationsIn(payments, ['0xa'])).toEqual(EARLY)
  })

  it('does not wait after one that came before its turn', () => {
    const payments = paymentsOf(['0xa', 5, 1, 0], ['0xb', 6, 2, DAY + 30_000])
    fail(payments, '0xa', DAY, 0)
    expect(violationsIn(payments, ['0xa'])).toEqual([])
  })

  it('does not wait after one whose nonce another transaction had used', () => {
    const payments = paymentsOf(['0xa', 5, 0, 0], ['0xb', 6, 1, DAY + 30_000])
    fail(payments, '0xa', DAY, 0, 1)
    expect(violationsIn(payments, ['0xa'])).toEqual([])
  })

  it('may be under way when the one before it fails on another branch, and be sent again', () => {
    const payments = paymentsOf(['0xa', 5, 0, 0], ['0xb', 6, 1, DAY], ['0xb2', 6, 1, 2 * DAY])
    fail(payments, '0xa', 2 * DAY - 1)
    expect(violationsIn(payments, ['0xa'])).toEqual([])
  })

  it('takes no other number then before it has waited', () => {
    const payments = paymentsOf(['0xa', 5, 0, 0], ['0xb', 6, 1, DAY], ['0xb2', 7, 1, 3 * DAY])
    fail(payments, '0xa', 3 * DAY - 1)
    expect(violationsIn(payments, ['0xa'])).toEqual(EARLY)
    // Its first one had paid it, and the chain has dropped that.
    succeed(payments, '0xb', DAY + 1)
    expect(violationsIn(payments, ['0xa'])).toEqual([])
  })
})
