import { bytesToHex } from '@noble/hashes/utils'
import { answerWithin } from '../../src/calls/call.ts'
import { messageOf } from '../../src/core/fault.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { ARCHIVE_AFTER_MS } from '../../src/ledger/capacity.ts'
import { unpackHead } from '../../src/ledger/head.ts'
import {
  checkEnd,
  entryOfLine,
  lastSeqOf,
  lineOf,
  replayedWith,
  segmentKey,
  type SegmentEnd,
} from '../../src/ledger/segment.ts'
import { logFault } from '../../src/log.ts'
import { TOKENS } from '../../src/money/token.ts'
import { DELIVERY_MS } from '../kernel/outbox.ts'
import { putOnce } from '../kernel/put-once.ts'
import { takeRoom, type Reader } from './archive-room.ts'
import type { Bets } from './bets.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Plays } from './plays.ts'
import { linesOf, packed } from './segment-file.ts'
import { SegmentArchived, type FetchedSegment, type Segments } from './segments.ts'

/** The most segments that one call may need. */
const MAX_SEGMENTS = 4

/** The most segments that one ledger fetches at the same time, and for reads. */
const MAX_FETCHES = 4
const MAX_READ_FETCHES = 2

/** The most segments that are moved at a time. The rest wait for the next time. */
const MAX_MOVES = 4
const NEXT_MOVE_MS = 60_000
/** When a move that failed is tried again, even if nobody calls until then. */
const MOVE_AGAIN_MS = 3_600_000

/** The entries of a segment that are in memory at a time while it is moved. */
const BATCH = 500

const TOO_MANY = refuse(
  'archive_unavailable',
  'This needs older entries of the wallet, and too many are being read now. Nothing has changed. Send the same call again in a second.',
)

/** A ledger's report on whether a segment in the archive is right. */
export type SegmentAudit = { ok: true } | { ok: false; problem: string }

/** Thrown if the archive lacks a segment's file or has a different one. */
class SegmentLost extends Error {}

/** The part of a wallet's journal that is in R2, a file each segment. */
export class Archive implements LedgerPart {
  readonly #kernel: LedgerKernel
  readonly #segments: Segments
  readonly #bets: Bets
  readonly #plays: Plays
  #isMoving = false
  /** When the next segments are to be moved, if the alarm does not ring earlier. */
  #againAt: number | null = null
  /** The fetches under way, so that simultaneous calls share them. */
  readonly #fetches = new Map<number, Promise<FetchedSegment>>()

  constructor(kernel: LedgerKernel, parts: { bets: Bets; plays: Plays }) {
    this.#kernel = kernel
    this.#segments = kernel.journal.segments
    this.#bets = parts.bets
    this.#plays = parts.plays
  }

  nextDueAt(now: number): number | null {
    return this.#againAt !== null && this.#againAt > now ? this.#againAt : null
  }

