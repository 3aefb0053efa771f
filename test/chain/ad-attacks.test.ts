import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { get, now, pass, Player, outcomeOf } from '../workers/support.ts'
import { day, pay, rent } from './ads.ts'
import { useChain } from './support.ts'

useChain()

const DAY = 86_400_000
const alice = new Player(0)

describe('the advertising slot under attack', () => {
  it('does not free the payment of an ad that was taken down', async () => {
    const txHash = await pay(alice)
    expect((await rent(alice, txHash)).status).toBe(200)
    // The operator takes an ad down by deleting its row.
    await env.DB.prepare('DELETE FROM rentals WHERE id = ?').bind(txHash).run()
    expect(outcomeOf(await rent(alice, txHash, { date: day(2) }))).toEqual([409, 'payment_used'])
  })

  it('gives a repeated call the same answer after the day has passed', async () => {
    const txHash = await pay(alice)
    const date = day(0)
    const first = await rent(alice, txHash, { date })
    expect(first.status).toBe(200)
    pass(DAY)
    const again = await rent(alice, txHash, { date })
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  it('takes no payment for a day that has passed when it is booked', async () => {
    const midnight = (Math.floor(now() / DAY) + 1) * DAY
    const txHash = await pay(alice)
    pass(midnight - now() - 1_000)
    const date = day(0)
    const real = globalThis.fetch
    let late = false
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
      if (!late) pass(2_000) // the chain is slow
      late = true
      return real(...args)
    })
    const { status, body } = await rent(alice, txHash, { date })
    vi.restoreAllMocks()
    expect(late).toBe(true)
    // Either the rental is refused, or it includes a day on which the ad is shown.
    expect([status, status === 200 && body.rental.endsAt <= now()]).toEqual([400, false])
  })

  it('refuses a title with half a surrogate, or answers a repeat identically', async () => {
    const txHash = await pay(alice)
    const title = 'half \ud83d'
    const first = await rent(alice, txHash, { title })
    const again = await rent(alice, txHash, { title })
    // Compared as texts: half a surrogate in a failure message crashes the test runner.
    expect([again.status, JSON.stringify(again.body) === JSON.stringify(first.body)]).toEqual([
      first.status,
      true,
    ])
  })

  it('refuses an invisible title', async () => {
    const { status } = await rent(alice, await pay(alice), { title: '\u3164\u2800' })
    expect(status).toBe(400)
  })

  it('refuses a link to a non-public host and a link too long to store', async () => {
    const txHash = await pay(alice)
    const bad = [
      'https://metadata.google.internal/',
      'https://printer.local/',
      'https://app.localhost/',
      `https://example.com/${'\u20ac'.repeat(2_000)}`,
    ]
    const statuses = []
    for (const [i, linkUrl] of bad.entries()) {
      const tx = i === 0 ? txHash : await pay(alice)
      statuses.push((await rent(alice, tx, { linkUrl, date: day(i + 1) })).status)
    }
    expect(statuses).toEqual([400, 400, 400, 400])
  })

  it('lists the day of the active ad as taken', async () => {
    const txHash = await pay(alice)
    await rent(alice, txHash, { date: day(0) })
    const { body } = await get('/api/ad-rental')
    expect(body.activeRental).not.toBeNull()
    expect(body.availableSlots[0].available).toBe(false)
  })
})
