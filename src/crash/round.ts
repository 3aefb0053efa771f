import { invariant } from '../core/invariant.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import { beaconPublishedAt } from '../fairness/drand.ts'
import { macOf, type Mac } from '../fairness/seed.ts'
import { ONE, type Hundredths } from '../money/multiplier.ts'
import { perToken, TOKENS, type PerToken } from '../money/token.ts'
import type { SetTerms } from '../operator/modes.ts'
import { outcomeOf, type Bet, type BetOutcome, type BetParams, type RoundStatus } from './bet.ts'
import { betLeaf, betLeafHash, rootOfHashes, type FixedBets } from './bets-root.ts'
import { crashPointOf } from './crash-point.ts'
import { msToReach, multiplierAt } from './curve.ts'
import { liveBetsOf, type LiveBets } from './live-bets.ts'
import {
  checkStake,
  limitsOf,
  planFlight,
  stageAt,
  type Flight,
  type RoundPlan,
  type Stage,
} from './plan.ts'
import { BET_EXISTS, BETTING_CLOSED, CRASHED, NO_BET } from './refusals.ts'
import type { RoundResult } from './result.ts'
import type { ReportedCounts, RoundReport, RoundView } from './state.ts'
import { BetCount, shownBet, type TableBets } from './table-bets.ts'
import { Wins } from './wins.ts'

/** A round as its object stores it. `seed` and `pepper` never leave the object before the round ends. */
export interface RoundRecord {
  plan: RoundPlan
  /** The terms that operators had set when the round opened. */
  setTerms: SetTerms
  seed: string
  pepper: string | null
  /** When the pepper became known. */
  pepperAt: number | null
  /** The beacon's signature, if the pepper came from a beacon. */
  signature: string | null
  status: RoundStatus
  /** Whether bets have closed, which is final: their root is public from then on, whatever a clock says later. */
  isClosed: boolean
  endedAt: number | null
}

/** A bet from a ledger, which already holds the stake under this id. */
export interface Placement extends BetParams {
  betId: string
  wallet: string
}

/** A step's changes, to be stored in the same transaction. */
export interface Changes {
  closed: boolean
  cashedOut: Bet[]
  ended: boolean
}

const NO_CHANGES: Changes = { closed: false, cashedOut: [], ended: false }

/** The shortest interval between batches of auto-cash-outs. Their payouts don't depend on it. */
const SWEEP_MS = 100
const RETRY_PEPPER_MS = 1_000

/**
 * A round as a state machine over its plan, its bets and the time its callers pass. It has no clock,
 * I/O or randomness, so the same calls always lead to the same state. Callers must bring it up to date
 * with {@link advance} before they query it.
 */
export class Round {
  readonly #record: RoundRecord
  readonly #bets = new Map<string, Bet>()
  readonly #byWallet = new Map<string, Bet>()
  readonly #count: BetCount
  readonly #wins = new Wins()
  /** Created at take-off, after the last bet. */
  #live: PerToken<LiveBets> | null = null
  #flight: Flight | null
  /** Whether this instance has seen the take-off: a late pepper makes it due at once. */
  #hasTakenOff = false
  #fixedBets: FixedBets | null = null
  readonly #mac: Mac
  /** The hashes of the first bets' leaves. */
  readonly #leafHashes: Uint8Array[] = []

  constructor(record: RoundRecord, bets: readonly Bet[]) {
    this.#record = { ...record }
    this.#mac = macOf(record.seed)
    this.#flight = flightOf(record)
    this.#count = new BetCount(perToken((token) => limitsOf(record.plan, token).max))
    for (const bet of bets) this.#add({ ...bet })
    const cashedOut = bets.filter((bet) => bet.cashout !== null)
    cashedOut.sort((a, b) => (a.cashedOutAt ?? 0) - (b.cashedOutAt ?? 0))
    for (const bet of cashedOut) this.#wins.add(bet)
  }

  get record(): Readonly<RoundRecord> {
    return this.#record
  }

