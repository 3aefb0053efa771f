import { invariant } from '../../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { targetOf, type BetOrder, type EndedBet, type FinalOutcome } from '../../src/crash/bet.ts'
import { isDue, type RoundNow } from '../../src/crash/due.ts'
import { holdPostings, resolutionPostings } from '../../src/crash/hold.ts'
import { checkBet, type BetRequest } from '../../src/crash/placement.ts'
import { ledgerFull } from '../../src/ledger/capacity.ts'
import type { OpenBet } from '../../src/ledger/me.ts'
import { logFault } from '../../src/log.ts'
import { toMultiplier } from '../../src/money/multiplier.ts'
import { TOKENS } from '../../src/money/token.ts'
import { crashRound, retried } from '../../src/objects.ts'
import type { Books, LedgerPart } from './books.ts'
import { Holds, type Hold } from './holds.ts'

/** How often a ledger asks about bets that no request has resolved. */
const HOLD_SWEEP_MS = 60_000

/** The crash bets of one wallet: stakes reserved, placed in a round, and resolved by its outcome. */
export class Bets implements LedgerPart {
  readonly holds: Holds
  readonly #books: Books
  /** The latest placement, in progress or accepted. After a restart the round is asked again. */
  #placement: { betId: string; answer: Promise<Refusal | null> } | null = null

  constructor(books: Books) {
    this.#books = books
    this.holds = new Holds(books.storage.sql)
  }

  nextDueAt(now: number): number | null {
    return this.holds.open().length > 0 ? now + HOLD_SWEEP_MS : null
  }

  audit(): string | null {
    const balances = this.#books.operations.balances()
    const wrong = TOKENS.find((token) => balances[token].in_play !== this.holds.openTotal(token))
    return wrong ? `in_play of ${wrong} is not the sum of the open bets` : null
  }

  /** Returns the newest unresolved bet as its owner sees it; null if its round has ended it. */
  openBet(now: RoundNow | null): OpenBet | null {
    const hold = this.holds.open().at(-1)
    if (!hold || (now && isDue(hold, now))) return null
    const { roundId, token, amountWei, autoCashout, placedAt } = hold
    return {
      roundId,
      token,
      amountWei: amountWei.toString(),
      autoCashout: autoCashout === null ? null : toMultiplier(autoCashout),
      placedAt,
    }
  }

  /** Reserves chips and places the bet in its round, or does neither. */
  async bet(request: BetRequest): Promise<Refusal | null> {
    const { roundId, order } = request
    const tried = this.holds.ofRound(roundId)
    const standing = tried.find((hold) => hold.status !== 'never_placed')
    if (standing && orderText(standing) !== orderText(order)) {
      return refuse('bet_exists', 'You already have a bet in this round. Only one is allowed.')
    }
    const hold = standing ?? this.#hold(request, tried.length)
    if (isRefusal(hold)) return hold
    return hold.status === 'open' ? this.#placed(hold) : null
  }

