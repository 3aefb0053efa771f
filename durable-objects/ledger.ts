import { DurableObject } from 'cloudflare:workers'
import { isRefusal, type Refusal } from '../src/core/refusal.ts'
import type { BetAnswer, BetRequest } from '../src/crash/bet-request.ts'
import type { EndedBet, FinalOutcome } from '../src/crash/bet.ts'
import type { RoundNow } from '../src/crash/due.ts'
import type { MinesGame, OpenRequest } from '../src/games/mines/open.ts'
import type { NextPlay, PlayAnswer, PlayRequest, StoredPlay } from '../src/games/play-request.ts'
import type { Position } from '../src/history/positions.ts'
import type { VaultTransaction } from '../src/ledger/deposit.ts'
import type { Inspection } from '../src/ledger/inspection.ts'
import type { WithEntry, JournalEntry, TakenRef } from '../src/ledger/journal.ts'
import { EMPTY_ME, type Me } from '../src/ledger/me.ts'
import type { Grant, Permission } from '../src/ledger/permission.ts'
import type { RestorationResult } from '../src/ledger/restoration.ts'
import type { Rollback, PartnerTransaction, TransferResult } from '../src/ledger/transfer.ts'
import type {
  WithdrawalProgress,
  WithdrawalAnswer,
  WithdrawalRequest,
} from '../src/ledger/withdrawal.ts'
import type { PerToken, Token } from '../src/money/token.ts'
import type { ProtectionChange } from '../src/protection/protection.ts'
import type { ShownProtection } from '../src/protection/shown.ts'
import type { StatementPage, StatementQuery } from '../src/wallet-bridge/statement.ts'
import { activityPage, type ActivityPage, type ActivityQuery } from './ledger/activities.ts'
import { type SegmentAudit } from './ledger/archive.ts'
import { daybookLines, type DaybookLines, type DaybookRange } from './ledger/daybook-lines.ts'
import { creditFromFaucet } from './ledger/faucet.ts'
import { type FreezeAct, type FreezeOutcome } from './ledger/gate.ts'
import { inspect } from './ledger/inspection.ts'
import { LedgerKernel, type Audit } from './ledger/kernel.ts'
import { CHANGE_HOLDS } from './ledger/limits.ts'
import { logRefusedCredit } from './ledger/log-refused.ts'
import { withoutLost } from './ledger/lost-plays.ts'
import type { LostTransfer } from './ledger/lost-transfers.ts'
import { Mines, type GameStep, type OpenedGame } from './ledger/mines.ts'
import { assembleParts } from './ledger/parts.ts'
import { type ExportedPlays, type PlaysQuery } from './ledger/plays.ts'
import type { OwnStanding, PreparedReturn, Recovery, RecoveryRequest } from './ledger/recovery.ts'
import { Resolutions } from './ledger/resolutions.ts'
import { meOf } from './ledger/shown.ts'

/** An answer with the wallet's chips after it. */
type WithChips<Answer> = Answer & { ok: true; me: { chips: PerToken<string> } }

/** One wallet's money. All movements of its chips happen here and nowhere else. */
export class Ledger extends DurableObject<Env> {
  readonly #kernel = new LedgerKernel(this.ctx, this.env)
  readonly #parts = assembleParts(this.#kernel)

