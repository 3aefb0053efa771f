import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '../../../src/core/refusal.ts'
import { DAY_MS, HOUR_MS } from '../../../src/core/utc-day.ts'
import {
  ceilingOf,
  LIMIT_KINDS,
  LIMIT_WINDOWS,
  type LimitScope,
  type LimitValue,
} from '../../../src/protection/limit.ts'
import {
  changed,
  exclusionEnd,
  isExcluded,
  isTighter,
  READMITTED_AFTER_MS,
  UNPROTECTED,
  type Protection,
  type ProtectionChange,
} from '../../../src/protection/protection.ts'
import { forAll, forMany } from '../support/for-all.ts'

const NOW = 1_700_000_000_000
const DAILY_LOSS: LimitScope = { kind: 'loss', window: 'day', token: 'USDG' }

function set(amountWei: number, counted = DAILY_LOSS): ProtectionChange {
  return { action: 'set', counted, most: { amountWei: amountWei.toString(), minutes: null } }
}

const remove: ProtectionChange = { action: 'remove', counted: DAILY_LOSS }
const confirm: ProtectionChange = { action: 'confirm', counted: DAILY_LOSS }

/** The protection after some changes, each at its time after the start. Refused ones change nothing. */
function after(...steps: [change: ProtectionChange, afterMs: number][]): Protection {
  return steps.reduce<Protection>((protection, [change, ms]) => {
    const next = changed(protection, change, NOW + ms)
    return isRefusal(next) ? protection : next
  }, UNPROTECTED)
}

const limitOf = ({ limits }: Protection) => limits[0]

describe('a limit', () => {
  it('holds from the moment it is first set', () => {
    expect(limitOf(after([set(100), 0]))).toEqual({
      ...DAILY_LOSS,
      amountWei: '100',
      minutes: null,
      from: NOW,
      pending: null,
    })
  })

  it('is tightened at once, which drops what was pending', () => {
    const tightened = after([set(100), 0], [set(200), 1], [set(50), 2])
    expect(limitOf(tightened)).toMatchObject({ amountWei: '50', from: NOW + 2, pending: null })
  })

  it('is loosened 24 hours later, once that is confirmed', () => {
    const asked = after([set(100), 0], [set(200), 5])
    const pending = { amountWei: '200', minutes: null, from: NOW + 5 + DAY_MS }
    expect(limitOf(asked)).toMatchObject({ amountWei: '100', pending })
    expect(changed(asked, confirm, NOW + 4 + DAY_MS)).toMatchObject({
      error: { code: 'too_early', details: { from: NOW + 5 + DAY_MS } },
    })
    expect(changed(asked, confirm, NOW + 5 + DAY_MS)).toMatchObject({
      limits: [{ amountWei: '200', from: NOW + 5 + DAY_MS, pending: null }],
    })
  })

  it('is removed like a looser one', () => {
    const asked = after([set(100), 0], [remove, 0])
    expect(limitOf(asked)).toMatchObject({
      amountWei: '100',
      pending: { amountWei: null, minutes: null, from: NOW + DAY_MS },
    })
    expect(changed(asked, confirm, NOW + DAY_MS)).toMatchObject({ limits: [] })
  })

  it('waits no longer when the same looser value is asked for again', () => {
    const asked = after([set(100), 0], [set(200), 0])
    expect(changed(asked, set(200), NOW + HOUR_MS)).toBe(asked)
    expect(limitOf(after([set(100), 0], [set(200), 0], [set(150), 7]))).toMatchObject({
      pending: { amountWei: '150', from: NOW + 7 + DAY_MS },
    })
  })

  it('keeps its value when the current one is asked for, which drops what was pending', () => {
    expect(limitOf(after([set(100), 0], [set(200), 1], [set(100), 2]))).toMatchObject({
      amountWei: '100',
      from: NOW,
      pending: null,
    })
  })

  it('is not changed by a late repetition of an earlier, looser request', () => {
    const late = after([set(100), 0], [set(50), 1], [set(100), 2])
    expect(limitOf(late)).toMatchObject({ amountWei: '50' })
  })

  it('stands for itself: another window, token or kind is another limit', () => {
    const weekly: LimitScope = { ...DAILY_LOSS, window: 'week' }
    const { limits } = after([set(100), 0], [set(300, weekly), 0])
    expect(limits.map(({ window, amountWei }) => [window, amountWei])).toEqual([
      ['day', '100'],
      ['week', '300'],
    ])
  })

  it.each([set(100), confirm, remove])('is unchanged by a repeated %o', (change) => {
    const start = after([set(100), 0], [set(200), 0])
    const once = changed(start, change, NOW + DAY_MS)
    if (isRefusal(once)) throw new Error(once.error.message)
    expect(changed(once, change, NOW + DAY_MS)).toBe(once)
  })
})

