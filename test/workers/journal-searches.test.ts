import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Journal } from '../../durable-objects/ledger/journal.ts'
import { SegmentArchived } from '../../durable-objects/ledger/segments.ts'
import { EMPTY_HEAD, packHead, type Head } from '../../src/ledger/head.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { lastSeqOf, lineOf, segmentOf } from '../../src/ledger/segment.ts'
import { useShortSegments } from './archive.ts'
import { inBlankObject } from './kernel/support.ts'

const START = 1_800_000_000_000

/** An entry as a journal has to find it. */
interface Known {
  seq: number
  at: number
  id: string
  head: Head
}

/** What one entry changes: the time since the one before, and how far plays, rounds and attempts go on. */
interface Added {
  gapMs: number
  plays: number
  rounds: number
}

type Step = { kind: 'append' | 'undo'; added: Added[] } | { kind: 'archive' | 'wake' | 'forget' }

const added = fc.record<Added>({
  gapMs: fc.oneof(fc.constant(0), fc.constantFrom(1, 2, 5), fc.constant(1_000)),
  // A restored ledger leaves numbers out.
  plays: fc.oneof(fc.constant(0), fc.constant(1), fc.constant(7)),
  rounds: fc.oneof(fc.constant(0), fc.constantFrom(1, 3)),
})

/** Steps, the first of which appends. */
function stepsOf(least: number, most: number, count: number) {
  const entries = fc.array(added, { minLength: least, maxLength: most, size: 'max' })
  const appends = fc.record({ kind: fc.constant('append' as const), added: entries })
  const undone = fc.record({ kind: fc.constant('undo' as const), added: entries })
  const others = fc.record({
    kind: fc.constantFrom('archive' as const, 'wake' as const, 'forget' as const),
  })
  const step = fc.oneof(
    { weight: 4, arbitrary: appends },
    { weight: 1, arbitrary: undone },
    { weight: 3, arbitrary: others },
  )
  const steps = fc.array(step, { minLength: count / 2, maxLength: count, size: 'max' })
  return fc.tuple(appends, steps).map(([first, rest]): Step[] => [first, ...rest])
}

