import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../../src/core/utc-day.ts'
import {
  allowedDeposit,
  checkExclusion,
  checkProtection,
  usedOf,
  type Stake,
} from '../../../src/protection/check.ts'
import {
  WINDOW_MS,
  type Limit,
  type LimitKind,
  type LimitWindow,
} from '../../../src/protection/limit.ts'
import { UNPROTECTED, type Protection } from '../../../src/protection/protection.ts'
import { FIRST_STAKE_MS, SESSION_GAP_MS } from '../../../src/protection/session.ts'
import { forMany } from '../support/for-all.ts'
import { TestJournal } from './journal.ts'

const NOW = 1_700_000_000_000

function limit(kind: LimitKind, amountWei: number, window: LimitWindow = 'day'): Limit {
  const most = { amountWei: amountWei.toString(), minutes: null }
  return { kind, window, token: 'ETH', ...most, from: 0, pending: null }
}

function minutesLimit(minutes: number): Limit {
  const most = { amountWei: null, minutes }
  return { kind: 'session', window: 'day', token: null, ...most, from: 0, pending: null }
}

function limited(...limits: Limit[]): Protection {
  return { ...UNPROTECTED, limits }
}

function stake(amountWei: number, at = NOW): Stake {
  return { token: 'ETH', amountWei: BigInt(amountWei), at }
}

/** A journal with chips to stake. */
function funded(): TestJournal {
  const journal = new TestJournal()
  journal.deposit(NOW - 100 * DAY_MS, 1_000_000n)
  return journal
}

const reachedAt = (resetsAt: number | null, left: number, kind: LimitKind = 'loss') => ({
  error: {
    code: 'limit_reached',
    details: expect.objectContaining({ resetsAt, kind, left: `${left}` }),
  },
})

describe('a stake', () => {
  it('passes without limits, and up to a limit exactly', () => {
    const journal = funded()
    journal.play(NOW - 5, 60n)
    expect(checkProtection(UNPROTECTED, stake(1_000), journal)).toBeNull()
    expect(checkProtection(limited(limit('loss', 100)), stake(40), journal)).toBeNull()
    expect(checkProtection(limited(limit('loss', 100)), stake(41), journal)).toMatchObject(
      reachedAt(NOW - 5 + DAY_MS, 40),
    )
  })

  it('is allowed one window from now if an open stake uses up the limit', () => {
    for (const placedAt of [NOW - 2 * DAY_MS, NOW - DAY_MS]) {
      const journal = funded()
      journal.bet(placedAt, 60n)
      expect(checkProtection(limited(limit('wager', 100)), stake(41), journal)).toMatchObject(
        reachedAt(NOW + DAY_MS, 40, 'wager'),
      )
    }
  })

  it('above the limit itself never fits', () => {
    const refusal = checkProtection(limited(limit('wager', 100)), stake(101), funded())
    expect(refusal).toMatchObject(reachedAt(null, 100, 'wager'))
  })

  it('as large as the limit itself fits once nothing else is counted', () => {
    const journal = funded()
    journal.play(NOW - 5, 60n)
    expect(checkProtection(limited(limit('wager', 100)), stake(100), journal)).toMatchObject(
      reachedAt(NOW - 5 + DAY_MS, 40, 'wager'),
    )
  })

  it('of another token does not count, and neither does a limit of deposits', () => {
    const others = limited(limit('deposit', 0), { ...limit('loss', 0), token: 'USDG' })
    expect(checkProtection(others, stake(5), funded())).toBeNull()
  })

  it('fits once enough of the window has passed, and not a millisecond earlier', () => {
    const journal = funded()
    for (const [ago, amountWei] of [
      [20, 30n],
      [10, 30n],
      [5, 30n],
    ] as const) {
      journal.play(NOW - ago, amountWei)
    }
    const protection = limited(limit('wager', 100))
    expect(checkProtection(protection, stake(40), journal)).toMatchObject(
      reachedAt(NOW - 20 + DAY_MS, 10, 'wager'),
    )
    expect(checkProtection(protection, stake(41), journal)).toMatchObject(
      reachedAt(NOW - 10 + DAY_MS, 10, 'wager'),
    )
    expect(checkProtection(protection, stake(40, NOW - 21 + DAY_MS), journal)).not.toBeNull()
    expect(checkProtection(protection, stake(40, NOW - 20 + DAY_MS), journal)).toBeNull()
  })

  it('that several limits refuse waits for the last of them', () => {
    const journal = funded()
    journal.play(NOW - 5, 100n)
    const both = limited(limit('loss', 100), limit('loss', 100, 'month'))
    expect(checkProtection(both, stake(10), journal)).toMatchObject({
      error: { details: { window: 'month', resetsAt: NOW - 5 + WINDOW_MS.month } },
    })
  })

  it('tells the player which limit it is and what is left', () => {
    const journal = funded()
    journal.play(NOW, 400_000n)
    const refusal = checkProtection(limited(limit('loss', 500_000)), stake(200_000), journal)
    expect(refusal?.error.message).toBe(
      'Your loss limit is 0.0000000000005 ETH in 24 hours, of which 0.0000000000001 ETH is left. You can stake this from 2023-11-15T22:13:20.000Z.',
    )
  })

  it('tells a partner when it can make its debit', () => {
    const journal = funded()
    journal.play(NOW, 400_000n)
    const debit = { ...stake(200_000), isDebit: true }
    const refusal = checkProtection(limited(limit('loss', 500_000)), debit, journal)
    expect(refusal?.error.message).toMatch(
      / ETH is left\. You can make this debit from 2023-11-15T22:13:20\.000Z\.$/,
    )
  })
})