  /**
   * Moves the oldest segments to the archive, as long as nothing in them is secret or open. If the archive fails, they
   * stay here, and are moved an hour later or with an earlier alarm.
   */
  async move(): Promise<void> {
    if (this.#isMoving || !this.#kernel.isOpen) return
    this.#isMoving = true
    this.#againAt = null
    let segment = this.#segments.here.first
    const end = segment + MAX_MOVES
    try {
      for (; segment < end && this.#mayMove(segment); segment++) await this.#move(segment)
      if (this.#mayMove(segment)) this.#againAt = this.#kernel.clock.now() + NEXT_MOVE_MS
    } catch (fault) {
      logFault('journal_archive_failed', fault, {
        object: this.#kernel.owner.object,
        wallet: this.#kernel.wallet,
        segment,
      })
      this.#againAt = this.#kernel.clock.now() + MOVE_AGAIN_MS
    } finally {
      this.#isMoving = false
      this.#kernel.wake()
    }
  }

  /**
   * Runs work that may read the journal, and runs it again with each archived segment that it turns out to need.
   * @param reader the kind of call: reads leave room for calls about money
   * @param withoutLost answers if a segment's file is missing or altered; null to refuse the call all the same
   */
  async runOrRefuse<T>(
    work: () => T | Promise<T>,
    reader: Reader = 'money',
    withoutLost: (segment: number, cause: Error) => T | null = () => null,
  ): Promise<T | Refusal> {
    const held: number[] = []
    try {
      for (;;) {
        try {
          return await work()
        } catch (fault) {
          if (!(fault instanceof SegmentArchived)) throw fault
          const { segment } = fault
          try {
            invariant(held.length < MAX_SEGMENTS, 'a call needs few segments')
            const fetched = await this.#fetch(segment, reader)
            if (!fetched) return TOO_MANY
            this.#segments.hold(segment, fetched)
          } catch (cause) {
            const answer = cause instanceof SegmentLost ? withoutLost(segment, cause) : null
            return answer ?? this.#unavailable(segment, cause)
          }
          held.push(segment)
        }
      }
    } finally {
      for (const segment of held) this.#segments.release(segment)
    }
  }

  /**
   * Does the same for an object that repeats its call.
   * @param withoutLost does the work if a segment's file is missing or altered; absent to fail all the same
   * @throws if the archive does not answer
   */
  async runOrThrow<T>(work: () => T, withoutLost?: () => T): Promise<T> {
    const done = await this.runOrRefuse(
      () => ({ result: work() }),
      'money',
      (segment, cause) => {
        if (!withoutLost) return null
        this.#logUnavailable(segment, cause)
        return { result: withoutLost() }
      },
    )
    if (isRefusal(done)) throw new Error(done.error.message)
    return done.result
  }

  /** Replays an archived segment. Returns its problem, or that the archive doesn't answer. */
  async verify(segment: number): Promise<SegmentAudit> {
    try {
      await this.#check(segment, this.#segments.fileHashOf(segment))
      return { ok: true }
    } catch (fault) {
      return { ok: false, problem: messageOf(fault) }
    }
  }

  /**
   * Fetches a segment, once for all simultaneous callers. Returns null if too many are in memory or being fetched.
   * @throws if its file is missing or altered
   */
  #fetch(segment: number, reader: Reader): Promise<FetchedSegment> | null {
    const underWay = this.#fetches.get(segment)
    if (underWay) return underWay
    const isRead = reader === 'owner' || reader === 'anyone'
    const most = isRead ? MAX_READ_FETCHES : MAX_FETCHES
    const room = this.#fetches.size < most ? takeRoom(reader) : null
    if (!room) return null
    const fetch = this.#linesOf(segment)
      .then((lines) => ({ lines, room }))
      .catch((fault: unknown) => {
        room.isTaken = false
        throw fault
      })
      .finally(() => this.#fetches.delete(segment))
    this.#fetches.set(segment, fetch)
    return fetch
  }

  async #linesOf(segment: number): Promise<string[]> {
    const lines: string[] = []
    const file = await this.#read(segment, this.#segments.fileHashOf(segment))
    for await (const some of linesOf(file)) lines.push(...some)
    return lines
  }

  /** Returns the file of a segment. @throws SegmentLost if it is missing or altered */
  async #read(segment: number, fileHash: ArrayBuffer): Promise<ArrayBuffer> {
    const bytes = await this.#fileOf(segment)
    const isSame = bytesToHex(await hashOf(bytes)) === bytesToHex(new Uint8Array(fileHash))
    if (!isSame) throw new SegmentLost(`the archive has another file of segment ${segment}`)
    return bytes
  }

  async #fileOf(segment: number): Promise<ArrayBuffer> {
    const file = await answerWithin(DELIVERY_MS, this.#kernel.env.ARCHIVE.get(this.#keyOf(segment)))
    if (!file) throw new SegmentLost(`the archive has no file of segment ${segment}`)
    return answerWithin(DELIVERY_MS, file.arrayBuffer())
  }

  /** Stores a segment, reads it back, and only then removes it here. Safe to repeat from any point. */
  async #move(segment: number): Promise<void> {
    const fileHash = await this.#store(segment)
    await this.#check(segment, fileHash)
    this.#kernel.transact(() => this.#segments.drop(segment, fileHash))
  }