/** A journal beside a plain list of its entries. */
class Compared {
  readonly #storage: DurableObjectStorage
  readonly #files = new Map<number, string[]>()
  journal: Journal
  known: Known[] = []

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.journal = new Journal(storage.sql)
    const { segments, terms, ids } = this.journal
    for (const { migration } of [segments, terms, ids]) storage.sql.exec(migration.sql)
  }

  do(step: Step): void {
    if (step.kind === 'append') this.#append(step.added)
    if (step.kind === 'undo') this.#undo(step.added)
    if (step.kind === 'archive') for (let left = 0; left < 2; left++) this.#archive()
    if (step.kind === 'wake') this.journal = new Journal(this.#storage.sql)
    if (step.kind === 'forget') this.#forget()
  }

  #append(all: readonly Added[]): void {
    for (const { gapMs, plays, rounds } of all) {
      const { head: before, at } = this.known.at(-1) ?? { head: EMPTY_HEAD, at: START }
      const nonce = (before.nextPlay?.nonce ?? 0) + plays
      const nextPlay = plays === 0 ? before.nextPlay : { nonce, seed: 'ab'.repeat(32) }
      const change = {
        nextPlay,
        lastRoundId: before.lastRoundId + rounds,
        attempts: rounds === 0 ? before.attempts + (plays === 0 ? 1 : 0) : 1,
      }
      const seq = this.known.length + 1
      const id = plays > 0 ? operationId('entropy', nonce - 1) : operationId('lost', seq)
      this.journal.recordInOrder(
        { id, request: plays === 7 ? '["a",1]' : '["b",1]', at: at + gapMs },
        { postings: [], result: seq },
        change,
      )
      this.known.push({ seq, at: at + gapMs, id, head: { ...before, ...change } })
    }
  }

  #undo(all: readonly Added[]): void {
    const before = [...this.known]
    const fault = new Error('undone')
    expect(() =>
      this.#storage.transactionSync(() => {
        this.#append(all)
        // Searches within the transaction leave nothing behind, either.
        this.compare(5)
        throw fault
      }),
    ).toThrow(fault)
    this.known = before
    this.#forget()
  }

  #forget(): void {
    const { journal } = this
    for (const part of [journal.segments, journal.terms, journal]) part.forget()
  }

  #archive(): void {
    const { segments } = this.journal
    const { first, last } = segments.here
    if (first >= last) return
    this.#files.set(first, [...segments.entries(first, 1)].map(lineOf))
    this.#storage.transactionSync(() => segments.drop(first, new Uint8Array(32).buffer))
  }

  /** Runs work as the archive does: again with each segment that it needs. */
  run<T>(work: () => T): T {
    const { segments } = this.journal
    const held: number[] = []
    try {
      for (;;) {
        try {
          return work()
        } catch (fault) {
          if (!(fault instanceof SegmentArchived)) throw fault
          expect(held).not.toContain(fault.segment)
          expect(held.length).toBeLessThan(4)
          const lines = this.#files.get(fault.segment) ?? []
          segments.hold(fault.segment, { lines, room: { at: 0, reader: 'money', isTaken: true } })
          held.push(fault.segment)
        }
      }
    } finally {
      for (const segment of held) segments.release(segment)
    }
  }

  /** Compares the answers about every time, play and round, or about each of a number of them. */
  compare(every = 1): void {
    const { journal, known } = this
    const here = segmentOf(known.length) === 0 ? 1 : journal.segments.here.first
    const latest = known.at(-1)
    const headAt = (seq: number) => packed(known[seq - 1]?.head ?? EMPTY_HEAD)
    expect(journal.latest()).toMatchObject({ seq: known.length, at: latest?.at ?? 0 })
    const ats = [...new Set(known.flatMap(({ at }) => [at - 1, at, at + 1]))]
    const times = some([START - 1, ...ats], every)
    for (const time of times) {
      const by = known.filter(({ at }) => at <= time).length
      expect(packed(this.run(() => journal.headBy(time)))).toBe(headAt(by))
      expect(this.run(() => journal.firstSeqAfter(time))).toBe(by + 1)
      const afters = [
        0,
        1,
        lastSeqOf(here),
        lastSeqOf(here) - 1,
        by,
        by + 1,
        known.length - 1,
        known.length,
      ]
      for (const after of new Set(afters.filter((each) => each >= 0))) {
        const from = known.filter(({ seq, at }) => seq > after && at >= time)
        const segment = segmentOf(from[0]?.seq ?? 0)
        const expected = from.filter(({ seq }) => segmentOf(seq) === segment).map(({ seq }) => seq)
        const found = this.run(() => journal.pageAt(time, after, 1_000)).map(({ seq }) => seq)
        expect([time, after, found]).toEqual([time, after, expected])
        const two = this.run(() => journal.pageAt(time, after, 2)).map(({ seq }) => seq)
        expect([time, after, two]).toEqual([time, after, expected.slice(0, 2)])
      }
    }
    // The windows of limits, wherever they begin.
    for (let index = 0; index < times.length; index++) {
      const looked = [0, 1, 3, 8].map(
        (more) => times[(index * 5 + more * index) % times.length] ?? 0,
      )
      this.run(() => journal.lookBackAt(looked))
      for (const time of looked) {
        const by = known.filter(({ at }) => at <= time).length
        expect(packed(this.run(() => journal.headBy(time)))).toBe(headAt(by))
      }
    }
    const nonces = Array.from(
      { length: (latest?.head.nextPlay?.nonce ?? 0) + 2 },
      (_, nonce) => nonce,
    )
    for (const nonce of some(nonces, every)) {
      const expected = known.find(({ head }) => (head.nextPlay?.nonce ?? 0) > nonce)
      const found = this.run(() => journal.findPlay(nonce))
      expect([nonce, found?.seq, found?.id]).toEqual([nonce, expected?.seq, expected?.id])
      if (!found || !expected) continue
      expect(packed(found.before)).toBe(headAt(expected.seq - 1))
      expect(packed(found.head)).toBe(headAt(expected.seq))
    }
    const rounds = Array.from({ length: (latest?.head.lastRoundId ?? 0) + 2 }, (_, round) => round)
    for (const round of some(rounds, every)) {
      const before = known.filter(({ head }) => head.lastRoundId <= round).length
      const isLater = ({ lastRoundId }: Head) => lastRoundId > round
      expect(packed(this.run(() => journal.lastBefore(isLater)))).toBe(headAt(before))
      const last = known[before - 1]?.head
      const attempt = last?.lastRoundId === round ? last.attempts - 1 : 0
      const isTried = ({ lastRoundId, attempts }: Head) =>
        lastRoundId > round || (lastRoundId === round && attempts > attempt)
      const tried = known.find(({ head }) => isTried(head))
      expect(this.run(() => journal.first(isTried))?.seq).toBe(tried?.seq)
    }
    const nonce = Math.floor((latest?.head.nextPlay?.nonce ?? 0) / 2)
    const has = (head: Head) => (head.nextPlay?.nonce ?? 0) >= nonce
    for (const time of times.filter((each) => each < (latest?.at ?? 0))) {
      const first = known.find(({ at, head }) => at > time && has(head))
      const end = known[lastSeqOf(segmentOf(first?.seq ?? 0)) - 1]
      const isArchived = segmentOf(first?.seq ?? 0) < here
      const expected = isArchived ? [first?.at, end?.at] : [first?.at]
      expect(expected).toContain(journal.firstAt(time, has))
    }
    const firstHere = lastSeqOf(here - 1) + 1
    const newest = known.filter(({ seq }) => seq >= firstHere).toReversed()
    for (const [count, look] of [[3], [3, 4], [1_000, 1_001], [1_000]] as const) {
      const found = [...journal.newest(count, look)]
      expect(found.map(({ seq }) => seq)).toEqual(newest.slice(0, count).map(({ seq }) => seq))
      for (const { seq, before } of found) expect(packed(before)).toBe(headAt(seq - 1))
    }
    for (const [looked, count, request] of [
      [1_000, 2, ''],
      [5, 100, ''],
      [1_000, 100, '["a",'],
      [7, 3, '["b",'],
    ] as const) {
      const found = [...journal.newestOf(looked, count, { id: 'entropy:', request })]
      const expected = newest.filter(
        ({ seq, id }) =>
          seq > known.length - looked &&
          id.startsWith('entropy:') &&
          (request === '' || request === requestOf(known, seq)),
      )
      expect(found.map(({ seq }) => seq)).toEqual(expected.slice(0, count).map(({ seq }) => seq))
      for (const { seq, before } of found) expect(packed(before)).toBe(headAt(seq - 1))
    }
  }
}