describe('no sequence of calls', () => {
  const anyCounted: fc.Arbitrary<LimitScope> = fc.record({
    kind: fc.constantFrom(...LIMIT_KINDS),
    window: fc.constantFrom(...LIMIT_WINDOWS.slice(0, 2)),
    token: fc.constantFrom('USDG' as const),
  })
  const anyMost: fc.Arbitrary<LimitValue> = fc
    .integer({ min: 0, max: 5 })
    .map((amount) => ({ amountWei: amount.toString(), minutes: null }))
  const anyLimitChange: fc.Arbitrary<ProtectionChange> = fc.oneof(
    fc.record({ action: fc.constant('set' as const), counted: anyCounted, most: anyMost }),
    fc.record({
      action: fc.constantFrom('confirm' as const, 'remove' as const),
      counted: anyCounted,
    }),
  )
  const anyExclusion: fc.Arbitrary<ProtectionChange> = fc.oneof(
    fc.record({
      action: fc.constant('exclude' as const),
      days: fc.option(fc.integer({ min: 1, max: 1_825 })),
    }),
    fc.constant({ action: 'readmit' as const }),
    anyLimitChange,
  )
  const anyDelay = fc.constantFrom(0, 1, HOUR_MS, DAY_MS - 1, DAY_MS, 2 * DAY_MS)

  it('raises or removes a limit within 24 hours of its last change', () => {
    const steps = fc.array(fc.tuple(anyLimitChange, anyDelay), { maxLength: 40 })
    forMany(500, anyCounted, steps, (counted, calls) => {
      const ceilingIn = ({ limits }: Protection) => {
        const limit = limits.find(
          ({ kind, window }) => kind === counted.kind && window === counted.window,
        )
        return limit ? ceilingOf(limit) : null
      }
      let [protection, now, changedAt] = [UNPROTECTED, NOW, NOW]
      for (const [change, delay] of calls) {
        now += delay
        const next = changed(protection, change, now)
        if (isRefusal(next)) continue
        const [before, value] = [ceilingIn(protection), ceilingIn(next)]
        const isLooser = before !== null && (value === null || value > before)
        if (isLooser) expect(now - changedAt).toBeGreaterThanOrEqual(DAY_MS)
        if (value !== before) changedAt = now
        protection = next
      }
    })
  })

  it('shortens an exclusion, or ends one without an end before 7 days have passed', () => {
    forAll(fc.array(fc.tuple(anyExclusion, anyDelay), { maxLength: 40 }), (calls) => {
      let [protection, now, promised] = [UNPROTECTED, NOW, 0]
      for (const [change, delay] of calls) {
        now += delay
        const next = changed(protection, change, now)
        if (isRefusal(next)) continue
        if (change.action === 'exclude') {
          promised = Math.max(promised, now + (change.days ?? 7) * DAY_MS)
        }
        if (protection.isExcludedUntilAsked) promised = Math.max(promised, now + 7 * DAY_MS)
        protection = next
        if (promised > 0) expect(isExcluded(protection, promised - 1)).toBe(true)
      }
    })
  })
})

describe('an exclusion', () => {
  it('ends after its days', () => {
    const excluded = after([{ action: 'exclude', days: 2 }, 0])
    expect(isExcluded(excluded, NOW + 2 * DAY_MS - 1)).toBe(true)
    expect(isExcluded(excluded, NOW + 2 * DAY_MS)).toBe(false)
    expect(exclusionEnd(excluded, NOW)).toBe(NOW + 2 * DAY_MS)
    expect(exclusionEnd(excluded, NOW + 2 * DAY_MS)).toBeNull()
  })

  it('is unchanged by one that would end no later', () => {
    const excluded = after([{ action: 'exclude', days: 30 }, 0])
    expect(changed(excluded, { action: 'exclude', days: 30 }, NOW)).toBe(excluded)
    expect(changed(excluded, { action: 'exclude', days: 1 }, NOW + DAY_MS)).toBe(excluded)
  })

  it('without days lasts until 7 days after its player asks for its end', () => {
    const excluded = after([{ action: 'exclude', days: null }, 0])
    expect(isExcluded(excluded, NOW + 10_000 * DAY_MS)).toBe(true)
    expect(exclusionEnd(excluded, NOW)).toBeNull()
    const asked = after([{ action: 'exclude', days: null }, 0], [{ action: 'readmit' }, 9])
    expect(exclusionEnd(asked, NOW + 9)).toBe(NOW + 9 + READMITTED_AFTER_MS)
    expect(changed(asked, { action: 'readmit' }, NOW + DAY_MS)).toBe(asked)
  })

  it('with days is not ended by asking', () => {
    const excluded = after([{ action: 'exclude', days: 30 }, 0])
    expect(changed(excluded, { action: 'readmit' }, NOW)).toBe(excluded)
    const both = after(
      [{ action: 'exclude', days: 30 }, 0],
      [{ action: 'exclude', days: null }, 0],
      [{ action: 'readmit' }, 0],
    )
    expect(exclusionEnd(both, NOW)).toBe(NOW + 30 * DAY_MS)
  })
})

