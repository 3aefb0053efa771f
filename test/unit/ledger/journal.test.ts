import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyBalances, post, type Posting } from '../../../src/ledger/accounts.ts'
import {
  differenceFrom,
  entryHash,
  GENESIS_HASH,
  replay,
  type JournalEntry,
} from '../../../src/ledger/journal.ts'
import { emptyTotals, TOTALS } from '../../../src/ledger/totals.ts'
import { anyPostings, posting } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

/** A journal like one written by a ledger. */
function journalOf(
  operations: (Pick<JournalEntry, 'request' | 'postings' | 'result'> & { operationId?: string })[],
): JournalEntry[] {
  const entries: JournalEntry[] = []
  for (const [index, operation] of operations.entries()) {
    const entry = {
      operationId: `operation ${index + 1}`,
      ...operation,
      seq: index + 1,
      at: 1_000 + index,
      headDigest: 'd1'.repeat(32),
      previousHash: entries.at(-1)?.hash ?? GENESIS_HASH,
    }
    entries.push({ ...entry, hash: entryHash(entry) })
  }
  return entries
}

const STORY: Posting[][] = [
  [posting('faucet', 'chips', 100n)],
  [posting('chips', 'in_play', 40n)],
  [],
  [posting('in_play', 'house', 40n), posting('house', 'chips', 60n)],
]
const IDS = ['faucet:1', 'bet:7:0', 'permission:1', 'settle:7:0']
const JOURNAL = journalOf(
  STORY.map((postings, index) => ({
    operationId: IDS[index] ?? '',
    request: `{"n":${index}}`,
    postings,
    result: '{"ok":true}',
  })),
)

/** The journal with one entry changed, optionally with a matching hash. */
function altered(seq: number, change: Partial<JournalEntry>, rehash = false): JournalEntry[] {
  return JOURNAL.map((entry) => {
    if (entry.seq !== seq) return entry
    const changed = { ...entry, ...change }
    return rehash ? { ...changed, hash: entryHash(changed) } : changed
  })
}

describe('replaying a journal', () => {
  it('rebuilds every balance', () => {
    const replayed = replay(JOURNAL)
    expect(replayed).toMatchObject({ ok: true, entries: 4, headHash: JOURNAL[3]?.hash })
    expect(replayed.ok && replayed.balances.ETH).toMatchObject({
      chips: 120n,
      in_play: 0n,
      house: -20n,
      faucet: -100n,
    })
  })

  it('rebuilds every total, and finds a head with another balance or total', () => {
    const replayed = replay(JOURNAL)
    if (!replayed.ok) throw new Error(replayed.problem)
    const { balances, totals } = replayed
    expect(totals.ETH).toEqual({
      wagered: 40n,
      returned: 60n,
      deposited: 100n,
      withdrawn: 0n,
      bets: 1n,
      debited: 0n,
    })
    expect(differenceFrom(replayed, { balances, totals })).toBeNull()
    for (const total of TOTALS) {
      const wrong = { ...totals, USDG: { ...totals.USDG, [total]: 1n } }
      expect(differenceFrom(replayed, { balances, totals: wrong })).toBe(`${total} of USDG`)
    }
    const others = { ...balances, ETH: { ...balances.ETH, chips: 1n } }
    expect(differenceFrom(replayed, { balances: others, totals })).toBe('chips of ETH')
  })

  it('of no entries is an empty ledger', () => {
    expect(replay([])).toEqual({
      ok: true,
      balances: emptyBalances(),
      totals: emptyTotals(),
      entries: 0,
      headHash: GENESIS_HASH,
    })
  })

  it('rebuilds the same balances as posting the same movements', () => {
    forAll(fc.array(anyPostings, { maxLength: 5 }), (operations) => {
      const funding = operations.flat().map(({ token, from, amountWei }) => {
        return {
          token,
          from: from === 'faucet' ? ('vault' as const) : ('faucet' as const),
          to: from,
          amountWei,
        }
      })
      const story = [funding, ...operations]
      const entries = journalOf(story.map((postings) => ({ request: '', postings, result: '' })))
      const replayed = replay(entries)
      expect(replayed.ok && replayed.balances).toEqual(post(emptyBalances(), story.flat()))
    })
  })
})

describe('a journal that was tampered with', () => {
  const changes: Record<keyof JournalEntry, Partial<JournalEntry>> = {
    seq: { seq: 7 },
    operationId: { operationId: 'another' },
    request: { request: '{"n":9}' },
    postings: { postings: [posting('chips', 'in_play', 41n)] },
    result: { result: '{"ok":false}' },
    at: { at: 999 },
    headDigest: { headDigest: 'd2'.repeat(32) },
    previousHash: { previousHash: 'ab'.repeat(32) },
    hash: { hash: 'ab'.repeat(32) },
  }

  it.each(Object.entries(changes))('is detected at an entry with another %s', (_field, change) => {
    expect(replay(altered(2, change))).toMatchObject({ ok: false, seq: 2 })
  })

  it.each(Object.entries(changes).filter(([field]) => field !== 'hash'))(
    'is detected one entry later at the latest, if the hash was recomputed for another %s',
    (_field, change) => {
      const replayed = replay(altered(2, change, true))
      expect(replayed.ok ? null : replayed.seq).toBeOneOf([2, 3])
    },
  )

  it.each<[string, Partial<Posting>]>([
    ['token', { token: 'USDG' }],
    ['payer', { from: 'vault' }],
    ['receiver', { to: 'fees' }],
    ['amount', { amountWei: '101' }],
  ])('is detected at an entry with another %s in a posting', (_field, change) => {
    const postings = [{ ...posting('faucet', 'chips', 100n), ...change }]
    expect(replay(altered(1, { postings }))).toEqual({
      ok: false,
      seq: 1,
      problem: 'the entry was altered',
    })
  })

  it.each([1, 2, 3])('is detected where entry %i was removed', (seq) => {
    const shortened = JOURNAL.filter((entry) => entry.seq !== seq)
    expect(replay(shortened)).toEqual({ ok: false, seq, problem: `entry ${seq} is missing` })
  })

  it('is detected where an entry was removed and the others renumbered', () => {
    const [first, , ...rest] = JOURNAL
    const renumbered = [first, ...rest].flatMap((entry, index) => {
      return entry ? [{ ...entry, seq: index + 1 }] : []
    })
    expect(replay(renumbered)).toEqual({ ok: false, seq: 2, problem: 'the hash chain is broken' })
  })

  it('is detected by the hash of the head if the last entry was removed', () => {
    const whole = replay(JOURNAL)
    const shortened = replay(JOURNAL.slice(0, -1))
    expect(whole.ok && shortened.ok && whole.headHash !== shortened.headHash).toBe(true)
  })

  it('is detected wherever two entries were swapped', () => {
    forAll(fc.shuffledSubarray(JOURNAL, { minLength: JOURNAL.length }), (shuffled) => {
      const inOrder = shuffled.every(({ seq }, index) => seq === index + 1)
      expect(replay(shuffled).ok).toBe(inOrder)
    })
  })

  it('is detected by movements that no ledger allows, even if every hash matches', () => {
    const overdrawn = journalOf([
      { request: '', postings: [posting('chips', 'house', 1n)], result: '' },
    ])
    expect(replay(overdrawn)).toMatchObject({
      ok: false,
      seq: 1,
      problem: 'the ETH account chips is negative',
    })
  })
})
