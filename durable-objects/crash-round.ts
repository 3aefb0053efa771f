import { DurableObject } from 'cloudflare:workers'
import { fetchBeacon } from '../src/api/fairness/beacon.ts'
import { currentBankroll } from '../src/api/vault/bankroll.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import type { Bet, BetOutcome } from '../src/crash/bet.ts'
import { planRound } from '../src/crash/plan.ts'
import type { RoundResult } from '../src/crash/result.ts'
import { Round, type Changes, type Placement } from '../src/crash/round.ts'
import type { RoundReport, RoundView } from '../src/crash/state.ts'
import { beaconRandomness } from '../src/fairness/drand.ts'
import { commitmentOf } from '../src/fairness/seed.ts'
import { saveRound } from '../src/history/rounds.ts'
import type { Me } from '../src/ledger/me.ts'
import type { Bankroll } from '../src/money/bankroll.ts'
import type { Hundredths } from '../src/money/multiplier.ts'
import { crashStream, crashTable, ledger, retried } from '../src/objects.ts'
import { GATHER_MS, Reporter } from './crash-round/reporter.ts'
import { CrashRoundStore } from './crash-round/store.ts'
import { Alarm, earliest } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { CommitQueue } from './kernel/commit-queue.ts'
import { isBlank, migrate } from './kernel/migrations.ts'
import { Outbox, type OutboxMessage } from './kernel/outbox.ts'
import { randomSecret } from './kernel/random.ts'
import { transact, type Settled } from './kernel/transact.ts'

export interface CashoutAnswer {
  ok: true
  /** Whether this call cashed the bet out; false if an earlier call did. */
  fresh: boolean
  multiplier: Hundredths
  payoutWei: string
  me: Me
}

/** A cash-out's caller delivers its payout itself; the outbox takes over after this. */
const EAGER_DELIVERY_MS = 2_000

/** The beacon's relays are queried at most this often. */
const ASK_BEACON_MS = 1_000

const BUSY = refuse('rate_limited', 'The round is busy; try again in a moment.')

/**
 * One crash round: its timeline, seed, bets and outcome. All decisions about money in a round are
 * made here, on this object's clock.
 */