describe('the used part of a loss limit', () => {
  const used = (journal: TestJournal) => usedOf(limit('loss', 100), journal, NOW)

  it('counts an open stake as lost, until it is paid or refunded', () => {
    const journal = funded()
    const [won, voided] = [journal.bet(NOW - 9, 50n), journal.bet(NOW - 8, 20n)]
    expect(used(journal)).toBe(70n)
    journal.settle(NOW - 7, won, 80n)
    journal.settle(NOW - 6, voided, null)
    expect(used(journal)).toBe(-30n)
  })

  it("counts partners' debits and gives back their credits", () => {
    const journal = funded()
    journal.debit(NOW - 9, 50n)
    journal.credit(NOW - 8, 20n)
    expect(used(journal)).toBe(30n)
  })

  it('counts a stake that was open when the window began, whether it is lost or returned in it', () => {
    const [lost, returned] = [funded(), funded()]
    lost.settle(NOW - DAY_MS + 1, lost.bet(NOW - DAY_MS - 1, 50n), 0n)
    expect(used(lost)).toBe(50n)
    returned.settle(NOW - DAY_MS + 1, returned.bet(NOW - DAY_MS - 1, 50n), null)
    expect(used(returned)).toBe(0n)
  })
})

describe('what a limit has used', () => {
  type Entry = {
    kind: 'play' | 'bet' | 'void' | 'debit' | 'credit' | 'deposit'
    gapMs: number
  } & Record<'amount' | 'back', number>
  const anyEntries: fc.Arbitrary<Entry[]> = fc.array(
    fc.record({
      kind: fc.constantFrom('play', 'bet', 'void', 'debit', 'credit', 'deposit'),
      gapMs: fc.constantFrom(0, 1, MINUTE_MS, SESSION_GAP_MS - 1, SESSION_GAP_MS, DAY_MS),
      amount: fc.integer({ min: 1, max: 100 }),
      back: fc.integer({ min: 0, max: 100 }),
    }),
    { maxLength: 40 },
  )

  function amountsOf({ kind, amount, back }: Entry): Record<'loss' | 'wager' | 'deposit', number> {
    const isStaked = kind === 'play' || kind === 'bet' || kind === 'debit'
    const returned = kind === 'play' || kind === 'bet' ? back : kind === 'credit' ? amount : 0
    const deposit = kind === 'deposit' ? amount - Math.min(amount, back) : 0
    return { loss: (isStaked ? amount : 0) - returned, wager: isStaked ? amount : 0, deposit }
  }

  function record(journal: TestJournal, { kind, amount, back }: Entry, at: number): void {
    const [amountWei, backWei] = [BigInt(amount), BigInt(back)]
    if (kind === 'play') journal.play(at, amountWei, backWei)
    if (kind === 'bet') journal.settle(at, journal.bet(at, amountWei), backWei)
    if (kind === 'void') journal.settle(at, journal.bet(at, amountWei), null)
    if (kind === 'debit') journal.debit(at, amountWei)
    if (kind === 'credit') journal.credit(at, amountWei)
    if (kind === 'deposit')
      journal.deposit(at, amountWei, backWei < amountWei ? backWei : amountWei)
  }

  it.each(['loss', 'wager', 'deposit'] as const)('is the sum over its window: %s', (kind) => {
    forMany(300, anyEntries, fc.constantFrom('day', 'week'), (entries, window) => {
      const journal = funded()
      let at = NOW
      const made = entries.map((entry) => {
        at += entry.gapMs
        record(journal, entry, at)
        return { at, amount: amountsOf(entry)[kind] }
      })
      const now = at + 5
      const within = made.filter((entry) => entry.at > now - WINDOW_MS[window])
      const sum = within.reduce((total, { amount }) => total + amount, 0)
      expect(usedOf(limit(kind, 0, window), journal, now)).toBe(BigInt(sum))
    })
  })

  it('of playing time is the sum of the times between stakes, and a minute for each first stake', () => {
    forMany(300, anyEntries, (entries) => {
      const journal = funded()
      let [at, last] = [NOW, -Infinity]
      const added = entries.map((entry) => {
        at += entry.gapMs
        record(journal, entry, at)
        if (entry.kind === 'credit' || entry.kind === 'deposit') return { at, ms: 0 }
        const ms = at - last < SESSION_GAP_MS ? at - last : FIRST_STAKE_MS
        last = at
        return { at, ms }
      })
      const within = added.filter((entry) => entry.at > at - DAY_MS)
      const sum = within.reduce((total, { ms }) => total + ms, 0)
      expect(usedOf(minutesLimit(1), journal, at)).toBe(BigInt(sum))
    })
  })
})

