import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../../src/core/utc-day.ts'
import { firstReview, isDue, mustDecide } from '../../../../src/play/limits/review.ts'
import type { Limit } from '../../../../src/play/limits/words.ts'

const NOW = 1_800_000_000_000

const limitFrom = (from: number): Limit => ({
  kind: 'loss',
  window: 'day',
  token: 'ETH',
  amountWei: '1',
  minutes: null,
  from,
  pending: null,
  used: '0',
})

describe('the review of an account', () => {
  it('is due half a year after the newest limit began, in a browser that knows of none', () => {
    const limits = [limitFrom(NOW - 200 * DAY_MS), limitFrom(NOW - 90 * DAY_MS)]
    const review = firstReview({ limits }, NOW)
    expect(isDue(review, NOW)).toBe(false)
    expect(isDue(review, NOW + 90 * DAY_MS - 1)).toBe(false)
    expect(isDue(review, NOW + 90 * DAY_MS)).toBe(true)
    expect(isDue(firstReview({ limits: limits.slice(0, 1) }, NOW), NOW)).toBe(true)
  })

  it('is due half a year after the first visit of a player without limits', () => {
    const review = firstReview({ limits: [] }, NOW)
    expect(isDue(review, NOW + 180 * DAY_MS - 1)).toBe(false)
    expect(isDue(review, NOW + 180 * DAY_MS)).toBe(true)
  })

  it('is due as often as the player chose', () => {
    const review = { ...firstReview({ limits: [] }, NOW), everyDays: 30 }
    expect(isDue(review, NOW + 30 * DAY_MS - 1)).toBe(false)
    expect(isDue(review, NOW + 30 * DAY_MS)).toBe(true)
  })
})

it('only a player without limits must decide about one, and only once', () => {
  const review = firstReview({ limits: [] }, NOW)
  expect(mustDecide({ limits: [] }, review)).toBe(true)
  expect(mustDecide({ limits: [] }, { ...review, hasDecided: true })).toBe(false)
  expect(mustDecide({ limits: [limitFrom(NOW)] }, review)).toBe(false)
})
