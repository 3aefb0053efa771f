import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../src/config.ts'
import { targetOf, type BetOrder, type BetOutcome, type FinalOutcome } from '../src/crash/bet.ts'
import { toMultiplier } from '../src/crash/curve.ts'
import { savePosition } from '../src/history/positions.ts'
import { invariant } from '../src/invariant.ts'
import { holdPostings, resolutionPostings } from '../src/ledger/hold.ts'
import type { Posting } from '../src/ledger/accounts.ts'
import { checkBet, type BetAnswer, type BetRequest } from '../src/ledger/bet.ts'
import { replay } from '../src/ledger/journal.ts'
import { isDue, type Me, type RoundNow } from '../src/ledger/me.ts'
import { logFault } from '../src/log.ts'
import { perToken, TOKENS, type Token } from '../src/money/token.ts'
import { crashRound, retried } from '../src/objects.ts'
import { isRefusal, refuse, type Refusal } from '../src/refusal.ts'
import { Alarm, earliest } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { isBlank, migrate } from './kernel/migrations.ts'
import { Operations, OPERATIONS_MIGRATION } from './kernel/operations.ts'
import { Outbox, OUTBOX_MIGRATION } from './kernel/outbox.ts'
import { transact, type Settled } from './kernel/transact.ts'
import { Holds, HOLDS_MIGRATION, type Hold } from './ledger-holds.ts'

/** A ledger's own word on whether its books are right. */
export type Audit =
  | { ok: true; entries: number; headHash: string; balances: Record<Token, Record<string, string>> }
  | { ok: false; problem: string }

/** How long a movement may wait before D1 hears of it. */
const POSITION_DELAY_MS = 300_000

/** How often a ledger asks about bets that nobody's read has resolved. */
const HOLD_SWEEP_MS = 60_000

/** What a wallet without books sees. No withdrawal can be accepted before the vault exists. */
const NO_CHIPS: Me = { chips: perToken(() => '0'), openBet: null, nonce: 0 }

