import { DurableObject } from 'cloudflare:workers'
import { currentBankroll } from '../src/calls/bankroll.ts'
import { afterCommit, retried } from '../src/calls/call.ts'
import { crashStream, ledger } from '../src/calls/objects.ts'
import { invariant } from '../src/core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import type { CashoutAnswer } from '../src/crash/bet-request.ts'
import type { Bet, BetOutcome } from '../src/crash/bet.ts'
import { discloseWhole, type WholeRound } from '../src/crash/disclosure.ts'
import { BETTING_CLOSED, NO_BET } from '../src/crash/refusals.ts'
import type { RoundResult } from '../src/crash/result.ts'
import { Round, type Changes, type Placement, type RoundRecord } from '../src/crash/round.ts'
import type { ReportedCounts, RoundReport, RoundView } from '../src/crash/state.ts'
import type { TableBets } from '../src/crash/table-bets.ts'
import { beaconRandomness } from '../src/fairness/drand.ts'
import { saveRound, saveWithoutBets } from '../src/history/rounds.ts'
import type { WithEntry, TakenRef } from '../src/ledger/journal.ts'
import type { Bankroll } from '../src/money/bankroll.ts'
import type { SetTerms } from '../src/operator/modes.ts'
import { BeaconReader } from './crash-round/beacon-reader.ts'
import { erasedRound, HISTORY_MS, recalled } from './crash-round/erased.ts'
import { newRecord } from './crash-round/new-record.ts'
import { BATCH, Notices } from './crash-round/notices.ts'
import { PLAN, Recipients } from './crash-round/recipients.ts'
import { GATHER_BETS_MS, GATHER_MS, Reporter } from './crash-round/reporter.ts'
import { CrashRoundStore } from './crash-round/store.ts'
import { CommitQueue } from './kernel/commit-queue.ts'
import { Kernel } from './kernel/kernel.ts'
import { schemaOf, type Schema } from './kernel/migrations.ts'
import { objectOf, ownerOf } from './kernel/owner.ts'
import type { Sync } from './kernel/transact.ts'

/** A cash-out's caller notifies the ledger itself; the round takes over after this. */
const EAGER_DELIVERY_MS = 2_000

const BUSY = refuse('rate_limited', 'The round is busy; try again in a moment.')

