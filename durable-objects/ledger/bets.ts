import { answerWithin, retried } from '../../src/calls/call.ts'
import { crashRound } from '../../src/calls/objects.ts'
import { isWithin } from '../../src/core/age.ts'
import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, type Refusal } from '../../src/core/refusal.ts'
import { checkBet, type BetRequest } from '../../src/crash/bet-request.ts'
import { targetOf, type BetParams, type EndedBet, type FinalOutcome } from '../../src/crash/bet.ts'
import { isDue, type RoundNow } from '../../src/crash/due.ts'
import { settlementPostings, stakePostings } from '../../src/crash/hold.ts'
import { BET_EXISTS } from '../../src/crash/refusals.ts'
import { heldPayoutOf } from '../../src/games/mines/open.ts'
import { LEDGER_FULL } from '../../src/ledger/capacity.ts'
import type { Head, HeldBet } from '../../src/ledger/head.ts'
import { entryRef, type EntryRef } from '../../src/ledger/journal.ts'
import type { OpenBet } from '../../src/ledger/me.ts'
import { operationId } from '../../src/ledger/operation.ts'
import { refusedWithoutChips } from '../../src/ledger/refusals.ts'
import { logFault } from '../../src/log.ts'
import { toMultiplier, type Hundredths } from '../../src/money/multiplier.ts'
import { TOKENS, type Token } from '../../src/money/token.ts'
import { CRASH } from '../../src/operator/modes.ts'
import type { Gate } from './gate.ts'
import type { LedgerKernel, LedgerPart } from './kernel.ts'
import type { Limits } from './limits.ts'

/** A bet that was tried in a round, as the journal has it. */
interface Tried {
  /** Its params as text. */
  request: string
  hold: EntryRef
  /** Null while it is open. */
  ended: { entry: EntryRef; outcome: FinalOutcome } | null
}

/** How often a ledger asks about bets that no request has settled. */
const HOLD_SWEEP_MS = 60_000

/** How long a request waits for a round to say how an earlier bet ended. */
const OUTCOME_MS = 2_000

/**
 * The pause before a round is asked again about a bet that it has called live, because reads and refused plays of many
 * wallets would all ask the same round. The table's state is at most this old. If it shows that the bet may be decided,
 * the round is asked anyway.
 */
export const LIVE_MS = 250

/** The crash bets of one wallet: stakes reserved, placed in a round, and settled by its outcome. */
export class Bets implements LedgerPart {
  readonly #kernel: LedgerKernel
  readonly #gate: Gate
  readonly #limits: Limits
  /** The latest placement, in progress or accepted. After a restart the round is asked again. */
  #placement: { betId: string; answer: Promise<Refusal | null> } | null = null
  /** The bet that a round has last called live, and when it was asked, by a clock that may step back. */
  #live: { betId: string; askedAt: number } | null = null

  constructor(kernel: LedgerKernel, parts: { gate: Gate; limits: Limits }) {
    this.#kernel = kernel
    this.#gate = parts.gate
    this.#limits = parts.limits
  }

  nextDueAt(now: number): number | null {
    return this.open.length > 0 ? now + HOLD_SWEEP_MS : null
  }

