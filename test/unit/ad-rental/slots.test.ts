import { describe, expect, it } from 'vitest'
import { rentalText } from '../../../src/ad-rental/rental.ts'
import { openDays, shownTier, slotFrom, tierOf } from '../../../src/ad-rental/slots.ts'
import { RentBody } from '../../../src/api/ad-rental/schema.ts'
import { JsonNumber } from '../../../src/core/json.ts'

const NOON = Date.UTC(2028, 1, 28, 12)

describe('the days available for rent', () => {
  it('are thirty, starting today, across month ends and leap days', () => {
    const days = openDays(NOON)
    expect(days).toHaveLength(30)
    expect(days.slice(0, 4)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01', '2028-03-02'])
    expect(days.at(-1)).toBe('2028-03-28')
  })

  it('change at midnight UTC', () => {
    const midnight = Date.UTC(2028, 1, 29)
    expect(openDays(midnight - 1)[0]).toBe('2028-02-28')
    expect(openDays(midnight)[0]).toBe('2028-02-29')
  })
})

describe('a slot', () => {
  it('consists of whole days', () => {
    expect(slotFrom('2028-02-29', 3, NOON)).toEqual({
      days: ['2028-02-29', '2028-03-01', '2028-03-02'],
      startsAt: Date.UTC(2028, 1, 29),
      endsAt: Date.UTC(2028, 2, 3),
    })
  })

  it('that starts today begins now', () => {
    expect(slotFrom('2028-02-28', 1, NOON)).toMatchObject({
      startsAt: NOON,
      endsAt: Date.UTC(2028, 1, 29),
    })
  })

  it.each([
    ['2028-02-27', 1],
    ['2028-03-29', 1],
    ['2028-03-28', 2],
    ['2028-02-30', 1],
    ['', 1],
  ])('is unavailable from %s for %s days', (date, days) => {
    expect(slotFrom(date, days, NOON)).toBeNull()
  })
})

describe('a tier', () => {
  const tiers = [{ days: 3, label: 'Three days', priceWei: '5' }]

  it('is found by its hours', () => {
    expect(tierOf(tiers, 72)).toBe(tiers[0])
    expect(tierOf(tiers, 71)).toBeNull()
    expect(tiers.map(shownTier)).toEqual([{ hours: 72, days: 3, label: 'Three days', eth: '5' }])
  })
})

describe('a rental request', () => {
  const body = {
    txHash: `0x${'Ab'.repeat(32)}`,
    date: '2028-02-29',
    hours: new JsonNumber('24'),
    title: '  Play fair  ',
    imageUrl: 'https://cdn.example.com/a.png',
    linkUrl: 'https://example.com',
  }

  it('is normalised', () => {
    expect(RentBody.parse(body)).toEqual({
      ...body,
      txHash: `0x${'ab'.repeat(32)}`,
      hours: 24,
      title: 'Play fair',
    })
  })

  it.each([
    ['https://example.com', 'https://example.com'],
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com?ad=1#top', 'https://example.com?ad=1#top'],
    ['https://Example.com', 'https://example.com/'],
    ['https://example.com\\@evil.example', 'https://example.com/@evil.example'],
    ['https:example.com', 'https://example.com/'],
    ['https://example.com/\u202egnp', 'https://example.com/%E2%80%AEgnp'],
    [' https://exa\nmple.com/a b ', 'https://example.com/a%20b'],
  ])('keeps %j as %j: what was checked, and as sent if only the slash is missing', (sent, kept) => {
    expect(RentBody.parse({ ...body, linkUrl: sent }).linkUrl).toBe(kept)
  })

  it('is the same with and without the slash after the host', () => {
    const text = (linkUrl: string) =>
      rentalText({ wallet: '0x1', ...RentBody.parse({ ...body, linkUrl }) })
    expect(text('https://example.com')).toBe(text('https://example.com/'))
    expect(text('https://example.com')).not.toBe(text('https://example.com/a'))
  })

  it.each([
    ['no title', { title: '   ' }],
    ['a title that is too long', { title: 'x'.repeat(81) }],
    ['a title of two lines', { title: 'a\nb' }],
    ['a title that reverses its text', { title: 'a\u202eb' }],
    ['a title with hidden characters', { title: 'a\u200bb' }],
    ['http', { linkUrl: 'http://example.com' }],
    ['javascript', { linkUrl: 'javascript:alert(1)' }],
    ['data', { imageUrl: 'data:image/png;base64,AAAA' }],
    ['a password', { linkUrl: 'https://user:pass@example.com' }],
    ['a private address', { imageUrl: 'https://192.168.0.1/a.png' }],
    ['a numeric address', { imageUrl: 'https://2130706433/a.png' }],
    ['an IPv6 address', { imageUrl: 'https://[::1]/a.png' }],
    ['a name without a dot', { linkUrl: 'https://localhost/' }],
    ['a URL that is too long', { linkUrl: `https://example.com/${'x'.repeat(2_048)}` }],
    ['an invalid URL', { linkUrl: 'example.com' }],
    ['half a date', { date: '2028-2-9' }],
    ['an impossible date', { date: '2027-02-29' }],
    ['half a hash', { txHash: '0x12' }],
    ['hours as text', { hours: '24' }],
  ])('is refused with %s', (_what, other) => {
    expect(RentBody.safeParse({ ...body, ...other }).success).toBe(false)
  })
})
