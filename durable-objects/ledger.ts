import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../src/config/load.ts'
import type { EndedBet, FinalOutcome } from '../src/crash/bet.ts'
import { toMultiplier } from '../src/money/multiplier.ts'
import { savePlays } from '../src/history/plays.ts'
import { savePosition } from '../src/history/positions.ts'
import { invariant } from '../src/core/invariant.ts'
import { type Posting, HOUSE } from '../src/ledger/accounts.ts'
import { checkBet, type BetAnswer, type BetRequest } from '../src/crash/placement.ts'
import type { VaultTransaction } from '../src/ledger/deposit.ts'
import { isDue, type RoundNow } from '../src/crash/due.ts'
import type { Me } from '../src/ledger/me.ts'
import type { NextPlay, PlayAnswer, PlayRequest, StoredPlay } from '../src/games/placement.ts'
import type { Grant, Permission } from '../src/ledger/permission.ts'
import type { Rollback, Transaction, TransferAnswer } from '../src/ledger/transfer.ts'
import type { Progress, WithdrawalAnswer, WithdrawalRequest } from '../src/ledger/withdrawal.ts'
import { perToken, TOKENS, type PerToken, type Token } from '../src/money/token.ts'
import { isRefusal, refuse, type Refusal } from '../src/core/refusal.ts'
import { catchUp } from '../src/api/vault/catch-up.ts'
import type { StatementPage, StatementQuery } from '../src/wallet-bridge/statement.ts'
import { Alarm, earliest } from './kernel/alarm.ts'
import { Clock } from './kernel/clock.ts'
import { OPERATIONS_MIGRATION } from './kernel/operations.ts'
import { OUTBOX_MIGRATION } from './kernel/outbox.ts'
import { audit, type Audit } from './ledger/audit.ts'
import { Bets } from './ledger/bets.ts'
import { Books } from './ledger/books.ts'
import { HOLDS_MIGRATION } from './ledger/holds.ts'
import { Movements, MOVEMENTS_MIGRATION } from './ledger/movements.ts'
import { Permissions, PERMISSIONS_MIGRATION } from './ledger/permissions.ts'
import { Plays, PLAYS_MIGRATION } from './ledger/plays.ts'
import { Transfers, TRANSFERS_MIGRATION } from './ledger/transfers.ts'
import { Withdrawals, WITHDRAWALS_MIGRATION } from './ledger/withdrawals.ts'

/** Appended to, never changed. */
const MIGRATIONS = [
  // First, because a wallet's first seed is drawn before it has books.
  PLAYS_MIGRATION,
  OPERATIONS_MIGRATION,
  OUTBOX_MIGRATION,
  HOLDS_MIGRATION,
  MOVEMENTS_MIGRATION,
  WITHDRAWALS_MIGRATION,
  TRANSFERS_MIGRATION,
  PERMISSIONS_MIGRATION,
]

/** How often a ledger asks about bets that nobody's read has resolved. */
const HOLD_SWEEP_MS = 60_000

/** What a wallet without books sees. */
const NO_CHIPS: Me = { chips: perToken(() => '0'), openBet: null, nonce: 0 }