  audit(): string | null {
    const balances = this.#kernel.journal.balances()
    const wrong = TOKENS.find((token) => balances[token].in_play !== this.#heldTotal(token))
    return wrong ? `in_play of ${wrong} is not the sum of the open bets and the open game` : null
  }

  /** The open bets, oldest round first. */
  get open(): readonly HeldBet[] {
    return this.#kernel.journal.latest().openBets
  }

  /** Returns the newest open bet as its owner sees it; null if its round has ended it. */
  openBet(now: RoundNow | null): OpenBet | null {
    const bet = this.open.at(-1)
    if (!bet || (now && isDue(bet, now))) return null
    const { roundId, token, amountWei, autoCashout, placedAt } = bet
    return {
      roundId,
      token,
      amountWei: amountWei.toString(),
      autoCashout: autoCashout === null ? null : toMultiplier(autoCashout),
      placedAt,
    }
  }

  /** Reserves chips and places the bet in its round, or does neither. Returns the entry of the reservation. */
  async bet(request: BetRequest): Promise<EntryRef | Refusal> {
    const { roundId, params } = request
    if (!this.#kernel.isOpen) return refusedWithoutChips(checkBet(request, 0n))
    const attempts = this.#attemptsIn(roundId)
    const last = this.#tried(roundId, attempts - 1)
    if (last && last.ended?.outcome.kind !== 'never_placed') {
      if (last.request !== paramsText(params)) return BET_EXISTS
      const bet = this.#held(roundId, attempts - 1)
      return (bet && (await this.#placeOnce(bet))) ?? last.hold
    }
    const held = this.#hold(request, attempts)
    if (isRefusal(held)) return held
    return (await this.#placeOnce(held.bet)) ?? held.entry
  }

  /**
   * Settles a bet as its round reports it. Safe to repeat: the first outcome stays. Returns the entry of the
   * settlement.
   */
  settle(betId: string, outcome: FinalOutcome): EntryRef {
    const at = this.#kernel.clock.now()
    const { roundId, attempt } = placeOf(betId)
    const bet = this.#held(roundId, attempt)
    if (!bet) {
      const ended = this.#tried(roundId, attempt)?.ended
      invariant(ended, `bet ${betId} is not held here`)
      const first = ended.outcome
      invariant(first.kind === outcome.kind, `bet ${betId} was ${first.kind}, now ${outcome.kind}`)
      return ended.entry
    }
    return this.#kernel.recordInOrder(
      { id: operationId('settle', roundId, attempt), request: '', at },
      { postings: settlementPostings(bet, outcome), result: outcome },
      { openBets: this.open.filter((other) => other !== bet) },
    )
  }

  /** Asks about every bet that a reported round may have decided. */
  async settleDue(now: RoundNow): Promise<void> {
    await this.#ask((bet) => isDue(bet, now))
  }

  /**
   * Asks about every bet that its round has accepted or refused. Returns false if a round did not answer.
   * @param liveMs for how long a bet that its round has called live isn't asked about again
   */
  async settleClosed(liveMs = 0): Promise<boolean> {
    const now = this.#kernel.clock.now()
    return this.#ask((bet) => this.#mayHaveEnded(bet, now, liveMs))
  }

  /** Asks rounds after a bet's own about the bets whose outcome may be known. */
  async settleAfter(betId: string): Promise<void> {
    const { roundId } = placeOf(betId)
    const now = this.#kernel.clock.now()
    await this.#ask((bet) => bet.roundId > roundId && this.#mayHaveEnded(bet, now, LIVE_MS))
  }

  /**
   * Returns the bet of a round once it has ended. Asks the round if the bet is still open.
   * @param isOver whether the caller knows that the round has ended
   */
  async ended(roundId: number, isOver: boolean): Promise<EndedBet | null> {
    const open = this.open.find((bet) => bet.roundId === roundId)
    const now = this.#kernel.clock.now()
    if (open && (isOver || this.#mayHaveEnded(open, now, LIVE_MS))) await this.#learn(open)
    const last = this.#tried(roundId, this.#attemptsIn(roundId) - 1)
    if (!last?.ended || last.ended.outcome.kind === 'never_placed') return null
    return { ...paramsOf(last.request), placedAt: last.hold.at, outcome: last.ended.outcome }
  }

  /** Returns whether a bet's round may have decided it since it was last asked. */
  #mayHaveEnded(bet: HeldBet, now: number, liveMs: number): boolean {
    if (bet.closesAt > now) return false
    const live = this.#live
    return live?.betId !== this.#betId(bet) || !isWithin(liveMs, live.askedAt, Date.now())
  }

  /** Returns how many bets were tried in a round. All but the last were refused. */
  #attemptsIn(roundId: number): number {
    const head = this.#kernel.journal.lastBefore(({ lastRoundId }) => lastRoundId > roundId)
    return head.lastRoundId === roundId ? head.attempts : 0
  }

  /** Returns a bet that was tried in a round, or null if there was none. */
  #tried(roundId: number, attempt: number): Tried | null {
    if (attempt < 0) return null
    const { journal } = this.#kernel
    const isTried = ({ lastRoundId, attempts }: Head) =>
      lastRoundId > roundId || (lastRoundId === roundId && attempts > attempt)
    const isOver = (head: Head) => isTried(head) && !isOpen(head, roundId, attempt)
    const hold = journal.first(isTried)
    if (hold?.id !== operationId('bet', roundId, attempt)) return null
    const settlement = journal.first<FinalOutcome>(isOver)
    const ended = settlement && { entry: entryRef(settlement), outcome: settlement.result }
    return { request: hold.request, hold: entryRef(hold), ended }
  }

  #betId({ roundId, attempt }: Pick<HeldBet, 'roundId' | 'attempt'>): string {
    return `${roundId}:${this.#kernel.wallet}:${attempt}`
  }

  #held(roundId: number, attempt: number): HeldBet | undefined {
    return this.open.find((bet) => bet.roundId === roundId && bet.attempt === attempt)
  }

  /** Returns the total that open bets and an open game hold in a token, in smallest units. */
  #heldTotal(token: Token): bigint {
    const { openGame } = this.#kernel.journal.latest()
    return this.open
      .filter((bet) => bet.token === token)
      .reduce(
        (total, { amountWei }) => total + amountWei,
        openGame?.token === token ? heldPayoutOf(openGame) : 0n,
      )
  }