  get betCount(): number {
    return this.#bets.size
  }

  get bets(): Bet[] {
    return [...this.#bets.values()]
  }

  bet(betId: string): Bet | undefined {
    return this.#bets.get(betId)
  }

  /** The earliest time for a reloaded round to resume: no cash-out may be earlier than a reported one. */
  get resumesAt(): number {
    const { plan, endedAt, pepperAt, isClosed } = this.#record
    const times = this.bets.map((bet) =>
      bet.cashedOutAt === null ? bet.placedAt : bet.cashedOutAt + 1,
    )
    return times.reduce(
      (a, b) => Math.max(a, b),
      Math.max(plan.openedAt, endedAt ?? 0, pepperAt ?? 0, isClosed ? plan.betsCloseAt : 0),
    )
  }

  stage(now: number): Stage {
    const { plan, status, isClosed } = this.#record
    if (status === 'voided') return 'void'
    return stageAt(plan, this.#flight, isClosed ? Math.max(now, plan.betsCloseAt) : now)
  }

  /** The root over the bets so far and their number; final once bets have closed. */
  get fixedBets(): FixedBets {
    this.#fixedBets ??= { betsRoot: this.#betsRoot(), betCount: this.#bets.size }
    return this.#fixedBets
  }

  /** Returns the beacon round that is due and still missing, or null. */
  beaconDue(now: number): number | null {
    const { plan, status } = this.#record
    if (status !== 'live' || this.#flight || plan.pepperSource.kind !== 'drand-quicknet')
      return null
    return now >= beaconPublishedAt(plan.pepperSource.round) ? plan.pepperSource.round : null
  }

  /** Brings the round up to `now`: applies the close of bets, reached auto-cash-outs, the crash or the void. */
  advance(now: number): Changes {
    if (this.#record.status !== 'live') return NO_CHANGES
    const closed = !this.#record.isClosed && now >= this.#record.plan.betsCloseAt
    if (closed) this.#record.isClosed = true
    return { ...this.#fly(now), closed }
  }

  #fly(now: number): Changes {
    const flight = this.#flight
    if (!flight)
      return now >= this.#record.plan.voidAt
        ? this.#end('voided', this.#record.plan.voidAt, [])
        : NO_CHANGES
    if (now < flight.takeoffAt) return NO_CHANGES
    this.#hasTakenOff = true
    const crashed = now >= flight.crashAt
    const multiplier = crashed ? flight.crash : multiplierAt(now - flight.takeoffAt)
    const live = this.#liveBets()
    const cashedOut = TOKENS.flatMap((token) => live[token].reach(multiplier)).map((reached) => {
      const bet = this.#bets.get(reached.betId)
      invariant(bet, 'a live bet belongs to this round')
      return this.#markCashedOut(
        bet,
        reached.multiplier,
        flight.takeoffAt + msToReach(reached.multiplier),
      )
    })
    return crashed
      ? this.#end('crashed', flight.crashAt, cashedOut)
      : { closed: false, cashedOut, ended: false }
  }

  /** Places a bet and returns it. Repeating a bet id changes nothing. */
  place(placement: Placement, now: number): Bet | Refusal {
    const { betId, wallet, token } = placement
    const placed = this.#bets.get(betId)
    if (placed) return placed
    if (this.#byWallet.has(wallet)) return BET_EXISTS
    if (this.stage(now) !== 'open') return BETTING_CLOSED
    const refusal = checkStake(this.#record.plan, placement, this.#count.stakedWei(token))
    if (refusal) return refusal
    const n = this.#bets.size
    const bet = this.#add({ ...placement, placedAt: now, cashout: null, cashedOutAt: null })
    // One by one as they come, so that thousands of bets don't hold up the close.
    if (this.#leafHashes.length === n) this.#hashLeaf(bet)
    return bet
  }

  /** Cashes out a wallet's bet at the multiplier of `now`. A bet already cashed out doesn't change. */
  cashOut(wallet: string, now: number): { bet: Bet; fresh: boolean } | Refusal {
    const bet = this.#byWallet.get(wallet)
    if (!bet) return NO_BET
    if (bet.cashout !== null) return { bet, fresh: false }
    switch (this.stage(now)) {
      case 'void':
        return refuse(
          'no_open_bet',
          'This round was voided and your bet was refunded. Bet in the next round.',
        )
      case 'open':
      case 'locked':
        return refuse('not_in_flight', 'The round has not taken off yet. Cash out after take-off.')
      case 'results':
      case 'over':
        return CRASHED
      case 'flight': {
        invariant(this.#flight, 'a round in flight has a flight')
        const multiplier = multiplierAt(now - this.#flight.takeoffAt)
        this.#liveBets()[bet.token].cashOut(bet.betId, multiplier)
        return { bet: this.#markCashedOut(bet, multiplier, now), fresh: true }
      }
    }
  }

  /**
   * Sets the pepper, which fixes the flight. Returns whether it did: a pepper changes nothing if it comes
   * before bets close, too late or a second time.
   */
  takePepper(pepper: string, signature: string, now: number): boolean {
    const { betsCloseAt, voidAt } = this.#record.plan
    const isAwaited = this.#record.status === 'live' && !this.#flight
    if (!isAwaited || now < betsCloseAt || now >= voidAt) return false
    Object.assign(this.#record, { pepper, signature, pepperAt: now })
    this.#flight = flightOf(this.#record)
    return true
  }

  outcome(betId: string): BetOutcome {
    const bet = this.#bets.get(betId)
    return bet ? outcomeOf(bet, this.#record.status) : { kind: 'never_placed' }
  }

  /** Returns the time of the round's next automatic change, or null. */
  nextTransitionAt(now: number): number | null {
    const { betsCloseAt } = this.#record.plan
    return now < betsCloseAt ? betsCloseAt : this.#nextStepAt(now)
  }

  /** Returns when the round must next store something, or null. A take-off without bets changes nothing stored. */
  nextDueAt(now: number): number | null {
    const uneventful = this.#bets.size === 0 && this.#record.status === 'live' && this.#flight
    return uneventful ? uneventful.crashAt : this.#nextStepAt(now)
  }

  /** Returns the time of the next take-off, cash-out, end or query for the beacon, or null. */
  #nextStepAt(now: number): number | null {
    const { plan, status } = this.#record
    if (status !== 'live') return null
    const flight = this.#flight
    if (!flight) {
      invariant(
        plan.pepperSource.kind === 'drand-quicknet',
        'a committed pepper is known from the start',
      )
      const publishedAt = beaconPublishedAt(plan.pepperSource.round)
      return now < publishedAt ? publishedAt : Math.min(now + RETRY_PEPPER_MS, plan.voidAt)
    }
    if (!this.#hasTakenOff) return Math.max(now, flight.takeoffAt)
    const live = this.#liveBets()
    const stops = TOKENS.flatMap((token) => live[token].nextStop() ?? [])
    if (stops.length === 0) return flight.crashAt
    // The crash point must not matter, even to a stop that equals it: everyone sees when a cash-out is reported.
    const reachedAt = flight.takeoffAt + msToReach(Math.min(...stops))
    return Math.min(flight.crashAt, Math.max(now + SWEEP_MS, reachedAt))
  }

  /** Returns the round's public view at `now`. */
  view(now: number): RoundView {
    const { plan, setTerms } = this.#record
    const stage = this.stage(now)
    return {
      plan,
      setTerms,
      stage,
      asOf: now,
      takeoffAt: this.#flight?.takeoffAt ?? plan.flightAt,
      multiplier:
        stage === 'flight' && this.#flight ? multiplierAt(now - this.#flight.takeoffAt) : ONE,
      fixedBets: this.#record.isClosed ? this.fixedBets : null,
      totals: this.#count.totals(),
      wins: this.#wins.newest,
      decidedTokens:
        stage === 'flight' ? TOKENS.filter((token) => this.#liveBets()[token].isEmpty) : [],
      result: this.result(),
    }
  }

  /** Returns the round's view, and the bets and wins after the reported ones, limited to the newest. */
  report(now: number, { winCount, betCount }: ReportedCounts): RoundReport {
    const freshBets = this.#count.newest(betCount).map((bet) => this.#shown(bet))
    const freshWins = this.#wins.after(winCount)
    const counts = { winCount: this.#wins.count, betCount: this.#bets.size }
    return { ...this.view(now), freshBets, freshWins, ...counts }
  }

  /**
   * Returns the round's bets as everyone sees them.
   * @param wallet its bet is always among them
   * @param isAlone leaves out the others, so that the answer is small
   */
  tableBets(wallet: string | null, isAlone = false): TableBets {
    const own = wallet === null ? undefined : this.#byWallet.get(wallet)
    const largest = isAlone ? [] : this.#count.largest
    const bets = own && !largest.includes(own) ? [...largest, own] : largest
    return {
      roundId: this.#record.plan.roundId,
      betsRoot: this.#record.isClosed ? this.fixedBets.betsRoot : null,
      totals: this.#count.totals(),
      bets: bets.map((bet) => this.#shown(bet)),
    }
  }

  #shown(bet: Bet) {
    return shownBet(bet, this.#record.status)
  }

  /** Returns an ended round's full result, including its seed; null before the end. */
  result(): RoundResult | null {
    const { plan, status, seed, pepper, signature, endedAt } = this.#record
    if (status === 'live' || endedAt === null) return null
    const { roundId, seedHash, pepperSource, edgeBps, openedAt, betsCloseAt } = plan
    const ended = {
      roundId,
      seedHash,
      seed,
      pepperSource,
      edgeBps,
      openedAt,
      betsCloseAt,
      endedAt,
      betCount: this.#bets.size,
    }
    if (status === 'voided') {
      const reason = 'the randomness beacon did not publish in time'
      return { ...ended, kind: 'voided', resultsUntil: endedAt, reason }
    }
    invariant(this.#flight && pepper !== null, 'a crashed round had a flight')
    const { crash, takeoffAt, resultsUntil } = this.#flight
    return { ...ended, kind: 'settled', pepper, signature, crash, takeoffAt, resultsUntil }
  }

  #betsRoot(): string {
    for (const bet of this.bets.slice(this.#leafHashes.length)) this.#hashLeaf(bet)
    return rootOfHashes(this.#leafHashes)
  }

  /** Hashes the leaf of the next bet by position. */
  #hashLeaf(bet: Bet): void {
    const leaf = betLeaf(bet, this.#leafHashes.length, this.#mac)
    this.#leafHashes.push(betLeafHash(leaf))
  }

  #add(bet: Bet): Bet {
    this.#fixedBets = null
    this.#bets.set(bet.betId, bet)
    this.#byWallet.set(bet.wallet, bet)
    this.#count.add(bet)
    return bet
  }

  #liveBets(): PerToken<LiveBets> {
    this.#live ??= liveBetsOf(this.#record.plan, this.bets)
    return this.#live
  }

  #markCashedOut(bet: Bet, multiplier: Hundredths, at: number): Bet {
    bet.cashout = multiplier
    bet.cashedOutAt = at
    this.#wins.add(bet)
    return bet
  }

  #end(status: 'crashed' | 'voided', at: number, cashedOut: Bet[]): Changes {
    this.#record.status = status
    this.#record.endedAt = at
    return { closed: false, cashedOut, ended: true }
  }
}

function flightOf({ plan, seed, pepper, pepperAt }: RoundRecord): Flight | null {
  if (pepper === null || pepperAt === null) return null
  const { roundId, edgeBps } = plan
  return planFlight(plan, pepperAt, crashPointOf({ roundId, seed, pepper, edgeBps }))
}
