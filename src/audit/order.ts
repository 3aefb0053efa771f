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
  /** Plays that came before an earlier one, which was late or took longer. */
  waiting: PlayRun[]
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
    for (const [wallet, { next, waiting }] of this.#wallets) {
      const [first] = waiting.toSorted((a, b) => a.first - b.first)
      if (!first) continue
      if (first.first === next + 1 && isOpen(wallet, next)) continue
      const missing =
        first.first - next === 1 ? `play ${next} is` : `plays ${next} to ${first.first - 1} are`
      this.#find(wallet, `${missing} missing. ${NO_GAP}`)
    }
  }

  #orderOf({ wallet, first }: PlayRun): WalletOrder {
    const known = this.#wallets.get(wallet)
    if (known) return known
    const next = this.#isWhole ? 0 : first
    const order: WalletOrder = { next, seedHash: null, draw: null, waiting: [] }
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

  #follow(order: WalletOrder, { wallet, first, firstSeedHash, nextSeedHash, ...run }: PlayRun) {
    if (first < order.next) {
      this.#find(wallet, `play ${first} is in the export twice`)
      return
    }
    if (order.seedHash !== null && order.seedHash !== firstSeedHash) {
      this.#find(wallet, `play ${first} does not have the seed hash that the play before promised`)
    }
    for (const [index, draw] of run.draws.entries()) {
      const game = run.games[index] ?? ''
      let tally = this.draws.get(game)
      if (!tally) this.draws.set(game, (tally = emptyDraws()))
      addDraw(tally, draw, first + index, order.draw)
      order.draw = draw
    }
    order.next = first + run.draws.length
    order.seedHash = nextSeedHash
  }

  #find(wallet: string, problem: string): void {
    this.findings.push({ where: `wallet ${wallet}`, problem })
  }
}
