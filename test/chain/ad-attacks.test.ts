import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { get, now, pass, Player, useStories } from '../workers/support.ts'
import { day, pay, rent } from './ads.ts'
import { useChain } from './support.ts'

useStories()
useChain()

const DAY = 86_400_000
const alice = new Player(0)

describe('attacked: ads', () => {
  it('a taken-down ad does not give its payment back to be spent again', async () => {
    const txHash = await pay(alice)
    expect((await rent(alice, txHash)).status).toBe(200)
    // Decision 14: "taking down what should not be shown is the operator's, by deleting the row".
    await env.DB.prepare('DELETE FROM rentals WHERE id = ?').bind(txHash).run()
    const again = await rent(alice, txHash, { date: day(2) })
    expect([again.status, again.body.error?.code]).toEqual([409, 'payment_used'])
  })

  it('a repeated call answers as the first did when the day has passed', async () => {
    const txHash = await pay(alice)
    const date = day(0)
    const first = await rent(alice, txHash, { date })
    expect(first.status).toBe(200)
    pass(DAY)
    const again = await rent(alice, txHash, { date })
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  it('nobody pays for a day that is over when it is booked', async () => {
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
    // Either refused, or at least something that will be shown.
    expect([status, status === 200 && body.rental.endsAt <= now()]).toEqual([400, false])
  })

  it('a title with half a surrogate is refused, or answered alike when repeated', async () => {
    const txHash = await pay(alice)
    const title = 'half \ud83d'
    const first = await rent(alice, txHash, { title })
    const again = await rent(alice, txHash, { title })
    // Compared as texts: half a surrogate in a failure's own message ends the test runner.
    expect([again.status, JSON.stringify(again.body) === JSON.stringify(first.body)]).toEqual([
      first.status,
      true,
    ])
  })

  it('a title that shows nothing is refused', async () => {
    const { status } = await rent(alice, await pay(alice), { title: '\u3164\u2800' })
    expect(status).toBe(400)
  })

  it('a link is to a public name, on its stored length too', async () => {
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

  it('what is active agrees with what is taken', async () => {
    const txHash = await pay(alice)
    await rent(alice, txHash, { date: day(0) })
    const { body } = await get('/api/ad-rental')
    expect(body.activeRental).not.toBeNull()
    expect(body.availableSlots[0].available).toBe(false)
  })
})
