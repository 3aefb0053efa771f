import { isoTime } from '../core/utc-day.ts'
import { LATEST_END_MS } from '../games/mines/open.ts'
import { aheadOfFile, isExportedLate } from './file-day.ts'
import type { Finding } from './finding.ts'
import type { PlayRun } from './plays.ts'
import type { RoundFacts } from './rounds.ts'
import { addDraw, emptyDraws, type DrawTally } from './tally.ts'

/** The findings from the order of rounds and plays: gaps, repetitions, and how successive draws follow each other. */
interface SequenceCheck {
  findings: Finding[]
}

/** The rounds of an export, in the order of their numbers. Late rounds are put in their place. */
export class RoundSequence implements SequenceCheck {
  readonly findings: Finding[] = []
  readonly draws = emptyDraws()
  readonly #rounds: RoundFacts[] = []
  readonly #startsAt: number | null

  /** @param startsAt of the first day, in unix milliseconds; null if it has the first round ever */
  constructor(startsAt: number | null) {
    this.#startsAt = startsAt
  }

  add(rounds: readonly RoundFacts[]): void {
    this.#rounds.push(...rounds)
  }

  /** Checks the order of all rounds. */
  finish(): void {
    const rounds = this.#rounds.toSorted((a, b) => a.roundId - b.roundId)
    const first = this.#firstOf(rounds)
    const seeds = new Map<string, number>()
    let before: RoundFacts | null = null
    for (const round of rounds) {
      this.#follow(round, before, first)
      const other = seeds.get(round.seedHash)
      if (other !== undefined) this.#find(round, `its seed is the one of round ${other}`)
      seeds.set(round.seedHash, round.roundId)
      if (round.draw !== null) {
        const isNext = before?.roundId === round.roundId - 1
        addDraw(this.draws, round.draw, round.roundId, isNext ? (before?.draw ?? null) : null)
      }
      before = round
    }
  }

  /** Returns the number from which none may be missing. Late rounds from before the first day have lower ones. */
  #firstOf(rounds: readonly RoundFacts[]): number {
    const startsAt = this.#startsAt
    if (startsAt === null) return 1
    return rounds.find(({ endedAt }) => endedAt >= startsAt)?.roundId ?? Infinity
  }

  #follow(round: RoundFacts, before: RoundFacts | null, first: number): void {
    const { roundId, openedAt } = round
    const next = (before?.roundId ?? 0) + 1
    const expected = Math.max(first, next)
    if (roundId < next) this.#find(round, 'it is in the export twice')
    if (roundId > expected) {
      const missing =
        roundId - expected === 1
          ? `round ${expected} is`
          : `rounds ${expected} to ${roundId - 1} are`
      this.#find(round, `${missing} missing before it. No number may be missing.`)
    }
    if (before && openedAt <= before.betsCloseAt) {
      this.#find(
        round,
        `it opened at ${isoTime(openedAt)}, before bets closed in round ${before.roundId}`,
      )
    }
  }

  #find({ roundId }: RoundFacts, problem: string): void {
    this.findings.push({ where: `round ${roundId}`, problem })
  }
}

interface WalletOrder {
  next: number
  /** Promised by the play before; null before the first. */
  seedHash: string | null
  draw: number | null
  /** When the last play was settled, but for games of mines; in unix milliseconds. */
  settledAt: number
  /** Plays that came before an earlier one, which was late or took longer. */
  waiting: PlayRun[]
  /** The plays that the audit has gone on without. */
  gaps: Gap[]
  /** The first play of the first row, and the plays before it: a game of mines may have ended after later plays. */
  start: { first: number; seedHash: string }
  earlier: PlayRun[]
  /**
   * Whether the first row is a game of mines that may have begun before the first day, which has the plays after it.
   */
  mayBeginBefore: boolean
}

/** Plays that were not there when those after them were checked. They may still come. */
interface Gap {
  from: number
  to: number
  /** The seed hash that the play before them promised; null if it isn't known. */
  promised: string | null
  /** The seed hash of the play after them; null if it isn't known. */
  next: string | null
  /** The one that was open at the end of the last day, and must be there once it has ended; null without one. */
  openPlay: number | null
}

/** Returns whether a wallet's play is a game of mines that had not ended. */
export type IsOpen = (wallet: string, nonce: number) => boolean

/** The plays of all wallets, in the order of their numbers. */
export class PlaySequence implements SequenceCheck {
  readonly findings: Finding[] = []
  readonly draws = new Map<string, DrawTally>()
  /** How many were exported more than a day late, and whose. */
  readonly late = { plays: 0, wallets: new Set<string>() }
  readonly #wallets = new Map<string, WalletOrder>()
  readonly #startsAt: number | null