  /** Resolves a bet as its round reports it. Safe to repeat: the first outcome stays. */
  resolve(betId: string, outcome: FinalOutcome): void {
    const at = this.#books.clock.now()
    const hold = this.holds.find(betId)
    invariant(hold, `bet ${betId} is not held here`)
    if (hold.status !== 'open') {
      invariant(
        hold.status === outcome.kind,
        `bet ${betId} was ${hold.status}, now ${outcome.kind}`,
      )
      return
    }
    this.#books.commit(at, () => {
      this.#books.operations.record(
        { id: settlementId(betId), request: JSON.stringify(outcome), at },
        { postings: resolutionPostings(hold, outcome), result: outcome },
      )
      this.holds.resolve(betId, outcome.kind)
    })
  }

  /** Asks about every bet that a reported round may have decided. */
  async resolveDue(now: RoundNow): Promise<void> {
    await this.#ask((hold) => isDue(hold, now))
  }

  /** Asks about every bet that its round has accepted or refused. Returns false if a round did not answer. */
  async resolveClosed(): Promise<boolean> {
    const now = this.#books.clock.now()
    return this.#ask((hold) => hold.closesAt <= now)
  }

  /** Returns the bet of a round once it has ended. Asks the round if the bet is still unresolved. */
  async ended(roundId: number): Promise<EndedBet | null> {
    const hold = this.holds.ofRound(roundId).find(({ status }) => status !== 'never_placed')
    if (!hold) return null
    if (hold.status === 'open' && hold.closesAt <= this.#books.clock.now()) await this.#learn(hold)
    const outcome = this.#books.operations.stored<FinalOutcome>(settlementId(hold.betId))?.result
    if (!outcome || outcome.kind === 'never_placed') return null
    const { token, amountWei, autoCashout, placedAt } = hold
    return { token, amountWei, autoCashout, placedAt, outcome }
  }

  /** Checks a new bet and moves its stake to `in_play` in one transaction. */
  #hold(request: BetRequest, attempt: number): Hold | Refusal {
    const { roundId, order, maxPayout } = request
    const { operations } = this.#books
    const refusal = checkBet(request, operations.balances()[order.token].chips)
    if (refusal) return refusal
    if (this.#books.isFull) return ledgerFull()
    const at = this.#books.clock.now()
    return this.#books.commit(at, () => {
      const hold: Hold = {
        betId: `${roundId}:${this.#books.wallet}:${attempt}`,
        roundId,
        ...order,
        target: targetOf(order, maxPayout),
        placedAt: at,
        closesAt: request.betsCloseAt,
        status: 'open',
      }
      operations.record(
        { id: `bet:${hold.betId}`, request: orderText(order), at },
        { postings: holdPostings(order), result: 'held' },
      )
      this.holds.insert(hold)
      return hold
    })
  }

  /** Places a held bet, once for all simultaneous callers. Releases a refused bet. */
  #placed(hold: Hold): Promise<Refusal | null> {
    const { betId } = hold
    if (this.#placement?.betId === betId) return this.#placement.answer
    const answer = this.#place(hold)
    this.#placement = { betId, answer }
    const forget = () => {
      if (this.#placement?.answer === answer) this.#placement = null
    }
    answer.then((refusal) => refusal && forget(), forget)
    return answer
  }

  async #place(hold: Hold): Promise<Refusal | null> {
    const { betId, token, amountWei, autoCashout } = hold
    const order = { betId, wallet: this.#books.wallet, token, amountWei, autoCashout }
    try {
      const refusal = await retried(async () =>
        crashRound(this.#books.env, hold.roundId).place(order),
      )
      // A busy round has not decided anything: an earlier try may have placed the bet.
      const isBusy = refusal?.error.code === 'rate_limited'
      if (isBusy) this.#books.alarm.wakeBy(hold.closesAt, this.#books.clock.now())
      else if (refusal) this.resolve(betId, { kind: 'never_placed' })
      return refusal
    } catch (fault) {
      // No answer is not a refusal: the stake stays held until the round answers.
      this.#books.alarm.wakeBy(hold.closesAt, this.#books.clock.now())
      throw fault
    }
  }

  /** Asks the rounds of some bets how they ended. An unreachable round is asked again later. */
  async #ask(isWanted: (hold: Hold) => boolean): Promise<boolean> {
    const wanted = this.holds.open().filter(isWanted)
    const haveAnswered = await Promise.all(wanted.map((hold) => this.#askOne(hold)))
    return haveAnswered.every(Boolean)
  }

  async #askOne(hold: Hold): Promise<boolean> {
    try {
      await this.#learn(hold)
      return true
    } catch (fault) {
      logFault('bet_outcome_unknown', fault, { roundId: hold.roundId })
      return false
    }
  }

  /** Asks the round of a bet how it ended, and resolves it if it has. */
  async #learn({ betId, roundId }: Hold): Promise<void> {
    const outcome = await crashRound(this.#books.env, roundId).outcome(betId)
    if (outcome.kind !== 'live') this.resolve(betId, outcome)
  }
}

function settlementId(betId: string): string {
  return `settle:${betId}`
}

/** Returns an order as canonical text: equal orders have equal texts. */
function orderText({ token, amountWei, autoCashout }: BetOrder): string {
  return JSON.stringify([token, amountWei.toString(), autoCashout])
}