describe('a limit of playing time', () => {
  /** A journal with a stake every ten minutes, the last one now. */
  function playing(minutes: number): TestJournal {
    const journal = funded()
    for (let ago = minutes - 1; ago > 0; ago -= 10) journal.play(NOW - ago * MINUTE_MS, 1n)
    journal.play(NOW, 1n)
    return journal
  }

  it('refuses a stake that would take the time played above it', () => {
    const next = NOW + 5 * MINUTE_MS
    expect(checkProtection(limited(minutesLimit(36)), stake(1, next), playing(31))).toBeNull()
    expect(checkProtection(limited(minutesLimit(35)), stake(1, next), playing(31))).toMatchObject(
      reachedAt(NOW + SESSION_GAP_MS, 4, 'session'),
    )
  })

  it('that is used up lets nobody play after a break, until the first minutes have left the window', () => {
    const journal = playing(31)
    const later = NOW + 2 * SESSION_GAP_MS
    expect(checkProtection(limited(minutesLimit(31)), stake(1, later), journal)).toMatchObject(
      reachedAt(NOW - 30 * MINUTE_MS + DAY_MS, 0, 'session'),
    )
  })
})

describe('a deposit', () => {
  it('becomes chips as far as all its limits allow', () => {
    const journal = funded()
    journal.deposit(NOW - 9, 30n)
    const deposit = { token: 'ETH', amountWei: 100n, at: NOW } as const
    const allowed = (...limits: Limit[]) => allowedDeposit(limited(...limits), deposit, journal)
    expect(allowed()).toBe(100n)
    expect(allowed(limit('deposit', 1_000), limit('loss', 0))).toBe(100n)
    expect(allowed(limit('deposit', 90))).toBe(60n)
    expect(allowed(limit('deposit', 90), limit('deposit', 50, 'week'))).toBe(20n)
    expect(allowed(limit('deposit', 20))).toBe(0n)
    expect(allowed({ ...limit('deposit', 0), token: 'USDG' })).toBe(100n)
  })

  it('does not count as far as it went into quarantine', () => {
    const journal = funded()
    journal.deposit(NOW - 9, 70n, 40n)
    expect(usedOf(limit('deposit', 30), journal, NOW)).toBe(30n)
  })
})

describe('an exclusion', () => {
  it('refuses every stake and says until when', () => {
    const excluded = { ...UNPROTECTED, excludedUntil: NOW + 1 }
    expect(checkProtection(excluded, stake(1), funded())).toMatchObject({
      error: { code: 'excluded', details: { until: NOW + 1 } },
    })
    expect(checkProtection(excluded, stake(1, NOW + 1), funded())).toBeNull()
    expect(checkExclusion({ ...UNPROTECTED, isExcludedUntilAsked: true }, NOW)).toMatchObject({
      error: { code: 'excluded', details: { until: null } },
    })
  })

  it.each([
    [
      false,
      'You have excluded yourself from play until 7 days after you ask to end the exclusion.',
    ],
    [
      true,
      'The player has excluded themselves from play until 7 days after they ask to end the exclusion.',
    ],
  ])('without an end says what ends it (to a partner: %s)', (isDebit, message) => {
    const refusal = checkExclusion({ ...UNPROTECTED, isExcludedUntilAsked: true }, NOW, isDebit)
    expect(refusal?.error.message.startsWith(message)).toBe(true)
  })
})