  /** Resolves due bets and credits deposits (unless `isCaughtUp`), and returns the wallet's chips and open bet. */
  async me(now: RoundNow, isCaughtUp = false): Promise<Me> {
    this.#parts.mines.endExpired()
    const credited = isCaughtUp || this.#parts.vaultTransactions.catchUp()
    await Promise.all([this.#kernel.isOpen && this.#parts.bets.settleDue(now), credited])
    return this.#kernel.isOpen ? this.#me(now) : EMPTY_ME
  }

  /** Reserves chips and places the bet in its round, or does neither. */
  async bet(request: BetRequest): Promise<WithEntry<BetAnswer> | Refusal> {
    const { archive, bets, refill } = this.#parts
    if (this.#kernel.isOpen) await bets.settleDue(request.now)
    const entry = await archive.runOrRefuse(() =>
      refill.retryIfShort(async () => bets.bet(request)),
    )
    if (isRefusal(entry)) return entry
    return { ok: true, roundId: request.roundId, me: this.#me(request.now), entry }
  }

  /** Resolves a bet as its round reports it. Safe to repeat: the first outcome stays. */
  async settle(betId: string, outcome: FinalOutcome): Promise<WithEntry<{ me: Me }> | Refusal> {
    const { archive, bets } = this.#parts
    const entry = await archive.runOrRefuse(() => bets.settle(betId, outcome))
    if (isRefusal(entry)) return entry
    // By the time of a repeated cash-out, a bet of a later round may have ended.
    await bets.settleAfter(betId)
    return { me: this.#me(null), entry }
  }

  /** Commits to the wallet's next play, and returns its open game. The first call draws the first seed. */
  async commitNextPlay(): Promise<{ fairness: NextPlay; openGame: MinesGame | null }> {
    this.#parts.mines.endExpired()
    return { fairness: this.#parts.plays.commit(), openGame: this.#parts.mines.open }
  }

  /** Returns the commitment of the next play, or null before the first. Writes nothing. */
  async nextPlay(): Promise<NextPlay | null> {
    return this.#parts.plays.commitment()
  }

  /** Returns a settled play by its number; null before it is played. Ends an expired game, whose alarm may be lost. */
  async findPlay(nonce: number): Promise<StoredPlay | Refusal | null> {
    if (!this.#kernel.isOpen) return null
    this.#parts.mines.endExpired()
    return this.#parts.archive.runOrRefuse(() => this.#parts.plays.find(nonce), 'anyone')
  }

  /** Returns the newest of the plays that are listed, newest first, optionally of one game. Writes nothing. */
  async newestPlays(query: PlaysQuery): Promise<StoredPlay[]> {
    return this.#kernel.isOpen ? this.#parts.plays.newest(query) : []
  }

  /**
   * Returns the plays of the wallet's next operations, for the export, without those in a lost segment. Ends a game
   * that has expired.
   * @param after the number of an operation; 0 for all @param before in unix milliseconds
   */
  async exportPlays(after: number, before: number): Promise<ExportedPlays | Refusal> {
    if (!this.#kernel.isOpen) return { plays: [], seq: after, isAll: true, openGame: null }
    // The alarm may have been lost, and the export asks every day.
    const { archive, mines, plays } = this.#parts
    mines.endExpired()
    const lost = (segment: number, cause: Error) => withoutLost(this.#kernel, segment, cause)
    return archive.runOrRefuse(() => plays.exported(after, before), 'house', lost)
  }

  /** Returns the lines of the wallet's operations in a range, for the house's books. Writes nothing. */
  async bookedLines(range: DaybookRange): Promise<DaybookLines | Refusal> {
    return this.#parts.archive.runOrRefuse(() => daybookLines(this.#kernel.journal, range), 'house')
  }

  /** Returns how the wallet's bet in a round ended; null without a bet or before it ends. @param isOver if known */
  async endedBet(roundId: number, isOver = false): Promise<EndedBet | Refusal | null> {
    if (!this.#kernel.isOpen) return null
    return this.#parts.archive.runOrRefuse(() => this.#parts.bets.ended(roundId, isOver), 'anyone')
  }

  /** Returns a page of the operations that moved the wallet's chips, newest first. Writes nothing. */
  async activity(query: ActivityQuery): Promise<ActivityPage | Refusal> {
    return this.#parts.archive.runOrRefuse(() => activityPage(this.#kernel, query), 'owner')
  }

  /** Returns an inspection of the ledger, for operators; null if it isn't open. Writes nothing. */
  async inspect(before: number | null): Promise<Inspection | Refusal | null> {
    return this.#parts.archive.runOrRefuse(() => inspect(this.#kernel, this.#parts, before))
  }

  /** Settles a play of an entropy game. */
  async play(request: PlayRequest): Promise<WithEntry<PlayAnswer, TakenRef> | Refusal> {
    this.#parts.mines.endExpired()
    const booked = await this.#parts.archive.runOrRefuse(() =>
      this.#parts.refill.retryIfShort(async () => this.#parts.plays.play(request)),
    )
    if (isRefusal(booked)) return booked
    const { play, entry } = booked
    return { ok: true, ...play, me: { chips: this.#kernel.amountsOf('chips') }, entry }
  }

  /** Opens a game of mines, to be picked tile by tile. */
  async openMines(request: OpenRequest): Promise<WithChips<OpenedGame> | Refusal> {
    return this.#playMines(() =>
      this.#parts.refill.retryIfShort(async () => this.#parts.mines.begin(request)),
    )
  }

  /** Picks a tile of the open game. */
  async pickMines(...pick: Parameters<Mines['pick']>): Promise<WithChips<GameStep> | Refusal> {
    return this.#playMines(() => this.#parts.mines.pick(...pick))
  }

  /** Ends the open game and pays it. */
  async cashOutMines(nonce: number): Promise<WithEntry<PlayAnswer, TakenRef> | Refusal> {
    const ended = await this.#playMines(() => this.#parts.mines.cashOut(nonce))
    if (isRefusal(ended)) return ended
    const { play, ...rest } = ended
    return { ...rest, ...play }
  }

  async #playMines<Answer extends object>(
    work: () => Answer | Refusal | Promise<Answer | Refusal>,
  ): Promise<WithChips<Answer> | Refusal> {
    this.#parts.mines.endExpired()
    const answer = await this.#parts.archive.runOrRefuse(work)
    return isRefusal(answer)
      ? answer
      : { ok: true, ...answer, me: { chips: this.#kernel.amountsOf('chips') } }
  }

  /** Accepts a withdrawal that its player has signed, or returns the status of an earlier one. */
  async withdraw(
    request: WithdrawalRequest,
  ): Promise<WithEntry<WithdrawalAnswer, TakenRef> | Refusal> {
    await this.#parts.refill.bringIn()
    const withdrawal = this.#parts.withdrawals.withdraw(request)
    if (isRefusal(withdrawal)) return withdrawal
    if (withdrawal.status === 'pending') this.#kernel.wake()
    const accepted = await this.#parts.archive.runOrRefuse(() =>
      this.#parts.withdrawals.entryOf(withdrawal.nonce),
    )
    if (isRefusal(accepted)) return accepted
    const entry = this.#kernel.journal.withTerms(accepted, request.terms)
    return { ok: true, withdrawal, me: this.#me(null), entry }
  }

  /** Returns the wallet's chips of a token as a partner sees them, in smallest units. */
  async balance(token: Token): Promise<bigint> {
    await this.#parts.refill.bringIn()
    return this.#kernel.isOpen ? this.#kernel.journal.balances()[token].chips : 0n
  }

  /** Carries out a partner's debit or credit. Its id belongs to this wallet: see PartnerIds. */
  async transact(
    transaction: PartnerTransaction,
  ): Promise<WithEntry<TransferResult, TakenRef> | Refusal> {
    const booked = await this.#parts.archive.runOrRefuse(() =>
      this.#parts.transfers.transact(transaction),
    )
    logRefusedCredit(this.#kernel, transaction, booked)
    if (isRefusal(booked)) return booked
    return { ...booked, entry: this.#kernel.journal.withTerms(booked.entry, transaction.terms) }
  }

  /** Returns the player's permissions for partners' debits, in every token. */
  async permissions(partners: string[]): Promise<Permission[]> {
    return this.#parts.permissions.of(partners)
  }

  /** Records a permission that the player has signed. */
  async grant(grant: Grant): Promise<Permission | Refusal> {
    return this.#parts.recovery.refusal() ?? this.#parts.permissions.grant(grant)
  }

  /** Revokes one of the player's permissions. */
  async revoke(partner: string, token: Token): Promise<Permission | Refusal> {
    return this.#parts.recovery.refusal() ?? this.#parts.permissions.revoke(partner, token)
  }

  /** Undoes a partner's transaction, or prevents it permanently. */
  async rollback(rollback: Rollback): Promise<WithEntry<TransferResult, TakenRef> | Refusal> {
    this.#kernel.open()
    const booked = await this.#parts.archive.runOrRefuse(() =>
      this.#parts.transfers.rollback(rollback),
    )
    if (isRefusal(booked)) return booked
    return { ...booked, entry: this.#kernel.journal.withTerms(booked.entry, rollback.terms) }
  }

  /** Returns a page of a partner's movements, oldest first. A page may be empty without being the last. */
  async statement(query: StatementQuery): Promise<StatementPage | Refusal> {
    if (!this.#kernel.isOpen) return { entries: [], next: null }
    return this.#parts.archive.runOrRefuse(() => this.#parts.transfers.statement(query), 'owner')
  }

  /** Accepts the relayer's report on a withdrawal. Safe to repeat; the newest report counts. */
  async withdrawalProgress(
    vaultId: string,
    nonce: number,
    update: WithdrawalProgress,
  ): Promise<void> {
    this.#parts.withdrawals.progress(vaultId, nonce, update)
  }

  /** Ends a withdrawal by an operators' act. Safe to repeat. */
  async resolveWithdrawal(...act: Parameters<Resolutions['carryOut']>): Promise<Refusal | null> {
    return this.#parts.resolutions.carryOut(...act)
  }

  /**
   * Accepts the vault watch's report on a transaction. Safe to repeat; the newest report counts. Returns whether any of
   * it has been credited.
   */
  async takeVaultTransaction(transaction: VaultTransaction): Promise<boolean> {
    this.#kernel.open()
    const take = (areAllSetAside: boolean) => () =>
      this.#parts.vaultTransactions.take(transaction, areAllSetAside)
    // A deposit limit may need older entries. The watch reports again if their archive does not answer.
    return this.#parts.archive.runOrThrow(take(false), take(true))
  }

  /** Returns the player's limits and exclusion, and how much of them is used. Writes nothing. */
  async limits(): Promise<ShownProtection | Refusal> {
    return this.#parts.archive.runOrRefuse(() => this.#parts.limits.shown(), 'owner')
  }

  /** Changes the player's limits or excludes them. Safe to repeat. */
  async changeLimits(change: ProtectionChange): Promise<ShownProtection | Refusal> {
    const refusal = this.#parts.recovery.refusal() ?? this.#parts.limits.change(change)
    if (refusal) return refusal
    // In the same turn, so that no pick comes between.
    if (this.#parts.limits.exclusion()) this.#parts.mines.endOpen()
    const shown = await this.limits()
    return isRefusal(shown) ? CHANGE_HOLDS : shown
  }

  /** Returns whether the player has excluded themselves. */
  async isExcluded(): Promise<boolean> {
    return this.#parts.limits.exclusion() !== null
  }

  /** Writes off the deposits missing from the chain, by an operators' act. Safe to repeat. Returns their number. */
  async writeOff(actId: string): Promise<number> {
    this.#kernel.open()
    return this.#parts.archive.runOrThrow(() => this.#parts.vaultTransactions.writeOff(actId))
  }

  /** Returns the transactions that an operators' act wrote off, to repeat the act after a restore; null if unknown. */
  async writtenOff(actId: string): Promise<string | null> {
    return this.#parts.archive.runOrThrow(() => this.#parts.vaultTransactions.writtenOff(actId))
  }

  /** Freezes or unfreezes the wallet by an operator's act. Safe to repeat, in any order. */
  async setFrozen(act: FreezeAct): Promise<FreezeOutcome> {
    return this.#parts.gate.set(act)
  }

  /** Credits development chips. The router offers this in local play only. Safe to repeat with one id. */
  async faucet(id: string, token: Token, amountWei: bigint): Promise<Me | Refusal> {
    const refusal = await this.#parts.archive.runOrRefuse(() =>
      creditFromFaucet(this.#kernel, this.#parts.limits, id, token, amountWei),
    )
    return refusal ?? this.#me(null)
  }

  /** Replays the entries that are here, and compares everything with them. {@link verifySegment} replays the others. */
  async verify(): Promise<Audit> {
    this.#kernel.open()
    return this.#kernel.verify()
  }

  /** Replays a segment from the archive, from the end of the one before it to its own. */
  async verifySegment(segment: number): Promise<SegmentAudit> {
    return this.#parts.archive.verify(segment)
  }

  /** Returns the next entries of the journal after one, without anything secret. Writes nothing. */
  async journal(after: number): Promise<JournalEntry[] | Refusal> {
    return this.#parts.archive.runOrRefuse(() => this.#kernel.journal.linkedAfter(after))
  }

  /** Returns the ledger's own standing: see {@link Recovery}. */
  async standing(...query: Parameters<Recovery['standing']>): Promise<OwnStanding> {
    return this.#parts.recovery.standing(...query)
  }

  /** Makes the object's next start restore an earlier time: see {@link Recovery}. */
  async prepareReturn(unixMs: number): Promise<PreparedReturn | Refusal> {
    return this.#parts.recovery.prepareReturn(unixMs)
  }

  /** Restarts the object, so this call never answers. */
  async restart(): Promise<void> {
    this.ctx.abort('the ledger goes back to an earlier time')
  }

  /** Marks ids of partners that a ledger has lost by going back: see {@link Recovery}. */
  async markLost(actId: string, transfers: readonly LostTransfer[]): Promise<void> {
    this.#parts.recovery.markLost(actId, transfers)
  }

  /** Resumes a ledger that was returned to an earlier time: see {@link Recovery}. */
  async goOn(request: RecoveryRequest): Promise<RestorationResult | Refusal> {
    return this.#parts.recovery.goOn(request)
  }

  /** Does the work of the wallet's alarm, in case the alarm was lost. */
  async sweep(): Promise<void> {
    await this.#catchUp()
    await this.#parts.archive.move()
  }

  /** Sends the wallet's position to D1 now, even if D1 has it. A ledger that isn't open has no position. */
  async sendPosition(): Promise<void> {
    await this.#parts.feeds.project()
  }

  /**
   * Returns the wallet's position now; null if the ledger isn't open.
   * @param listed the version that D1 has: a ledger that lacks it has gone back in time, and has its wallet closed
   */
  async position(listed = 0): Promise<Position | null> {
    return this.#parts.feeds.position(listed)
  }

  /** Sends the feed all of the wallet's plays that it keeps, again. */
  async sendPlays(): Promise<void> {
    await this.#parts.feeds.sendPlays()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info, () => this.#catchUp())
    // Afterwards, because a slow archive must not hold up the next alarm.
    await this.#parts.archive.move()
  }

  /** Asks about every open bet and delivers waiting messages. */
  async #catchUp(): Promise<void> {
    if (!this.#kernel.isOpen) return
    this.#parts.mines.endExpired()
    await this.#parts.bets.settleClosed()
    await this.#kernel.drain()
    this.#kernel.wake()
  }

  #me(now: RoundNow | null): Me {
    return meOf(this.#kernel, { bets: this.#parts.bets, withdrawals: this.#parts.withdrawals }, now)
  }
}
