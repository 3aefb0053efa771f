import { isoTime } from '../core/utc-day.ts'
import type { Finding } from './finding.ts'
import type { PlayRun } from './plays.ts'
import type { RoundFacts } from './rounds.ts'
import { addDraw, emptyDraws, type DrawTally } from './tally.ts'

/** What the order of rounds and plays shows: gaps, repetitions, and how successive draws follow each other. */
export interface Order {
  findings: Finding[]
}

const NO_GAP = 'No number may be missing.'

/** The rounds of an export, in the order of their numbers. Late rounds are put in their place. */
export class RoundOrder implements Order {
  readonly findings: Finding[] = []
  readonly draws = emptyDraws()
  readonly #rounds: RoundFacts[] = []

  add(rounds: readonly RoundFacts[]): void {
    this.#rounds.push(...rounds)
  }

  /** Checks the order of all rounds. @param isWhole whether they begin with the first one ever */
  finish(isWhole: boolean): void {
    const rounds = this.#rounds.toSorted((a, b) => a.roundId - b.roundId)
    const seeds = new Map<string, number>()
    let before: RoundFacts | null = null
    for (const round of rounds) {
      this.#follow(round, before, isWhole)
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

  #follow(round: RoundFacts, before: RoundFacts | null, isWhole: boolean): void {
    const { roundId, openedAt } = round
    const expected = before ? before.roundId + 1 : isWhole ? 1 : roundId
    if (roundId < expected) this.#find(round, 'it is in the export twice')
    if (roundId > expected) {
      const missing =
        roundId - expected === 1
          ? `round ${expected} is`
          : `rounds ${expected} to ${roundId - 1} are`
      this.#find(round, `${missing} missing before it. ${NO_GAP}`)
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
  /** The first play of the first row, and the plays before it: a game of mines may have ended after later plays. */
  start: { first: number; seedHash: string }
  earlier: PlayRun[]
}

/** The plays of all wallets, in the order of their numbers. */
export class PlayOrder implements Order {
  readonly findings: Finding[] = []
  readonly draws = new Map<string, DrawTally>()
  readonly #wallets = new Map<string, WalletOrder>()
  readonly #isWhole: boolean

  /** @param isWhole whether the export begins with the first play of every wallet */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole
  }

  get wallets(): number {
    return this.#wallets.size
  }

  add(runs: readonly PlayRun[]): void {
    for (const run of runs) {
      const order = this.#orderOf(run)
      order.waiting.push(run)
      this.#take(order)
    }
  }

  /**
   * Reports the plays that are missing.
   * @param isOpen whether a wallet's play is a game of mines that had not ended
   */
  finish(isOpen: (wallet: string, nonce: number) => boolean): void {
    for (const [wallet, order] of this.#wallets) {
      this.#checkEarlier(wallet, order.start, order.earlier)
      if (isOpen(wallet, order.next)) this.#passOpenGame(order)
      const { next, waiting } = order
      const [first] = waiting.toSorted((a, b) => a.first - b.first)
      if (!first) continue
      const missing =
        first.first - next === 1 ? `play ${next} is` : `plays ${next} to ${first.first - 1} are`
      this.#find(wallet, `${missing} missing. ${NO_GAP}`)
    }
  }

  /** Goes on with the plays after an open game, whose draw and promise of the next seed aren't known yet. */
  #passOpenGame(order: WalletOrder): void {
    order.next++
    order.seedHash = null
    order.draw = null
    this.#take(order)
  }

  /** Checks the plays before those of the first row. Only an export that does not begin with the first plays has any. */
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

  #orderOf({ wallet, first, firstSeedHash }: PlayRun): WalletOrder {
    const known = this.#wallets.get(wallet)
    if (known) return known
    const next = this.#isWhole ? 0 : first
    const start = { first: next, seedHash: firstSeedHash }
    const last = { seedHash: null, draw: null, settledAt: 0 }
    const order = { next, ...last, waiting: [], start, earlier: [] }
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
      this.#find(wallet, `play ${first} is in the export twice`)
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

  /**
   * Checks that no play is dated before an earlier one: a house could free it from what holds since. Returns when the last
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

  #findUnpromised(wallet: string, play: number): void {
    this.#find(wallet, `play ${play} does not have the seed hash that the play before promised`)
  }

  #find(wallet: string, problem: string): void {
    this.findings.push({ where: `wallet ${wallet}`, problem })
  }
}