  /** @param startsAt of the first day, in unix milliseconds; null if it has the first play of every wallet */
  constructor(startsAt: number | null) {
    this.#startsAt = startsAt
  }

  get wallets(): number {
    return this.#wallets.size
  }

  /** @param exportedOn the day of their file, as YYYY-MM-DD */
  add(runs: readonly PlayRun[], exportedOn: string): void {
    for (const run of runs) {
      this.#compareWithFile(run, exportedOn)
      const order = this.#orderOf(run)
      order.waiting.push(run)
      this.#take(order)
    }
  }

  /**
   * Ends a day: reports the plays that are missing before others, except the game that the day's manifest names, and
   * goes on with those after them: a gap that is explained must not excuse everything later.
   */
  endDay(day: string, isOpen: IsOpen): void {
    for (const [wallet, order] of this.#wallets) {
      for (const gap of order.gaps) {
        const { openPlay } = gap
        if (openPlay === null || isOpen(wallet, openPlay)) continue
        gap.openPlay = null
        this.#findMissing(wallet, [openPlay, openPlay], day)
      }
      if (order.waiting.length === 0) continue
      let next = startOfRest(order)
      for (const { first, draws } of inOrder(order.waiting)) {
        if (isOpen(wallet, next)) next++
        if (first > next) {
          this.#findMissing(wallet, [next, first - 1], day)
          this.#goOn(order, startOfRest(order))
          this.#goOn(order, first, isOpen(wallet, order.next) ? order.next : null)
        }
        next = Math.max(next, first + draws.length)
      }
    }
  }

  /** Checks the plays before the first row's and after open games. @param isOpen on the last day */
  finish(isOpen: IsOpen): void {
    for (const [wallet, order] of this.#wallets) {
      this.#checkEarlier(wallet, order.start, order.earlier)
      this.#passOpen(wallet, order, isOpen)
    }
  }