export class CrashRound extends DurableObject<Env> {
  readonly #store = new CrashRoundStore(this.ctx.storage.sql)
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #outbox = new Outbox(this.ctx.storage.sql, (message) => this.#deliver(message))
  readonly #queue = new CommitQueue(
    (work) => this.#commit(work),
    () => this.#clock.now(),
    () => this.#wake(),
  )
  readonly #reporter = new Reporter(
    (since) => this.#report(since),
    (report) => retried(async () => crashStream(this.env).tell(report)),
  )
  readonly #clock = new Clock()
  #round: Round | null = null
  /** Bets that were never placed and can no longer be. */
  #buried = new Set<string>()
  #beaconAskedAt = -Infinity

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      if (!isBlank(ctx.storage)) {
        this.#migrate()
        this.#load()
      }
      await this.#alarm.load()
    })
  }

  /** Opens the round if necessary and returns its state. */
  async open(): Promise<RoundView> {
    if (!this.#round) {
      const bankroll = await currentBankroll(this.env)
      if (!this.#round) this.#open(bankroll)
    }
    const now = this.#catchUp()
    const round = this.#opened()
    if (round.beaconDue(now) !== null) this.ctx.waitUntil(this.#fetchBeacon())
    return round.view(now)
  }

  /**
   * Returns the round's state, with its cash-outs after the first `winCount`. From then on, the round
   * reports changes to the stream.
   */
  async follow(winCount: number): Promise<RoundReport> {
    return this.#reporter.follow(winCount)
  }

  /** Accepts a bet whose stake is held, or refuses it. A repeated bet is accepted once. */
  async place(placement: Placement): Promise<Refusal | null> {
    if (this.#queue.isFull()) return BUSY
    return this.#queue.run((now) => this.#place(placement, now))
  }

  /** Cashes out a wallet's bet at the present multiplier and pays it. */
  async cashOut(wallet: string): Promise<CashoutAnswer | Refusal> {
    if (this.#queue.isFull()) return BUSY
    const decided = await this.#queue.run((now) => this.#cashOut(wallet, now))
    if (isRefusal(decided)) return decided
    const { betId, messageId } = decided
    const fresh = messageId !== null
    const outcome = this.#opened().outcome(betId)
    invariant(outcome.kind === 'won', 'a cashed-out bet has won')
    const me = await ledger(this.env, wallet).settle(betId, outcome)
    if (fresh) this.#outbox.markDelivered(messageId)
    return { ok: true, fresh, multiplier: outcome.multiplier, payoutWei: outcome.payoutWei, me }
  }

  /**
   * Accepts a beacon signature that the caller has verified for this round's plan. Returns whether the
   * round had none before.
   */
  async takeBeacon(signature: string): Promise<boolean | Refusal> {
    if (this.#queue.isFull()) return BUSY
    return this.#queue.run((now) => this.#takePepper(signature, now))
  }

  /**
   * Returns how a bet ended. Buries an unknown bet first, so that "never placed" stays true whatever
   * arrives later.
   */
  async outcome(betId: string): Promise<BetOutcome> {
    if (this.#round) this.#catchUp()
    const outcome: BetOutcome = this.#round?.outcome(betId) ?? { kind: 'never_placed' }
    if (outcome.kind === 'never_placed') {
      this.#migrate()
      this.#store.bury(betId)
      this.#buried.add(betId)
    }
    return outcome
  }

  /** Returns all details of an ended round, including its seed; null before it ends. */
  async result(): Promise<RoundResult | null> {
    if (!this.#round) return null
    this.#catchUp()
    return this.#opened().result()
  }

  /** Writes the round to the history again if it has ended. */
  async sendToHistory(): Promise<void> {
    const result = this.#round?.result()
    if (result) await saveRound(this.env.HISTORY, result, this.#opened().bets)
  }

  /** Does everything that is due. Returns the number of messages still waiting. */
  async sweep(): Promise<number> {
    if (!this.#round) return 0
    this.#catchUp()
    await this.#fetchBeacon()
    await this.#outbox.drain(this.#clock.now())
    this.#wake()
    return this.#outbox.size()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      await this.sweep()
      return this.#nextDueAt()
    })
  }

  #migrate(): void {
    migrate(this.ctx.storage, [this.#store.migration, this.#outbox.migration])
  }

  #load(): void {
    this.#buried = new Set(this.#store.buried())
    const record = this.#store.record()
    if (!record) return
    this.#round = new Round(record, this.#store.bets())
    this.#clock.notBefore(this.#round.latestTime)
  }

  #opened(): Round {
    invariant(this.#round, 'the round has not been opened')
    return this.#round
  }

  #open(bankroll: Bankroll | null): void {
    const { crash: rules } = loadConfig(this.env)
    const roundId = Number(this.ctx.id.name)
    invariant(Number.isSafeInteger(roundId), 'a round is named by its number')
    const openedAt = this.#clock.now()
    const seed = randomSecret()
    const pepper = rules.pepper === 'committed' ? randomSecret() : null
    const plan = planRound({
      roundId,
      openedAt,
      rules,
      seedHash: commitmentOf(seed),
      pepperHash: pepper === null ? null : commitmentOf(pepper),
      bankroll,
    })
    const pepperAt = pepper === null ? null : openedAt
    this.#migrate()
    this.#commit(() => {
      this.#store.save({
        plan,
        seed,
        pepper,
        pepperAt,
        signature: null,
        status: 'live',
        endedAt: null,
      })
    })
    this.#load()
  }

  /** Runs one transaction. If it fails, drops the state in memory, as the database has undone it. */
  #commit<T>(work: () => Settled<T>): Settled<T> {
    try {
      return transact(this.ctx.storage, work)
    } catch (fault) {
      this.#load()
      throw fault
    }
  }

  /** Commits waiting operations, then advances the round to the present. */
  #catchUp(): number {
    this.#queue.flush()
    const now = this.#clock.now()
    this.#commit(() => this.#advance(now))
    this.#wake()
    return now
  }

  #advance(now: number): void {
    this.#keep(this.#opened().advance(now), now)
  }

  #report(since: number): RoundReport {
    const now = this.#catchUp()
    return this.#opened().report(now, since)
  }

  #place(placement: Placement, now: number): Refusal | null {
    if (!this.#round) return refuse('betting_closed', 'There is no such round.')
    this.#advance(now)
    if (this.#buried.has(placement.betId)) {
      return refuse('betting_closed', 'This bet arrived too late, so your stake was released.')
    }
    const known = this.#round.bet(placement.betId)
    const placed = this.#round.place(placement, now)
    if (isRefusal(placed)) return placed
    if (!known) this.#store.insertBet(placed)
    return null
  }

  #cashOut(wallet: string, now: number): Refusal | { betId: string; messageId: number | null } {
    if (!this.#round) return refuse('no_open_bet', 'There is no such round.')
    this.#advance(now)
    const decided = this.#round.cashOut(wallet, now)
    if (isRefusal(decided)) return decided
    const { bet, fresh } = decided
    return { betId: bet.betId, messageId: fresh ? this.#pay(bet, now + EAGER_DELIVERY_MS) : null }
  }

  /** Records what a step changed and queues the resulting messages. Ledgers with lost bets ask instead. */
  #keep({ cashedOut, ended }: Changes, now: number): void {
    for (const bet of cashedOut) this.#pay(bet, now)
    if (!ended) return
    this.#reporter.reportBy(now, now)
    const { record, bets } = this.#opened()
    this.#store.save(record)
    if (record.status === 'voided') for (const bet of bets) this.#tell(bet, now)
    this.#outbox.add({ kind: 'table', payload: '' }, now)
    this.#outbox.add({ kind: 'history', payload: '' }, now)
  }

  #pay(bet: Bet, dueAt: number): number {
    this.#store.cashOut(bet)
    const now = this.#clock.now()
    this.#reporter.reportBy(now + GATHER_MS, now)
    return this.#tell(bet, dueAt)
  }

  #tell(bet: Bet, dueAt: number): number {
    return this.#outbox.add({ kind: 'settle', payload: bet.betId }, dueAt)
  }

  async #deliver({ kind, payload }: OutboxMessage): Promise<void> {
    const round = this.#opened()
    if (kind === 'settle') {
      const bet = round.bet(payload)
      invariant(bet, 'a payout belongs to a bet of this round')
      const outcome = round.outcome(bet.betId)
      invariant(outcome.kind !== 'live', 'only an ended bet is reported')
      await ledger(this.env, bet.wallet).settle(bet.betId, outcome)
      return
    }
    const result = round.result()
    invariant(result, 'only an ended round is reported')
    if (kind === 'table') await crashTable(this.env).recordEnd(result, round.wins)
    else await saveRound(this.env.HISTORY, result, round.bets)
  }

  /** Fetches the beacon's round, at a limited rate. Advances the round again when it arrives. */
  async #fetchBeacon(): Promise<void> {
    const now = this.#clock.now()
    const beaconRound = this.#opened().beaconDue(now)
    if (beaconRound === null || now < this.#beaconAskedAt + ASK_BEACON_MS) return
    this.#beaconAskedAt = now
    const signature = await fetchBeacon(loadConfig(this.env).drandRelays, beaconRound)
    if (signature !== null)
      await this.#queue.run((arrivedAt) => this.#takePepper(signature, arrivedAt))
  }

  #takePepper(signature: string, now: number): boolean {
    this.#advance(now)
    const round = this.#opened()
    const isTaken = round.takePepper(beaconRandomness(signature), signature, now)
    if (isTaken) this.#store.save(round.record)
    return isTaken
  }

  #wake(): void {
    const now = this.#clock.now()
    this.#alarm.wakeBy(this.#nextDueAt(), now)
    this.#reporter.reportBy(this.#round?.nextTransitionAt(now) ?? null, now)
  }

  #nextDueAt(): number | null {
    if (!this.#round) return null
    const now = this.#clock.now()
    return earliest(this.#outbox.nextDueAt(now), this.#round.nextTransitionAt(now))
  }
}