/** One wallet's money. Every movement of its chips happens here and only here. */
export class Ledger extends DurableObject<Env> {
  readonly #clock = new Clock()
  readonly #alarm = new Alarm(this.ctx.storage)
  readonly #books = new Books(this.ctx.storage, MIGRATIONS, {
    clock: this.#clock,
    alarm: this.#alarm,
    project: () => this.#project(),
    send: ({ payload }) => this.#withdrawals.send(payload),
  })
  readonly #bets = new Bets(this.ctx.storage.sql, {
    env: this.env,
    wallet: () => this.#wallet(),
    books: this.#books,
    clock: this.#clock,
    alarm: this.#alarm,
  })
  readonly #plays = new Plays(this.ctx.storage, { books: this.#books, clock: this.#clock })
  readonly #movements = new Movements(this.ctx.storage.sql, {
    books: this.#books,
    clock: this.#clock,
  })
  readonly #withdrawals = new Withdrawals(this.ctx.storage.sql, {
    env: this.env,
    books: this.#books,
    clock: this.#clock,
    wallet: () => this.#wallet(),
  })
  readonly #permissions = new Permissions(this.ctx.storage.sql, {
    books: this.#books,
    clock: this.#clock,
    wallet: () => this.#wallet(),
  })
  readonly #transfers = new Transfers(this.ctx.storage.sql, {
    env: this.env,
    wallet: () => this.#wallet(),
    books: this.#books,
    clock: this.#clock,
    permissions: this.#permissions,
    refill: () => this.#refill(),
    isFrozen: () => this.#isFrozen(),
  })

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#alarm.load())
  }

  /** The wallet's chips and open bet, after bringing in deposits and every bet that is due. */
  async me(now: RoundNow): Promise<Me> {
    await Promise.all([this.#books.isOpen && this.#bets.resolveDue(now), this.#catchUp()])
    return this.#books.isOpen ? this.#me(now) : NO_CHIPS
  }

  /** Sets chips aside and places the bet in its round, or does neither. */
  async bet(request: BetRequest): Promise<BetAnswer | Refusal> {
    if (this.#books.isOpen) await this.#bets.resolveDue(request.now)
    const refusal = await this.#withRefill(async () =>
      this.#books.isOpen ? this.#bets.bet(request) : checkBet(request, 0n),
    )
    return refusal ?? { ok: true, roundId: request.roundId, me: this.#me(request.now) }
  }

  /** Resolves a bet by its round's word. Safe to repeat: the first outcome stays. */
  async settle(betId: string, outcome: FinalOutcome): Promise<Me> {
    this.#bets.resolve(betId, outcome)
    return this.#me(null)
  }

  /** Commits to the wallet's next play. The first call draws the first seed. */
  async commitNextPlay(): Promise<NextPlay> {
    return this.#plays.commit()
  }

  /** Returns what the next play is committed to, or null before the first commitment. Writes nothing. */
  async nextPlay(): Promise<NextPlay | null> {
    return this.#plays.commitment()
  }

  /** Returns a settled play by its number, or null before it is played. Writes nothing. */
  async findPlay(nonce: number): Promise<StoredPlay | null> {
    return this.#books.isOpen ? this.#plays.find(nonce) : null
  }

  /** Returns how the wallet's bet in a round ended; null where it made none or it has not ended. */
  async endedBet(roundId: number): Promise<EndedBet | null> {
    return this.#books.isOpen ? this.#bets.ended(roundId) : null
  }

  /** Settles a play of an entropy game. */
  async play(request: PlayRequest): Promise<PlayAnswer | Refusal> {
    const play = await this.#withRefill(async () => this.#plays.play(request))
    return isRefusal(play) ? play : { ok: true, ...play, me: { chips: this.#chips() } }
  }

  /** Accepts a withdrawal that its player has signed, or answers how an earlier one is doing. */
  async withdraw(request: WithdrawalRequest): Promise<WithdrawalAnswer | Refusal> {
    const { vault } = loadConfig(this.env)
    invariant(vault, 'who withdraws has a vault to withdraw from')
    await this.#refill()
    this.#books.open()
    const withdrawal = this.#withdrawals.withdraw(vault, request, this.#isFrozen())
    if (isRefusal(withdrawal)) return withdrawal
    const now = this.#clock.now()
    if (withdrawal.status === 'pending') this.#alarm.wakeBy(this.#nextDueAt(), now)
    return { ok: true, withdrawal, me: this.#me(null) }
  }

  /** The wallet's chips of a token as a partner sees them, in smallest units. */
  async balance(token: Token): Promise<bigint> {
    await this.#refill()
    return this.#books.isOpen ? this.#books.operations.balances()[token].chips : 0n
  }

  /** A partner's debit or credit. Its id belongs to this wallet: see PartnerIds. */
  async transact(transaction: Transaction): Promise<TransferAnswer> {
    return this.#transfers.transact(transaction)
  }

  /** What the player permits partners to debit, in every token. */
  async permissions(partners: string[]): Promise<Permission[]> {
    return partners.flatMap((partner) =>
      TOKENS.map((token) => this.#permissions.find(partner, token)),
    )
  }

  /** Takes a permission that the player has signed. */
  async grant(grant: Grant): Promise<Permission | Refusal> {
    return this.#permissions.grant(grant)
  }

  /** Ends a permission of the player's. */
  async revoke(partner: string, token: Token): Promise<Permission> {
    return this.#permissions.revoke(partner, token)
  }

  /** Undoes a partner's transaction, or makes sure that it never will be done. */
  async rollback(rollback: Rollback): Promise<TransferAnswer> {
    this.#books.open()
    return this.#transfers.rollback(rollback)
  }

  /** A page of what a partner moved here, oldest first; it may be empty and not the last. */
  async statement(query: StatementQuery): Promise<StatementPage> {
    if (!this.#books.isOpen) return { entries: [], next: null }
    return this.#transfers.statement(query)
  }

  /** Takes the relayer's word on how a withdrawal is doing. Safe to repeat; the newest counts. */
  async withdrawalProgress(vaultId: string, nonce: number, update: Progress): Promise<void> {
    this.#withdrawals.progress(vaultId, nonce, update)
  }

  /** Ends a withdrawal by an act of the vault's owner that the caller has verified. Safe to repeat. */
  async resolveWithdrawal(...act: Parameters<Withdrawals['resolve']>): Promise<Refusal | null> {
    return this.#withdrawals.resolve(...act)
  }

  /** Takes the vault watch's word on a transaction. Safe to repeat; the newest counts. */
  async takeVaultTransaction(transaction: VaultTransaction): Promise<void> {
    const { vault } = loadConfig(this.env)
    invariant(vault?.id === transaction.vaultId, 'a transaction is of the configured vault')
    this.#books.open()
    this.#movements.take(vault, transaction)
  }

  /**
   * Ends a freeze by an act of the vault's owner: deposits that are not on the chain are the house's
   * loss. Safe to repeat. Returns how many transactions were written off.
   */
  async unfreeze(actId: string): Promise<number> {
    const { vault } = loadConfig(this.env)
    return vault && this.#books.isOpen ? this.#movements.writeOff(vault, actId) : 0
  }

  /** Development chips. The router offers it in local play only. Safe to repeat with one id. */
  async faucet(id: string, token: Token, amountWei: bigint): Promise<Me | Refusal> {
    invariant(loadConfig(this.env).environment === 'local', 'only local play has a faucet')
    this.#books.open()
    const { operations } = this.#books
    const operation = {
      id: `faucet:${id}`,
      request: JSON.stringify([token, amountWei.toString()]),
      at: this.#clock.now(),
    }
    const stored = operations.stored(operation.id)
    if (stored && stored.request !== operation.request) {
      return refuse('idempotency_conflict', 'This id was used for another amount or token.')
    }
    if (!stored) {
      const postings: Posting[] = [
        { token, from: 'faucet', to: 'chips', amountWei: amountWei.toString() },
      ]
      this.#books.commit(operation.at, () => {
        operations.record(operation, { postings, result: 'credited' })
      })
    }
    return this.#me(null)
  }

  /** Replays the journal and holds it against the balances and the open bets. */
  async verify(): Promise<Audit> {
    this.#books.open()
    this.#books.forget()
    const { operations } = this.#books
    return audit(operations, (token) => ({
      inPlay: this.#bets.holds.openTotal(token),
      withdrawing: this.#withdrawals.heldTotal(token),
    }))
  }

  /** Asks about every unresolved bet and delivers what waits. */
  async sweep(): Promise<void> {
    if (!this.#books.isOpen) return
    await this.#bets.resolveClosed()
    const now = this.#clock.now()
    await this.#books.outbox.drain(now)
    this.#alarm.wakeBy(this.#nextDueAt(), now)
  }

  /** Sends the wallet's position to D1 now, even if D1 has it. A wallet without books has no position. */
  async sendPosition(): Promise<void> {
    if (this.#books.isOpen) await this.#savePosition()
  }

  /** Sends the feed again every play that it keeps of the wallet. */
  async sendPlays(): Promise<void> {
    if (!this.#books.isOpen) return
    this.#plays.told(0)
    await this.#tellPlays()
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#alarm.run(info, this.#clock.now(), async () => {
      await this.sweep()
      return this.#nextDueAt()
    })
  }

  /** Tries again, once, what was refused for want of chips that may be on their way. */
  async #withRefill<T extends object | null>(attempt: () => Promise<T>): Promise<T> {
    const first = await attempt()
    const isShort = first && isRefusal(first) && first.error.code === 'insufficient_chips'
    if (!isShort) return first
    await this.#refill()
    return attempt()
  }

  /** Brings in chips that are on their way: deposits, and bets that may be won. False where not all are. */
  async #refill(): Promise<boolean> {
    const parts = await Promise.all([
      !this.#books.isOpen || this.#bets.resolveClosed(),
      this.#catchUp(),
    ])
    return parts.every(Boolean)
  }

  /** Has the vault's new deposits credited. False where not all can be known now. */
  async #catchUp(): Promise<boolean> {
    const { vault } = loadConfig(this.env)
    return vault ? catchUp(this.env, vault) : true
  }

  /** Whether a credited deposit is not on the chain now. */
  #isFrozen(): boolean {
    const { vault } = loadConfig(this.env)
    return vault !== null && this.#movements.isFrozen(vault)
  }

  #nextDueAt(): number | null {
    const now = this.#clock.now()
    const askAt = this.#bets.holds.open().length > 0 ? now + HOLD_SWEEP_MS : null
    return earliest(this.#books.outbox.nextDueAt(now), askAt)
  }

  #me(now: RoundNow | null): Me {
    const { vault } = loadConfig(this.env)
    const hold = this.#bets.holds.open().at(-1)
    const isOpen = hold && !(now && isDue(hold, now))
    return {
      chips: this.#chips(),
      openBet: isOpen
        ? {
            roundId: hold.roundId,
            token: hold.token,
            amountWei: hold.amountWei.toString(),
            autoCashout: hold.autoCashout === null ? null : toMultiplier(hold.autoCashout),
            placedAt: hold.placedAt,
          }
        : null,
      nonce: vault ? this.#withdrawals.nextNonce(vault.id) : 0,
    }
  }

  #chips(): PerToken<string> {
    const balances = this.#books.operations.balances()
    return perToken((token) => balances[token].chips.toString())
  }

  /** Tells D1 and partners' limits what they do not know yet; none waits for another. */
  async #project(): Promise<void> {
    await Promise.all([this.#savePosition(), this.#tellPlays(), this.#transfers.tellDebits()])
  }

  #savePosition(): Promise<void> {
    return savePosition(this.env.DB, {
      wallet: this.#wallet(),
      version: this.#books.operations.head().seq,
      balances: this.#books.operations.balances(),
      unresolved: this.#bets.holds.open().length > 0,
      hasDeposited: this.#wallet() !== HOUSE && this.#movements.hasAny(),
      at: this.#clock.now(),
    })
  }

  async #tellPlays(): Promise<void> {
    const wallet = this.#wallet()
    for (let plays = this.#plays.untold(); plays.length > 0; plays = this.#plays.untold()) {
      await savePlays(
        this.env.HISTORY,
        plays.map((play) => ({ wallet, ...play })),
      )
      this.#plays.told(Math.max(...plays.map(({ nonce }) => nonce)) + 1)
    }
  }

  #wallet(): string {
    const { name } = this.ctx.id
    invariant(name, 'a ledger is addressed by its wallet')
    return name
  }
}