  /** Continues with plays that are complete except for an open game, or for plays that may precede an export. */
  #passOpen(wallet: string, order: WalletOrder, isOpen: IsOpen): void {
    this.#goOn(order, startOfRest(order))
    if (isOpen(wallet, order.next)) this.#goOn(order, order.next + 1, order.next)
  }

  /** Goes on with a later play, whose predecessor's draw and promise of the next seed aren't known. */
  #goOn(order: WalletOrder, next: number, openPlay: number | null = null): void {
    if (next === order.next) return
    const [from, to, promised] = [order.next, next - 1, order.seedHash]
    const after = order.waiting.find(({ first }) => first === next)
    order.gaps.push({ from, to, promised, next: after?.firstSeedHash ?? null, openPlay })
    order.next = next
    order.seedHash = null
    order.draw = null
    this.#take(order)
  }

  #findMissing(wallet: string, [from, to]: [number, number], day: string): void {
    const missing = from === to ? `play ${from} is` : `plays ${from} to ${to} are`
    const problem = `${missing} missing by the end of ${day}. Only a game that the day's manifest names as open may be missing. Until ${from === to ? 'it comes' : 'they come'}, nothing shows that play ${to + 1} has the promised seed.`
    this.#find(wallet, problem)
  }

  /**
   * Checks the plays before those of the first row. Only an export that begins after a wallet’s first play has them.
   */
  #checkEarlier(wallet: string, start: WalletOrder['start'], earlier: readonly PlayRun[]): void {
    let follower = start
    for (const run of earlier.toSorted((a, b) => b.first - a.first)) {
      const { first, firstSeedHash, nextSeedHash, draws } = run
      const end = first + draws.length
      if (end > follower.first) {
        this.#find(wallet, `play ${Math.max(first, follower.first)} is in the export twice`)
      } else if (end === follower.first && nextSeedHash !== follower.seedHash) {
        this.#findUnpromised(wallet, end)
      }
      this.#addDraws(run, null)
      follower = { first: Math.min(first, follower.first), seedHash: firstSeedHash }
    }
  }

  #orderOf({ wallet, first, firstSeedHash, games, times }: PlayRun): WalletOrder {
    const known = this.#wallets.get(wallet)
    if (known) return known
    const next = this.#startsAt === null ? 0 : first
    const start = { first: next, seedHash: firstSeedHash }
    const last = { seedHash: null, draw: null, settledAt: 0 }
    const mayBeginAt = (times[0] ?? 0) - LATEST_END_MS
    const mayBeginBefore = games[0] === 'mines' && mayBeginAt < (this.#startsAt ?? 0)
    const order = { next, ...last, waiting: [], gaps: [], start, earlier: [], mayBeginBefore }
    this.#wallets.set(wallet, order)
    return order
  }

  #take(order: WalletOrder): void {
    for (;;) {
      const index = order.waiting.findIndex(({ first }) => first <= order.next)
      const [run] = index === -1 ? [] : order.waiting.splice(index, 1)
      if (!run) return
      this.#follow(order, run)
    }
  }

  #follow(order: WalletOrder, run: PlayRun): void {
    const { wallet, first, firstSeedHash, nextSeedHash } = run
    if (first < order.start.first) {
      order.earlier.push(run)
      return
    }
    if (first < order.next) {
      if (!this.#fill(order, run)) this.#find(wallet, `play ${first} is in the export twice`)
      return
    }
    if (order.seedHash !== null && order.seedHash !== firstSeedHash) {
      this.#findUnpromised(wallet, first)
    }
    order.draw = this.#addDraws(run, order.draw)
    order.settledAt = this.#followTimes(run, order.settledAt)
    order.next = first + run.draws.length
    order.seedHash = nextSeedHash
  }

  /** Puts plays into a gap, and links them with those beside it. Returns whether they are of one. */
  #fill({ gaps }: WalletOrder, run: PlayRun): boolean {
    const { wallet, first, firstSeedHash, nextSeedHash, draws } = run
    const end = first + draws.length
    const place = gaps.findIndex(({ from, to }) => from <= first && end - 1 <= to)
    const gap = gaps[place]
    if (!gap) return false
    const { from, to, promised, next } = gap
    if (first === from && promised !== null && promised !== firstSeedHash) {
      this.#findUnpromised(wallet, first)
    }
    if (end - 1 === to && next !== null && next !== nextSeedHash) {
      this.#findUnpromised(wallet, end)
    }
    const before = { ...gap, to: first - 1, next: firstSeedHash }
    const after = { ...gap, from: end, promised: nextSeedHash }
    const isIn = (rest: Gap) => rest.from <= Number(gap.openPlay) && Number(gap.openPlay) <= rest.to
    const rests = [before, after].map((rest) => ({
      ...rest,
      openPlay: isIn(rest) ? gap.openPlay : null,
    }))
    gaps.splice(place, 1, ...rests.filter((rest) => rest.from <= rest.to))
    this.#addDraws(run, null)
    return true
  }

  /**
   * Checks that no play is dated before an earlier one: a house could thereby escape newer terms. Returns when the last
   * one was settled. A game of mines may end after later plays.
   */
  #followTimes({ wallet, first, games, times }: PlayRun, before: number): number {
    let last = before
    for (const [index, at] of times.entries()) {
      if (at < last) {
        const play = first + index
        this.#find(wallet, `play ${play} was settled at ${isoTime(at)}, before an earlier play`)
      }
      if (games[index] !== 'mines') last = at
    }
    return last
  }

  /** Counts draws. Returns the last one. @param before the draw of the play before; null if it is not known */
  #addDraws({ first, games, draws }: PlayRun, before: number | null): number | null {
    let last = before
    for (const [index, draw] of draws.entries()) {
      const game = games[index] ?? ''
      let tally = this.draws.get(game)
      if (!tally) this.draws.set(game, (tally = emptyDraws()))
      addDraw(tally, draw, first + index, last)
      last = draw
    }
    return last
  }

  /** Compares the times of plays with the day of their file: under another time, other terms may have been in force. */
  #compareWithFile({ wallet, first, times }: PlayRun, exportedOn: string): void {
    for (const [index, at] of times.entries()) {
      if (isExportedLate(at, exportedOn)) {
        this.late.plays++
        this.late.wallets.add(wallet)
      }
      const ahead = aheadOfFile(at, exportedOn)
      if (ahead !== null) this.#find(wallet, `play ${first + index}: ${ahead}`)
    }
  }

  #findUnpromised(wallet: string, play: number): void {
    this.#find(wallet, `play ${play} does not have the seed hash that the play before promised`)
  }

  #find(wallet: string, problem: string): void {
    this.findings.push({ where: `wallet ${wallet}`, problem })
  }
}

/** Returns the number of the next play that the export must have. */
function startOfRest({ next, start, waiting, mayBeginBefore }: WalletOrder): number {
  const isAfterFirst = mayBeginBefore && next === start.first + 1
  return isAfterFirst ? (inOrder(waiting)[0]?.first ?? next) : next
}

function inOrder(runs: readonly PlayRun[]): PlayRun[] {
  return runs.toSorted((a, b) => a.first - b.first)
}
