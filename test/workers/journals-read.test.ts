import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { replay, type JournalEntry } from '../../src/ledger/journal.ts'
import { Ledger } from '../../src/worker.ts'
import { look, OPERATORS, signInHeader } from './operator.ts'
import { fundedPlayer, outcomeOf, pass, rowsOf, useStories, type Player } from './support.ts'

useStories()

/** Players whose positions are in D1, in the order of their wallets. */
async function players(count: number): Promise<Player[]> {
  const all = Array.from({ length: count }, (_, index) => index)
  const funded = await Promise.all(all.map((index) => fundedPlayer(index)))
  for (const player of funded) {
    await player.play()
    await ledger(env, player.wallet).sendPosition()
  }
  return funded.toSorted((some, other) => (some.wallet < other.wallet ? -1 : 1))
}

async function verifyAll() {
  const authorization = await signInHeader(OPERATORS.support)
  const pages = []
  for (let after = ''; ;) {
    const { body } = await look(`?action=verify${after}`, authorization)
    pages.push(body)
    if (body.next === null) return pages
    after = `&after=${body.next}`
  }
}

describe('verifying all journals', () => {
  it('is for support and above, and reading them for admins', async () => {
    for (const [role, verifies, reads] of [
      ['viewer', 403, 403],
      ['support', 200, 403],
      ['treasurer', 200, 403],
      ['admin', 200, 200],
    ] as const) {
      const authorization = await signInHeader(OPERATORS[role])
      expect((await look('?action=verify', authorization)).status).toBe(verifies)
      expect((await look('?action=journals', authorization)).status).toBe(reads)
    }
    const unknown = await look('?action=verify&after=0x12', await signInHeader(OPERATORS.admin))
    expect(outcomeOf(unknown)).toEqual([400, 'invalid_request'])
  })

  it('logs the admin who reads the journals of all players', async () => {
    const logged = vi.spyOn(console, 'log')
    await look('?action=journals', await signInHeader(OPERATORS.admin))
    const operator = OPERATORS.admin.address
    const line = JSON.stringify({ level: 'info', event: 'journals_read', operator })
    expect(logged.mock.calls.flat()).toEqual([line])
  })

  it('finds each of them right', async () => {
    await players(3)
    expect(await verifyAll()).toEqual([
      { ok: true, wallets: 3, segments: 0, failures: [], next: null },
    ])
  })

  it('names one that was altered, one that does not answer and one that went back, and goes on', async () => {
    const [altered, silent, back] = await players(4)
    await env.DB.prepare('UPDATE ledger_positions SET version = 9 WHERE wallet = ?')
      .bind(back?.wallet)
      .run()
    const verify = Reflect.get(Ledger.prototype, 'verify')
    vi.spyOn(Ledger.prototype, 'verify').mockImplementation(async function (this: Ledger) {
      const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
      if (name === altered?.wallet) return { ok: false, problem: 'entry 2: it was altered' }
      if (name === silent?.wallet) throw new Error('no such table')
      return verify.call(this)
    })
    const [page] = await verifyAll()
    expect(page).toMatchObject({ wallets: 4, next: null })
    expect(page.failures).toEqual([
      { wallet: altered?.wallet, segment: null, problem: 'entry 2: it was altered' },
      { wallet: silent?.wallet, segment: null, problem: 'it does not answer: no such table' },
      {
        wallet: back?.wallet,
        segment: null,
        problem: expect.stringContaining('was restored to an earlier time'),
      },
    ])
  })

  it('answers before its client gives up, however long each of them takes', async () => {
    await players(3)
    const verify = Reflect.get(Ledger.prototype, 'verify')
    vi.spyOn(Ledger.prototype, 'verify').mockImplementation(async function (this: Ledger) {
      pass(3_000)
      return verify.call(this)
    })
    expect((await verifyAll()).map(({ wallets }) => wallets)).toEqual([2, 1])
  })

  it('goes on in the midst of an archive, so that no call takes too long', async () => {
    const [, second] = await players(3)
    const verify = Reflect.get(Ledger.prototype, 'verify')
    vi.spyOn(Ledger.prototype, 'verify').mockImplementation(async function (this: Ledger) {
      const audit = await verify.call(this)
      const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
      return audit.ok && name === second?.wallet ? { ...audit, archived: 13 } : audit
    })
    const verified: number[] = []
    vi.spyOn(Ledger.prototype, 'verifySegment').mockImplementation(async (segment) => {
      verified.push(segment)
      return segment === 12 ? { ok: false, problem: 'it is missing' } : { ok: true }
    })
    const [first, last] = await verifyAll()
    expect(first).toMatchObject({ wallets: 2, segments: 10, next: `${second?.wallet}:10` })
    expect(last).toMatchObject({
      wallets: 1,
      segments: 3,
      next: null,
      failures: [{ wallet: second?.wallet, segment: 12, problem: 'it is missing' }],
    })
    expect(verified).toEqual(Array.from({ length: 13 }, (_, index) => index + 1))
  })
})

describe('reading all journals', () => {
  it('names one that does not answer, and goes on', async () => {
    const [silent, other] = await players(2)
    const read = Reflect.get(Ledger.prototype, 'journal')
    vi.spyOn(Ledger.prototype, 'journal').mockImplementation(async function (this: Ledger, after) {
      const { name } = (this as unknown as { ctx: DurableObjectState }).ctx.id
      if (name === silent?.wallet) throw new Error('no such table')
      return read.call(this, after)
    })
    const authorization = await signInHeader(OPERATORS.admin)
    const { body } = await look('?action=journals', authorization)
    expect(body).toMatchObject({
      wallet: silent?.wallet,
      entries: [],
      next: silent?.wallet,
      problem: 'it does not answer: no such table',
    })
    const next = await look(`?action=journals&after=${body.next}`, authorization)
    expect(next.body).toMatchObject({ wallet: other?.wallet, problem: null })
  })

  it('shows every entry once, chained, and no secret', async () => {
    const everyone = await players(2)
    const authorization = await signInHeader(OPERATORS.admin)
    const found = new Map<string, JournalEntry[]>()
    let text = ''
    for (let after = ''; ;) {
      const page = await look(`?action=journals${after}`, authorization)
      text += page.text
      const { wallet, entries, next } = page.body
      if (next === null) break
      found.set(wallet, [...(found.get(wallet) ?? []), ...entries])
      after = `&after=${next}`
    }
    expect([...found.keys()]).toEqual(everyone.map(({ wallet }) => wallet))
    for (const [wallet, entries] of found) {
      const audit = await ledger(env, wallet).verify()
      expect(replay(entries)).toMatchObject({ ok: true, headHash: audit.ok && audit.headHash })
      const [latest] = await rowsOf<{ head: string }>(
        ledger(env, wallet),
        'SELECT lower(hex(head)) AS head FROM journal_1 ORDER BY seq DESC LIMIT 1',
      )
      // The seed of the next play is the end of the head.
      expect(latest?.head.length).toBeGreaterThan(64)
      expect(text).not.toContain(latest?.head.slice(-64))
    }
  })
})