describe('a protection that takes over what is known of a lost one', () => {
  const weekly: LimitScope = { ...DAILY_LOSS, window: 'week' }
  const takeOver = (own: Protection, known: Protection) => {
    const next = changed(own, { action: 'take-over', known }, NOW)
    if (isRefusal(next)) throw new Error(next.error.message)
    return next
  }

  it('has the limits of both, and the lower of two', () => {
    const one = after([set(100), 0], [set(300, weekly), 0])
    const other = after([set(50), 1])
    const both = { limits: [{ amountWei: '50' }, { window: 'week', amountWei: '300' }] }
    expect(takeOver(one, other)).toMatchObject(both)
    expect(takeOver(other, one)).toMatchObject(both)
  })

  it('is not loosened by what only one of them waits for', () => {
    const asked = after([set(100), 0], [set(200), 0])
    expect(limitOf(takeOver(asked, after([set(100), 0])))?.pending).toBeNull()
    expect(limitOf(takeOver(after([set(100), 0]), asked))?.pending).toBeNull()
    expect(takeOver(asked, asked)).toBe(asked)
  })

  it('ends an exclusion with the later of both', () => {
    const one = after([{ action: 'exclude', days: 30 }, 0])
    const other = after([{ action: 'exclude', days: 60 }, 0])
    const unending = after([{ action: 'exclude', days: null }, 0])
    expect(exclusionEnd(takeOver(one, other), NOW)).toBe(NOW + 60 * DAY_MS)
    expect(exclusionEnd(takeOver(other, one), NOW)).toBe(NOW + 60 * DAY_MS)
    expect(takeOver(one, unending).isExcludedUntilAsked).toBe(true)
    expect(takeOver(unending, one).isExcludedUntilAsked).toBe(true)
  })

  it('takes it over once', () => {
    const one = after([set(100), 0], [set(200), 1], [{ action: 'exclude', days: 3 }, 0])
    const reminded = { action: 'reality-check', minutes: 30 } as const
    const other = after([set(50, weekly), 0], [set(100), 2], [reminded, 3])
    const both = takeOver(one, other)
    expect(takeOver(both, other)).toBe(both)
    expect(takeOver(both, one)).toBe(both)
    expect(both).toMatchObject({ realityCheckMinutes: 30 })
  })
})

const remind = (minutes: number | null): ProtectionChange => ({ action: 'reality-check', minutes })
const weekly = set(100, { ...DAILY_LOSS, window: 'week' })
const forGood: ProtectionChange = { action: 'exclude', days: null }

it.each<[change: string, ProtectionChange, isTighter: boolean]>([
  ['a lower limit', set(50), true],
  ['the present limit instead of a higher one that is pending', set(100), true],
  ['another limit', weekly, true],
  ['a longer exclusion', { action: 'exclude', days: 9 }, true],
  ['an exclusion without an end', forGood, true],
  ['more reminders', remind(15), true],
  ['a higher limit', set(300), false],
  ['no limit', remove, false],
  ['the higher limit once it is confirmed', confirm, false],
  ['fewer reminders', remind(60), false],
  ['no reminders', remind(null), false],
])('tells whether it is tighter: %s', (_, change, expected) => {
  const excluded: ProtectionChange = { action: 'exclude', days: 3 }
  const before = after([set(100), 0], [set(200), 0], [excluded, 0], [remind(30), 0])
  const next = changed(before, change, NOW + DAY_MS)
  expect(!isRefusal(next) && next !== before && isTighter(next, before)).toBe(expected)
})

it('the end of an exclusion is not tighter', () => {
  const before = after([forGood, 0])
  expect(isTighter(after([forGood, 0], [{ action: 'readmit' }, 0]), before)).toBe(false)
})

it('a reality check is changed at once', () => {
  const every = (minutes: number | null) => ({ action: 'reality-check', minutes }) as const
  expect(after([every(30), 0]).realityCheckMinutes).toBe(30)
  expect(after([every(30), 0], [every(null), 1]).realityCheckMinutes).toBeNull()
})