/** One wallet's money. Every movement of its chips happens here and only here. */
export class Ledger extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #outbox = new Outbox(this.ctx.storage.sql, () => this.#savePosition())
  readonly #operations = new Operations(this.ctx.storage.sql)
  readonly #holds = new Holds(this.ctx.storage.sql)
  /** The latest placement: under way, or accepted. Lost at a restart, and then asked for again. */
  #placement: { betId: string; answer: Promise<Refusal | null> } | null = null
  /** Whether D1 will hear of the latest movement without another message. */
  #positionQueued = false
  /** A wallet that never had chips has no books: looking at it leaves nothing behind. */
  #hasBooks = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      if (!isBlank(ctx.storage)) this.#openBooks()
      await this.#alarm.load()
    })
  }

  /** The wallet's chips and open bet, after asking about every bet that is due. */
  async me(now: RoundNow): Promise<Me> {
    if (!this.#hasBooks) return NO_CHIPS
    await this.#resolveDue(now)
    return this.#me(now)
  }

  /** Sets chips aside and places the bet in its round, or does neither. */
  async bet(request: BetRequest): Promise<BetAnswer | Refusal> {
    if (!this.#hasBooks) {
      const refusal = checkBet(request, 0n)
      invariant(refusal, 'who has no chips cannot bet')
      return refusal
    }
    await this.#resolveDue(request.now)
    const { roundId, order, now } = request
    const tried = this.#holds.ofRound(roundId)
    const standing = tried.find((hold) => hold.status !== 'never_placed')
    if (standing && orderText(standing) !== orderText(order)) {
      return refuse('bet_exists', 'You already have a bet in this round; one per round.')
    }
    const hold = standing ?? this.#hold(request, tried.length)
    if (isRefusal(hold)) return hold
    const refusal = hold.status === 'open' ? await this.#placed(hold) : null
    return refusal ?? { ok: true, roundId, me: this.#me(now) }
  }

  /** Resolves a bet by its round's word. Safe to repeat: the first outcome stays. */
  async settle(betId: string, outcome: FinalOutcome): Promise<Me> {
    this.#resolve(betId, outcome)
    return this.#me(null)
  }

  /** Development chips. The router offers it in local play only. Safe to repeat with one id. */
  async faucet(id: string, token: Token, amountWei: bigint): Promise<Me | Refusal> {
    invariant(loadConfig(this.env).environment === 'local', 'only local play has a faucet')
    this.#openBooks()
    const operation = {
      id: `faucet:${id}`,
      request: JSON.stringify([token, amountWei.toString()]),
      at: this.#clock.now(),
    }
    const stored = this.#operations.stored(operation.id)
    if (stored && stored.request !== operation.request) {
      return refuse('idempotency_conflict', 'This id was used for another amount or token.')
    }
    if (!stored) {
      const postings: Posting[] = [
        { token, from: 'faucet', to: 'chips', amountWei: amountWei.toString() },
      ]
      this.#commit(operation.at, () => {
        this.#operations.record(operation, { postings, result: 'credited' })
      })
    }
    return this.#me(null)
  }

  /** Replays the journal and holds it against the balances and the open bets. */
  async verify(): Promise<Audit> {
    this.#openBooks()
    this.#operations.forget()
    this.#holds.forget()
    const rebuilt = replay(this.#operations.entries())
    if (!rebuilt.ok) return { ok: false, problem: `entry ${rebuilt.seq}: ${rebuilt.problem}` }
    const balances = this.#operations.balances()
    for (const token of TOKENS) {
      for (const [account, amount] of Object.entries(balances[token])) {
        const replayed = Object.entries(rebuilt.balances[token]).find(([name]) => name === account)
        if (replayed?.[1] !== amount) {
          return { ok: false, problem: `${account} of ${token} is not what the journal says` }
        }
      }
      if (balances[token].in_play !== this.#holds.openTotal(token)) {
        return { ok: false, problem: `in_play of ${token} is not the sum of the open bets` }
      }
    }
    const { entries, headHash } = rebuilt
    return { ok: true, entries, headHash, balances: perToken((token) => asText(balances[token])) }
  }

  /** Asks about every unresolved bet and delivers what waits. */
  async sweep(): Promise<void> {
    if (!this.#hasBooks) return
    const now = this.#clock.now()
    await Promise.all(
      this.#holds
        .open()
        .filter((hold) => hold.closesAt <= now)
        .map((hold) => this.#ask(hold)),
    )
    await this.#outbox.drain(now)
    this.#alarm.wakeBy(this.#nextDueAt(), now)
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      await this.sweep()
      return this.#nextDueAt()
    })
  }

  #nextDueAt(): number | null {
    const now = this.#clock.now()
    const askAt = this.#holds.open().length > 0 ? now + HOLD_SWEEP_MS : null
    return earliest(this.#outbox.nextDueAt(now), askAt)
  }

  #openBooks(): void {
    if (this.#hasBooks) return
    migrate(this.ctx.storage, [OPERATIONS_MIGRATION, OUTBOX_MIGRATION, HOLDS_MIGRATION])
    this.#positionQueued = this.#outbox.size() > 0
    this.#hasBooks = true
  }

  #me(now: RoundNow | null): Me {
    const balances = this.#operations.balances()
    const hold = this.#holds.open().at(-1)
    const isOpen = hold && !(now && isDue(hold, now))
    return {
      chips: perToken((token) => balances[token].chips.toString()),
      openBet: isOpen
        ? {
            roundId: hold.roundId,
            token: hold.token,
            amountWei: hold.amountWei.toString(),
            autoCashout: hold.autoCashout === null ? null : toMultiplier(hold.autoCashout),
            placedAt: hold.placedAt,
          }
        : null,
      nonce: NO_CHIPS.nonce,
    }
  }

  /** Checks a new bet and moves its stake to `in_play`, in one transaction. */
  #hold(request: BetRequest, attempt: number): Hold | Refusal {
    const { roundId, order, maxPayout } = request
    const refusal = checkBet(request, this.#operations.balances()[order.token].chips)
    if (refusal) return refusal
    const at = this.#clock.now()
    return this.#commit(at, () => {
      const hold: Hold = {
        betId: `${roundId}:${this.#wallet()}:${attempt}`,
        roundId,
        ...order,
        target: targetOf(order, maxPayout),
        placedAt: at,
        closesAt: request.betsCloseAt,
        status: 'open',
      }
      this.#operations.record(
        { id: `bet:${hold.betId}`, request: orderText(order), at },
        { postings: holdPostings(order), result: 'held' },
      )
      this.#holds.insert(hold)
      return hold
    })
  }

  /** Places a held bet, once for however many ask at the same time; a refused one is released. */
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
    const order = { betId, wallet: this.#wallet(), token, amountWei, autoCashout }
    try {
      const refusal = await retried(async () => crashRound(this.env, hold.roundId).place(order))
      // A round that is only busy has not decided: an earlier try may have placed the bet.
      const isBusy = refusal?.error.code === 'rate_limited'
      if (isBusy) this.#alarm.wakeBy(hold.closesAt, this.#clock.now())
      else if (refusal) this.#resolve(betId, { kind: 'never_placed' })
      return refusal
    } catch (fault) {
      // No answer is not a refusal: the stake stays held until the round has said.
      this.#alarm.wakeBy(hold.closesAt, this.#clock.now())
      throw fault
    }
  }

  async #resolveDue(now: RoundNow): Promise<void> {
    const due = this.#holds.open().filter((hold) => isDue(hold, now))
    await Promise.all(due.map((hold) => this.#ask(hold)))
  }

  /** Asks a bet's round how it ended. A round that cannot be reached is asked again later. */
  async #ask(hold: Hold): Promise<void> {
    let outcome: BetOutcome
    try {
      outcome = await crashRound(this.env, hold.roundId).outcome(hold.betId)
    } catch (fault) {
      logFault('a round did not say how a bet ended', fault, { roundId: hold.roundId })
      return
    }
    if (outcome.kind !== 'live') this.#resolve(hold.betId, outcome)
  }

  #resolve(betId: string, outcome: FinalOutcome): void {
    const at = this.#clock.now()
    const hold = this.#holds.find(betId)
    invariant(hold, `bet ${betId} is not held here`)
    if (hold.status !== 'open') {
      invariant(
        hold.status === outcome.kind,
        `bet ${betId} was ${hold.status}, now ${outcome.kind}`,
      )
      return
    }
    this.#commit(at, () => {
      this.#operations.record(
        { id: `settle:${betId}`, request: JSON.stringify(outcome), at },
        { postings: resolutionPostings(hold, outcome), result: outcome },
      )
      this.#holds.resolve(betId, outcome.kind)
    })
  }

  /** One transaction that moves money, and with it the note that D1 shall hear of it. */
  #commit<T>(at: number, work: () => Settled<T>): Settled<T> {
    const result = this.#orForget(() =>
      transact(this.ctx.storage, () => {
        const done = work()
        if (!this.#positionQueued) {
          this.#outbox.add({ kind: 'position', payload: '' }, at + POSITION_DELAY_MS)
        }
        return done
      }),
    )
    this.#positionQueued = true
    this.#alarm.wakeBy(at + POSITION_DELAY_MS, at)
    return result
  }

  /** Memory must not keep what a failed transaction has undone. */
  #orForget<T>(work: () => T): T {
    try {
      return work()
    } catch (fault) {
      this.#operations.forget()
      this.#holds.forget()
      throw fault
    }
  }

  /** Tells D1 the latest balances, and makes sure it hears of what moved meanwhile. */
  async #savePosition(): Promise<void> {
    const version = this.#operations.head().seq
    await savePosition(this.env.DB, {
      wallet: this.#wallet(),
      version,
      balances: this.#operations.balances(),
      unresolved: this.#holds.open().length > 0,
      at: this.#clock.now(),
    })
    this.#positionQueued = false
    if (this.#operations.head().seq > version) this.#commit(this.#clock.now(), () => {})
  }

  #wallet(): string {
    const { name } = this.ctx.id
    invariant(name, 'a ledger is addressed by its wallet')
    return name
  }
}

/** An order as canonical text: two orders are the same if their texts are. */
function orderText({ token, amountWei, autoCashout }: BetOrder): string {
  return JSON.stringify([token, amountWei.toString(), autoCashout])
}

function asText(accounts: Record<string, bigint>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(accounts).map(([account, amount]) => [account, amount.toString()]),
  )
}