/** One crash round. All decisions about money in it are made here, on this object's clock. */
export class CrashRound extends DurableObject<Env> {
  readonly #owner = ownerOf('CrashRound', this.ctx, this.env)
  readonly #kernel = new Kernel(this.ctx, this.#owner)
  readonly #store = new CrashRoundStore(this.ctx.storage.sql)
  readonly #queue = new CommitQueue(
    (work, arrivedAt) => this.#commit(work, arrivedAt),
    () => this.#kernel.clock.now(),
    () => this.#wake(),
  )
  readonly #notices: Notices = new Notices(
    (recipient) => this.#recipients.notify(recipient),
    this.#owner,
  )
  readonly #recipients = new Recipients(
    this.env,
    () => this.#opened(),
    () => this.#kernel.clock.now(),
    this.#notices,
  )
  readonly #reporter = new Reporter(
    (since) => this.#report(since),
    (report) => retried(async () => crashStream(this.env).tell(report)),
    objectOf('CrashRound', this.ctx),
  )
  readonly #beacon = new BeaconReader(this.env)
  #round: Round | null = null
  /** Bets that were never placed and can no longer be. */
  #buried = new Set<string>()
  /** The stored list of pending notices, as JSON text. */
  #pending = 'null'
  /** Whether the storage was deleted. The round then exists in memory only, and accepts nothing. */
  #isErased = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      {
        migration: this.#store.migration,
        load: (schema) => this.#load(schema),
        forget: () => this.#load(schemaOf(this.ctx.storage)),
        nextDueAt: (now) => this.#round?.nextDueAt(now) ?? null,
      },
      { nextDueAt: (now) => this.#notices.alarmDueAt(now, this.#round?.stage(now) === 'flight') },
    ])
    void ctx.blockConcurrencyWhile(async () => {
      const record = await recalled(this.env, this.#round, this.#kernel.clock.now())
      if (record) this.#replace(record)
    })
  }

  /**
   * Opens the round if necessary and returns its state. Only the table calls this, and only while it has not recorded
   * the round's end. A table that was restored to an earlier time may ask for a round that has ended and was erased;
   * then its result is returned. The round waits until the public log has its plan.
   * @param setTerms the terms set by operators, under which a new round is planned
   */
  async open(setTerms: SetTerms): Promise<RoundView | RoundResult> {
    if (!this.#round) {
      const [bankroll, ended] = await Promise.all([
        currentBankroll(this.env),
        this.#recipients.played ?? erasedRound(this.env, this.#roundId),
      ])
      if (ended) return ended
      invariant(!this.#isErased, 'a discarded round stays closed')
      if (!this.#round) this.#open(setTerms, bankroll)
    }
    const isAnnounced = await this.#announce()
    const played = await this.#discardReplayed()
    if (played) return played
    const now = this.#catchUp()
    const round = this.#opened()
    if (round.beaconDue(now) !== null) this.ctx.waitUntil(this.#fetchBeacon())
    const view = round.view(now)
    return isAnnounced || view.stage !== 'open' ? view : { ...view, stage: 'waiting' }
  }

  /** Returns the state of a round that is open or in memory, or null. Changes nothing. */
  async view(): Promise<RoundView | null> {
    return this.#round?.view(this.#kernel.clock.now()) ?? null
  }

  /**
   * Returns the round's state, with its cash-outs after the first `winCount` and its bets after the first
   * `betCount`. From then on, the round reports changes to the stream. Returns null if the round is not open
   * or was erased.
   */
  async follow(winCount: number, betCount = 0): Promise<RoundReport | null> {
    return this.#round && this.#reporter.follow({ winCount, betCount })
  }

  /**
   * Returns the round's bets as everyone sees them, with a wallet's own if one is named, or that one alone.
   * Returns null if the round is not open or was erased.
   */
  async tableBets(wallet: string | null, isAlone = false): Promise<TableBets | null> {
    if (!this.#round) return null
    this.#catchUp()
    return this.#opened().tableBets(wallet, isAlone)
  }

  /** Accepts a bet whose stake is held, or refuses it. A repeated bet is accepted once. */
  async place(placement: Placement): Promise<Refusal | null> {
    if (this.#queue.isFull()) return BUSY
    return this.#queue.run((now) => this.#place(placement, now))
  }

  /** Cashes out a wallet's bet at the current multiplier and pays it. */
  async cashOut(wallet: string): Promise<WithEntry<CashoutAnswer, TakenRef> | Refusal> {
    if (this.#queue.isFull()) return BUSY
    const decided = await this.#queue.run((now) => this.#cashOut(wallet, now))
    if (isRefusal(decided)) return decided
    const { betId, fresh, at } = decided
    const outcome = this.#opened().outcome(betId)
    invariant(outcome.kind === 'won', 'a cashed-out bet has won')
    const settled = await afterCommit(async () => ledger(this.env, wallet).settle(betId, outcome))
    if (isRefusal(settled)) return settled
    this.#notices.delete(betId)
    const { multiplier, payoutWei } = outcome
    const { terms } = this.#opened().record.plan
    const entry = { ...settled.entry, terms }
    return { ok: true, fresh, multiplier, payoutWei, at, betId, me: settled.me, entry }
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
    // An erased round accepts no bet, whether or not it is still in memory.
    if (outcome.kind === 'never_placed' && !this.#isErased) {
      this.#kernel.open()
      this.#buried.add(this.#store.bury(betId))
    }
    return outcome
  }

  /** Returns all details of an ended round, including its seed; null before it ends. */
  async result(): Promise<RoundResult | null> {
    if (!this.#round) return null
    this.#catchUp()
    return this.#opened().result()
  }

  /** Returns the whole of an ended round with a page of its bets; null before it ends. */
  async whole(from: number): Promise<WholeRound | null> {
    const result = await this.result()
    if (!result) return null
    const { record, bets } = this.#opened()
    const { betsRoot } = this.#opened().fixedBets
    return discloseWhole(result, { plan: record.plan, betsRoot }, bets, from)
  }

  /** Writes the round to the history again if it has ended. */
  async sendToHistory(withBets = true): Promise<void> {
    const save = withBets ? saveRound : saveWithoutBets
    if (this.#round?.result()) await save(this.env.HISTORY, this.#round)
  }

  /** Does everything that is due or becomes due meanwhile. Returns the number of messages still waiting. */
  async sweep(): Promise<number> {
    if (!this.#round) return 0
    this.#catchUp()
    await this.#fetchBeacon()
    await this.#notices.drain(this.#kernel.clock.now(), this.#round)
    await this.#fetchBeacon()
    if (await this.#discardReplayed()) return 0
    if (this.#isFinished()) await this.#erase()
    else this.#storePending()
    this.#wake()
    return this.#notices.size
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, () => this.sweep())
  }

  get #roundId(): number {
    const roundId = Number(this.ctx.id.name)
    invariant(Number.isSafeInteger(roundId), 'a round is named by its number')
    return roundId
  }

  #load(schema: Schema): void {
    if (this.#isErased) return
    const { record, bets, pending, buried } = this.#store.load(schema)
    this.#buried = new Set(buried)
    if (!record) return
    const round = new Round(record, bets)
    this.#round = round
    this.#kernel.clock.notBefore(round.resumesAt)
    this.#pending = JSON.stringify(pending)
    this.#notices.replace(pending ?? this.#recipients.allOf(round))
  }

  #replace(record: RoundRecord): void {
    this.#kernel.transact(() => this.#store.save(record))
    this.#load(schemaOf(this.ctx.storage))
  }

  #opened(): Round {
    invariant(this.#round, 'the round has not been opened')
    return this.#round
  }

  #open(setTerms: SetTerms, bankroll: Bankroll | null): void {
    const openedAt = this.#kernel.clock.now()
    const record = newRecord(this.env, { roundId: this.#roundId, openedAt, setTerms, bankroll })
    this.#kernel.open()
    this.#replace(record)
  }

  /** Commits waiting operations, then advances the round to the present. */
  #catchUp(): number {
    this.#queue.flush()
    const now = this.#kernel.clock.now()
    this.#kernel.transact(() => this.#advance(now))
    this.#wake()
    return now
  }

  /** Commits an operation. While bets are open, it writes at most a bet's row; the first bet also creates the table. */
  #commit<T>(operation: () => Sync<T>, now: number): Sync<T> {
    const round = this.#round
    const isOneWrite = round !== null && round.betCount > 0 && round.stage(now) === 'open'
    return isOneWrite ? this.#kernel.write(operation) : this.#kernel.transact(operation)
  }

  #advance(now: number): void {
    this.#keep(this.#opened().advance(now), now)
  }

  #report(since: ReportedCounts): RoundReport {
    const now = this.#catchUp()
    return this.#opened().report(now, since)
  }

  #place(placement: Placement, now: number): Refusal | null {
    if (!this.#round) return BETTING_CLOSED
    this.#advance(now)
    if (this.#buried.has(placement.betId)) {
      return refuse('betting_closed', 'This bet arrived too late, so your stake was released.')
    }
    const known = this.#round.bet(placement.betId)
    const placed = this.#round.place(placement, now)
    // A round remembers that bets have closed, so a refusal holds after a restart with a slower clock too.
    if (isRefusal(placed)) return placed
    if (known) return null
    this.#store.insertBet(placed, this.#round.betCount - 1)
    this.#reporter.reportBy(now + GATHER_BETS_MS, now)
    return null
  }

  #cashOut(wallet: string, now: number): Refusal | { betId: string; fresh: boolean; at: number } {
    if (!this.#round) return NO_BET
    this.#advance(now)
    const decided = this.#round.cashOut(wallet, now)
    if (isRefusal(decided)) return decided
    const { bet, fresh } = decided
    if (fresh) this.#pay(bet, now + EAGER_DELIVERY_MS)
    return { betId: bet.betId, fresh, at: bet.cashedOutAt ?? now }
  }

  /** Records a step's changes and queues the resulting notices. Ledgers with lost bets ask instead. */
  #keep({ closed, cashedOut, ended }: Changes, now: number): void {
    for (const bet of cashedOut) this.#pay(bet, now)
    const round = this.#opened()
    if (closed || ended) this.#store.save(round.record)
    if (!ended) return
    this.#reporter.reportBy(now, now)
    const isVoided = round.record.status === 'voided'
    const refunded = isVoided ? round.bets.map(({ betId }) => betId) : []
    for (const recipient of [...refunded, ...this.#recipients.ofEnd])
      this.#notices.add(recipient, now)
  }

  /** Stores the pending notices of an ended round once they fit a batch; at last, an empty list. */
  #storePending(): void {
    if (!this.#opened().result() || this.#notices.size > BATCH) return
    const pending = this.#notices.all()
    const text = JSON.stringify(pending)
    if (text === this.#pending) return
    this.#store.savePending(pending)
    this.#pending = text
  }

  /** Returns whether the table and the history have all of the round: it has ended, and nobody bet in it. */
  #isFinished(): boolean {
    return this.#opened().result()?.betCount === 0 && this.#notices.size === 0
  }

  /**
   * Discards a round that had been played before: a table that had missed its end opened it again while the history
   * didn't have it. It was never announced, so nobody has bet in it. Returns how it ended then; null if it stays.
   */
  async #discardReplayed(): Promise<RoundResult | null> {
    const { played } = this.#recipients
    if (!this.#round || !played) return played
    if (this.#round.betCount > 0) return null
    this.#round = null
    this.#reporter.stop()
    this.#notices.replace([])
    await this.#erase()
    return played
  }

  /** Deletes all storage of a finished round. The table never opens it again, because it has its result. */
  async #erase(): Promise<void> {
    this.#isErased = true
    await this.ctx.storage.deleteAll()
  }

  /** Sends the plan to the public log before anyone bets. Returns whether the log has it. */
  async #announce(): Promise<boolean> {
    const now = this.#kernel.clock.now()
    return this.#opened().stage(now) !== 'open' || this.#notices.send(PLAN, now, HISTORY_MS)
  }

  #pay(bet: Bet, dueAt: number): void {
    this.#store.cashOut(bet)
    const now = this.#kernel.clock.now()
    this.#reporter.reportBy(now + GATHER_MS, now)
    this.#notices.add(bet.betId, dueAt)
  }

  /** Fetches the beacon's round. Advances the round again when it arrives. */
  async #fetchBeacon(): Promise<void> {
    const now = this.#kernel.clock.now()
    const beaconRound = this.#round?.beaconDue(now) ?? null
    if (beaconRound === null) return
    const signature = await this.#beacon.fetch(beaconRound, now)
    if (signature !== null) await this.#queue.run((at) => this.#takePepper(signature, at))
  }

  #takePepper(signature: string, now: number): boolean {
    if (!this.#round) return false
    this.#advance(now)
    const round = this.#round
    const isTaken = round.takePepper(beaconRandomness(signature), signature, now)
    if (isTaken) this.#store.save(round.record)
    return isTaken
  }

  #wake(): void {
    const now = this.#kernel.clock.now()
    this.#kernel.wake()
    if (this.#round?.stage(now) === 'flight') this.#notices.callWhenDue(now, () => this.#wake())
    this.#reporter.reportBy(this.#round?.nextTransitionAt(now) ?? null, now)
  }
}