function requestOf(known: readonly Known[], seq: number): string {
  const plays =
    (known[seq - 1]?.head.nextPlay?.nonce ?? 0) - (known[seq - 2]?.head.nextPlay?.nonce ?? 0)
  return plays === 7 ? '["a",' : '["b",'
}

function packed(head: Head): string {
  return Buffer.from(packHead(head)).toString('hex')
}

function some<T>(all: readonly T[], every: number): T[] {
  return all.filter((_, index) => index % every === 0 || index === all.length - 1)
}

async function compareAll(
  steps: fc.Arbitrary<Step[]>,
  { every, numRuns }: { every: number; numRuns: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, (all) =>
      inBlankObject(({ storage }) => {
        const compared = new Compared(storage)
        compared.compare(every)
        for (const step of all) {
          compared.do(step)
          compared.compare(every)
        }
      }),
    ),
    { numRuns, endOnFailure: true },
  )
}

describe('searches of short segments', () => {
  useShortSegments(4)

  it('find what a look at each entry finds', async () => {
    await compareAll(stepsOf(1, 6, 12), { every: 1, numRuns: 15 })
  })
})

describe('searches of segments that take two looks', () => {
  useShortSegments(300)

  it('find what a look at each entry finds', async () => {
    await compareAll(stepsOf(100, 300, 6), { every: 97, numRuns: 4 })
  })
})