  /** Checks a new bet and moves its stake to `in_play`. Returns the bet with the entry of that movement. */
  #hold(request: BetRequest, attempt: number): { bet: HeldBet; entry: EntryRef } | Refusal {
    const { roundId, params, maxPayout, modes } = request
    const { journal } = this.#kernel
    // A journal's rounds never fall, so that a bet is found by its round.
    const open = request.open && roundId >= journal.latest().lastRoundId
    const at = this.#kernel.clock.now()
    const refusal =
      this.#gate.refusal({ ...params, at, name: CRASH, modes }) ??
      checkBet({ ...request, open }, journal.balances()[params.token].chips)
    if (refusal) return refusal
    if (this.#kernel.isFull) return LEDGER_FULL
    const bet: HeldBet = {
      roundId,
      attempt,
      ...params,
      target: targetOf(params, maxPayout),
      placedAt: at,
      closesAt: request.betsCloseAt,
    }
    const entry = this.#kernel.recordInOrder(
      { id: operationId('bet', roundId, attempt), request: paramsText(params), at },
      { postings: stakePostings(params), result: 'held' },
      {
        lastRoundId: roundId,
        attempts: attempt + 1,
        openBets: [...this.open, bet],
        ...this.#limits.staked(at),
      },
    )
    return { bet, entry }
  }

  /** Places a held bet, once for all simultaneous callers. Releases a refused bet. */
  #placeOnce(bet: HeldBet): Promise<Refusal | null> {
    const betId = this.#betId(bet)
    if (this.#placement?.betId === betId) return this.#placement.answer
    const answer = this.#place(bet)
    this.#placement = { betId, answer }
    const forget = () => {
      if (this.#placement?.answer === answer) this.#placement = null
    }
    answer.then((refusal) => refusal && forget(), forget)
    return answer
  }

  async #place(bet: HeldBet): Promise<Refusal | null> {
    const betId = this.#betId(bet)
    const { roundId, token, amountWei, autoCashout, closesAt } = bet
    const { env, wallet } = this.#kernel
    const placement = { betId, wallet, token, amountWei, autoCashout }
    try {
      const refusal = await retried(async () => crashRound(env, roundId).place(placement))
      // A busy round has not decided anything: an earlier try may have placed the bet.
      const isBusy = refusal?.error.code === 'rate_limited'
      if (isBusy) this.#kernel.alarm.wakeBy(closesAt, this.#kernel.clock.now())
      else if (refusal) this.settle(betId, { kind: 'never_placed' })
      return refusal
    } catch (fault) {
      // No answer is not a refusal: the stake stays held until the round answers.
      this.#kernel.alarm.wakeBy(closesAt, this.#kernel.clock.now())
      throw fault
    }
  }

  /** Asks the rounds of some bets how they ended. An unreachable round is asked again later. */
  async #ask(isWanted: (bet: HeldBet) => boolean): Promise<boolean> {
    const wanted = this.open.filter(isWanted)
    const haveAnswered = await Promise.all(wanted.map((bet) => this.#askOne(bet)))
    return haveAnswered.every(Boolean)
  }

  async #askOne(bet: HeldBet): Promise<boolean> {
    try {
      await this.#learn(bet)
      return true
    } catch (fault) {
      logFault('bet_outcome_unknown', fault, {
        object: this.#kernel.owner.object,
        roundId: bet.roundId,
      })
      return false
    }
  }

  /** Asks the round of a bet how it ended, and settles it if it has. */
  async #learn(bet: HeldBet): Promise<void> {
    const betId = this.#betId(bet)
    const askedAt = Date.now()
    const asking = retried(async () => crashRound(this.#kernel.env, bet.roundId).outcome(betId))
    const outcome = await answerWithin(OUTCOME_MS, asking)
    if (outcome.kind !== 'live') this.settle(betId, outcome)
    else this.#live = { betId, askedAt }
  }
}

function isOpen({ openBets }: Head, roundId: number, attempt: number): boolean {
  return openBets.some((bet) => bet.roundId === roundId && bet.attempt === attempt)
}

/** Returns the round and the attempt that a bet's id names. */
function placeOf(betId: string): { roundId: number; attempt: number } {
  const [roundId, , attempt] = betId.split(':')
  return { roundId: Number(roundId), attempt: Number(attempt) }
}

/** Returns a bet's params as canonical text: equal params have equal texts. */
function paramsText({ token, amountWei, autoCashout }: BetParams): string {
  return JSON.stringify([token, amountWei.toString(), autoCashout])
}

/** Returns the params in a text of {@link paramsText}. */
function paramsOf(text: string): BetParams {
  const [token, amountWei, autoCashout] = JSON.parse(text) as [Token, string, Hundredths | null]
  return { token, amountWei: BigInt(amountWei), autoCashout }
}
