import { describe, expect, it } from 'vitest'
import {
  DRIFT_STAYS_MS,
  driftChanges,
  hasStayed,
  isPauseDue,
  sizeOf,
  type Drifting,
  type StoredDrift,
} from '../../../src/reconciliation/drift.ts'
import type { Drift } from '../../../src/reconciliation/reconcile.ts'

const SHORT: Drift = { token: 'ETH', place: '0xA11ce', amountWei: -7n }
const SINCE = 1_000
const kept = (drift: Drift, since = SINCE): StoredDrift => ({ ...drift, since, until: null })
const drifting: Drifting = { token: 'ETH', since: SINCE, pausedWei: 0n }

describe('a drift', () => {
  it('begins once, and stays while it has the same amount', () => {
    const first = driftChanges([], [], [SHORT], SINCE)
    expect(first).toEqual({ ended: [], began: [SHORT], drifting: [drifting] })
    const second = driftChanges([kept(SHORT)], first.drifting, [SHORT], SINCE + 60_000)
    expect(second).toEqual({ ended: [], began: [], drifting: [drifting] })
  })

  it('of another amount or in another place is another one, but the token has drifted as long', () => {
    const moved = { ...SHORT, place: 'others' }
    expect(driftChanges([kept(SHORT)], [drifting], [moved], SINCE + 60_000)).toEqual({
      ended: [kept(SHORT)],
      began: [moved],
      drifting: [drifting],
    })
  })

  it('ends when it is no longer found, and the next one begins anew', () => {
    const over = driftChanges([kept(SHORT)], [drifting], [], SINCE + 60_000)
    expect(over).toEqual({ ended: [kept(SHORT)], began: [], drifting: [] })
    expect(driftChanges([], over.drifting, [SHORT], 5_000_000).drifting).toEqual([
      { ...drifting, since: 5_000_000 },
    ])
  })

  it('is reported after ten minutes', () => {
    expect(hasStayed(drifting, SINCE + DRIFT_STAYS_MS - 1)).toBe(false)
    expect(hasStayed(drifting, SINCE + DRIFT_STAYS_MS)).toBe(true)
  })

  it('pauses withdrawals after ten minutes, and again only when it has grown', () => {
    const [before, after] = [SINCE + DRIFT_STAYS_MS - 1, SINCE + DRIFT_STAYS_MS]
    expect(isPauseDue(drifting, [SHORT], before)).toBe(false)
    expect(isPauseDue(drifting, [SHORT], after)).toBe(true)
    const paused = { ...drifting, pausedWei: 7n }
    expect(isPauseDue(paused, [SHORT], after)).toBe(false)
    expect(isPauseDue(paused, [{ ...SHORT, amountWei: -6n }], after)).toBe(false)
    expect(isPauseDue(paused, [{ ...SHORT, amountWei: -8n }], after)).toBe(true)
  })

  it('counts with opposite ones, not against them', () => {
    expect(sizeOf('ETH', [SHORT, { ...SHORT, place: '0xB0b', amountWei: 7n }])).toBe(14n)
    expect(sizeOf('USDG', [SHORT])).toBe(0n)
  })
})