  /** Stores a segment, unless an earlier try has. Returns the sha256 of its file. */
  async #store(segment: number): Promise<ArrayBuffer> {
    const bytes = await packed(this.#textsOf(segment))
    const [{ ARCHIVE }, key] = [this.#kernel.env, this.#keyOf(segment)]
    const isNew = await answerWithin(DELIVERY_MS, putOnce(ARCHIVE, key, bytes))
    const fileHash = (await hashOf(bytes)).buffer
    if (isNew) return fileHash
    // A locked file can't be replaced, and another version of the runtime may have compressed it in another way.
    const { buffer: hashThere } = await hashOf(await this.#fileOf(segment))
    const isRight = await this.#check(segment, hashThere).then(
      () => true,
      () => false,
    )
    if (isRight) return hashThere
    await answerWithin(DELIVERY_MS, ARCHIVE.put(key, bytes))
    return fileHash
  }

  /** Returns the lines of a segment that is here, some at a time. */
  *#textsOf(segment: number): Generator<string> {
    const last = lastSeqOf(segment)
    for (let seq = lastSeqOf(segment - 1) + 1; seq <= last; seq += BATCH) {
      const lines = [...this.#segments.entries(segment, seq, BATCH)].map(lineOf)
      yield `${lines.join('\n')}\n`
    }
  }

  /**
   * Reads a segment's file and replays it. @throws if the file is missing or altered, or doesn't lead to the segment's
   * last entry
   */
  async #check(segment: number, fileHash: ArrayBuffer): Promise<void> {
    const file = await this.#read(segment, fileHash)
    let replayed = this.#kernel.journal.before(segment)
    for await (const lines of linesOf(file)) {
      replayed = replayedWith(replayed, lines.map(entryOfLine))
    }
    checkEnd(replayed, segment, this.#endOf(segment))
  }

  #keyOf(segment: number): string {
    return segmentKey(this.#kernel.wallet, segment, this.#endOf(segment))
  }

  #endOf(segment: number): SegmentEnd {
    const end = this.#segments.endAt(lastSeqOf(segment))
    invariant(end, 'a full segment has entries')
    return end
  }

  #unavailable(segment: number, cause: unknown): Refusal {
    this.#logUnavailable(segment, cause)
    return refuse(
      'archive_unavailable',
      'This needs older entries of the wallet, and their archive does not answer now. Nothing has changed. Send the same call again later.',
    )
  }

  #logUnavailable(segment: number, cause: unknown): void {
    logFault('journal_archive_unavailable', cause, {
      object: this.#kernel.owner.object,
      wallet: this.#kernel.wallet,
      segment,
    })
  }

  /** Whether a segment is full and old enough, and nothing in it is open, undisclosed or missing from D1. */
  #mayMove(segment: number): boolean {
    if (segment >= this.#segments.here.last) return false
    const end = this.#endOf(segment)
    const { nextPlay, balances } = unpackHead(end.head)
    const { journal, clock } = this.#kernel
    const isWithdrawing = (all: typeof balances) =>
      TOKENS.some((token) => all[token].withdrawing > 0n)
    return (
      clock.now() - end.at >= ARCHIVE_AFTER_MS &&
      this.#isDisclosed(nextPlay) &&
      this.#bets.open.every(({ placedAt }) => placedAt > end.at) &&
      !(isWithdrawing(balances) && isWithdrawing(journal.balances()))
    )
  }

  /**
   * Returns whether the play after a segment has been made, D1 has the plays before it, and none of these is an open
   * game.
   */
  #isDisclosed(next: { nonce: number } | null): boolean {
    if (!next) return true
    const { nextPlay, openGame } = this.#kernel.journal.latest()
    const isMade = nextPlay !== null && nextPlay.nonce > next.nonce
    const isEnded = openGame === null || openGame.nonce > next.nonce
    return isMade && isEnded && this.#plays.toldBelow() >= next.nonce
  }
}

async function hashOf(file: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', file))
}
