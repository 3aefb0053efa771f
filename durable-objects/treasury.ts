import { DurableObject } from 'cloudflare:workers'
import { retried } from '../src/calls/call.ts'
import { ledger, partnerIdsShard, relayer, reprojection, vaultWatch } from '../src/calls/objects.ts'
import { vaultBalances } from '../src/chain/vault.ts'
import type { VaultConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { min } from '../src/core/bigint.ts'
import { invariant } from '../src/core/invariant.ts'
import { refuse, type Refusal } from '../src/core/refusal.ts'
import type { BankrollFacts } from '../src/health/facts.ts'
import { sumPositions, type PositionSums } from '../src/history/bankroll.ts'
import { unlistedWallets } from '../src/history/positions.ts'
import { HOUSE } from '../src/ledger/accounts.ts'
import { logFault } from '../src/log.ts'
import { countHouse, owedToPartners } from '../src/money/bankroll.ts'
import { perToken, type PerToken } from '../src/money/token.ts'
import type { DriftRecord } from '../src/reconciliation/drift.ts'
import {
  areSent,
  BEAT_EVERY_MS,
  doubtOf,
  isCountValid,
  mustSendAgain,
  problemOf,
  SILENT_AFTER_MS,
} from '../src/vault/trust.ts'
import { SHARDS } from '../src/wallet-bridge/ids.ts'
import { Clock } from './kernel/clock.ts'
import { migrate } from './kernel/migrations.ts'
import { objectOf } from './kernel/owner.ts'
import { BankrollStore, type HouseCount } from './treasury/bankroll-store.ts'
import { CountPause } from './treasury/count-pause.ts'
import { partnerAccounts } from './treasury/partner-accounts.ts'
import { Reconciliation, type CheckedReading } from './treasury/reconciliation.ts'
import { Trust } from './treasury/trust.ts'

/** The shard and wallet after which the next check of partners' players begins. */
const TABLES = `
  CREATE TABLE partner_check (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    shard INTEGER NOT NULL,
    after TEXT NOT NULL
  ) STRICT;
  INSERT INTO partner_check (id, shard, after) VALUES (1, 0, '');
`

/** Shards of partners' ids read by one count, and the players looked up at a time. */
const SHARDS_A_COUNT = 8
const PLAYERS_A_LOOK = 100
/** Ledgers and the vault's events are read in turn. Anything that moved in between agrees on a later try. */
const TRIES = 2

/**
 * The house's bankroll in one vault. Adds up D1's positions and decides whether to trust them: D1 can fall
 * behind, be restored to an earlier time, or lack wallets.
 */
export class Treasury extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()
  readonly #object = objectOf('Treasury', this.ctx)
  readonly #trust = new Trust(this.#sql, this.#clock, this.#object)
  readonly #bankroll = new BankrollStore(this.ctx.storage)
  readonly #pause = new CountPause(this.#sql)
  readonly #reconciliation = new Reconciliation(this.ctx.storage, () => this.env, this.#object)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(ctx.storage, [
      this.#trust.migration,
      this.#bankroll.migration,
      { id: 'partner-check', sql: TABLES },
      this.#reconciliation.migration,
      this.#pause.migration,
    ])
  }

  /** Returns the bankroll as last counted; zero before the first count and once the count is outdated. */
  async bankroll(): Promise<PerToken<bigint>> {
    await this.#trust.renew(this.env.DB, SILENT_AFTER_MS)
    if (!isCountValid(this.#trust.known(), this.#clock.now())) return perToken(() => 0n)
    return this.#bankroll.last()?.bankroll ?? perToken(() => 0n)
  }

  /** Returns the facts behind its health, as last counted. */
  async facts(): Promise<BankrollFacts> {
    const now = this.#clock.now()
    const trust = this.#trust.known()
    return {
      ...this.#bankroll.facts(),
      isValid: isCountValid(trust, now),
      doubt: doubtOf(trust, now),
      reconciliation: this.#reconciliation.facts(),
      databaseBytes: this.#sql.databaseSize,
    }
  }

  /** Returns the newest reconciliation of the vault with the ledgers; null before the first. */
  async reconciliation(): Promise<DriftRecord | null> {
    return this.#reconciliation.shown()
  }

  /**
   * Returns the players whose positions may lack a recent movement of the vault. All other positions are in D1,
   * and none is older than the ledgers' own delay makes it. Refuses while that is in doubt.
   * @param onlyTrust names nobody and reads no position: for a caller that has asked before and read them since
   */
  async recentPlayers({ onlyTrust = false } = {}): Promise<string[] | Refusal> {
    if (!(await this.areAllSent())) return this.#closed()
    if (onlyTrust) return (await this.#trust.isAsKnown(this.env.DB)) ? [] : this.#closed()
    const read = await this.#read(this.#vault())
    if (read === 'unread') return this.#unread()
    if (read === 'restored' || read.problem !== null) return this.#closed()
    return read.recent.filter((wallet) => wallet !== HOUSE)
  }

  /** Returns whether every ledger has been able to send its position, and D1 has them all. */
  async areAllSent(): Promise<boolean> {
    await this.#trust.renew(this.env.DB, BEAT_EVERY_MS)
    const trust = this.#trust.known()
    return areSent(trust, trust.failedAt, this.#clock.now())
  }

  /** Writes D1's heartbeat. D1's faults are recorded, not thrown. */
  async beat(): Promise<void> {
    await this.#trust.beat(this.env.DB)
  }

  /**
   * Counts the bankroll, or refuses while D1 cannot be trusted.
   * @param mayPause returns the last count instead if the positions were read recently, measured by the time that it
   *   took
   * @throws if the node, D1 or another object does not answer; the last count then stays
   */
  async count({ mayPause = false } = {}): Promise<HouseCount | Refusal> {
    const vault = this.#vault()
    await this.beat()
    await this.#endRestore()
    const doubt = doubtOf(this.#trust.known(), this.#clock.now())
    if (doubt === 'restored' || doubt === 'behind') return this.#refused(doubt)
    const last = this.#bankroll.last()
    if (mayPause && last && this.#clock.now() < this.#pause.until()) return last
    const unlisted = await this.#unlistedPartnerPlayer()
    const { accounts, after } = await this.#reconciliation.singly()
    const read = await this.#read(vault, accounts)
    if (read === 'restored') return this.#refused(read)
    if (read === 'unread') return this.#unread()
    try {
      return await this.#countFrom(vault, read, unlisted ?? read.problem)
    } finally {
      // It may wait for other objects, which must not hold up the count.
      await this.#reconcile(vault, read, accounts, after)
    }
  }

  /** @param problem why the positions can't be counted; null if they can */
  async #countFrom(
    vault: VaultConfig,
    read: CheckedReading,
    problem: string | null,
  ): Promise<HouseCount | Refusal> {
    this.#trust.noteCompleteness(problem === null)
    if (problem !== null) {
      await this.#heal()
      return this.#refused('incomplete', problem)
    }
    const held = await vaultBalances(vault)
    const accounts = await partnerAccounts(this.env)
    const counted = perToken((token) => {
      const totals = read.sums.totals[token]
      // Without the tokens that were sent to the vault's address, which belong to nobody.
      const bookedWei = min(held[token], read.standing.net[token])
      return countHouse(totals, bookedWei, owedToPartners(totals.partnerWei, accounts[token]))
    })
    const bankroll = perToken((token) => counted[token].amountWei)
    const results = perToken((token) => counted[token].resultWei)
    this.#bankroll.save({ bankroll, results }, read.sums, this.#clock.now())
    return { ok: true, bankroll, results }
  }

  /**
   * Reads positions and the vault's events until they agree, in a limited number of tries.
   * @param counted accounts that a count compares one by one; null for a reading that is not for a count
   */
  async #read(
    vault: VaultConfig,
    counted: string[] | null = null,
  ): Promise<CheckedReading | 'restored' | 'unread'> {
    for (let tries = 1; ; tries++) {
      const { beat } = this.#trust.known()
      // A ledger may take longer to learn of a payment than the half hour that the watch allows.
      const inProgress = await retried(async () =>
        relayer(this.env, vault.chainId).walletsInProgress(),
      )
      const standing = await retried(async () =>
        vaultWatch(this.env, vault.id).standing(inProgress, counted ?? []),
      )
      if (!standing.isCurrent) return 'unread'
      const recent = standing.recent.map(({ wallet }) => wallet)
      const sums = await this.#sums(recent, counted)
      const isAsKnown = this.#trust.expectBeat(sums.beat, beat)
      // A heartbeat may have noticed a restore meanwhile, and the known number is low then.
      if (!isAsKnown || this.#trust.known().restoredAt !== null) return 'restored'
      const problem = problemOf(standing, sums.settled)
      if (problem === null || tries === TRIES) return { standing, sums, recent, problem }
    }
  }

  /** Adds up D1's positions. While that fails, the last count remains valid only as long as one that is in doubt. */
  async #sums(recent: string[], counted: string[] | null): Promise<PositionSums> {
    const startedAt = this.#clock.now()
    try {
      return await sumPositions(this.env.DB, recent, [...recent, ...(counted ?? [])])
    } catch (fault) {
      this.#trust.noteCompleteness(false)
      throw fault
    } finally {
      // Another reading must not put off the counts, which alone record that positions are missing.
      if (counted) this.#pause.note(startedAt, this.#clock.now())
    }
  }

  /**
   * Compares the vault with the ledgers, unless some could not send their positions. Incomplete positions are compared:
   * they differ from the chain, whatever the cause.
   */
  async #reconcile(
    vault: VaultConfig,
    read: CheckedReading,
    singly: string[],
    after: string,
  ): Promise<void> {
    const now = () => this.#clock.now()
    const trust = this.#trust.known()
    if (!areSent({ ...trust, incompleteSince: null }, trust.failedAt, now())) return
    const again = async () => {
      await retried(async () => vaultWatch(this.env, vault.id).look())
      const second = await this.#read(vault, singly)
      return typeof second === 'string' ? null : second
    }
    try {
      await this.#reconciliation.take(vault, read, { after, again, now })
    } catch (fault) {
      logFault('reconciliation_failed', fault, { object: this.#object })
    }
  }

  /** After a restore, has every position sent again, and trusts D1 once they have all arrived. */
  async #endRestore(): Promise<void> {
    const { restoredAt, beat } = this.#trust.known()
    // Not before a heartbeat has been written since.
    if (restoredAt === null || beat < restoredAt) return
    const { positions } = await reprojection(this.env).start('positions', restoredAt)
    if (positions && positions.finishedAt !== null) this.#trust.endRestore(restoredAt)
  }

  /** Has all positions sent again, at intervals, while they stay incomplete. */
  async #heal(): Promise<void> {
    const job = reprojection(this.env)
    const { positions } = await job.progress()
    if (mustSendAgain(this.#trust.known(), positions?.startedAt ?? null, this.#clock.now()))
      await job.start('positions')
  }

  /**
   * Checks the next players of partners, whose chips may not have come through the vault, and has missing
   * positions sent. If that fails, checks the same players again.
   * @returns a description of what is still missing; null if nothing is
   */
  async #unlistedPartnerPlayer(): Promise<string | null> {
    const partners = [...loadConfig(this.env).partners.keys()].toSorted()
    for (let looks = 0; looks < SHARDS_A_COUNT && partners.length > 0; looks++) {
      const { shard, after } = this.#sql
        .exec<{ shard: number; after: string }>('SELECT shard, after FROM partner_check')
        .one()
      const at = shard % (partners.length * SHARDS)
      const partner = partners[Math.floor(at / SHARDS)]
      invariant(partner !== undefined, 'a shard belongs to a partner')
      const ids = partnerIdsShard(this.env, partner, at % SHARDS)
      const players = await ids.players(after === '' ? null : after, PLAYERS_A_LOOK)
      const missing = players.length > 0 ? await unlistedWallets(this.env.DB, players) : []
      try {
        await Promise.all(missing.map((wallet) => ledger(this.env, wallet).sendPosition()))
      } catch (fault) {
        logFault('position_send_failed', fault, { object: this.#object, partner })
        return `a player of ${partner} has no position`
      }
      const last = players.length === PLAYERS_A_LOOK ? players.at(-1) : undefined
      this.#sql.exec(
        'UPDATE partner_check SET shard = ?, after = ?',
        ...(last === undefined ? [at + 1, ''] : [at, last]),
      )
    }
    return null
  }

  #refused(doubt: string, problem: string = doubt): Refusal {
    logFault('bankroll_not_counted', new Error(problem), { object: this.#object, doubt })
    return this.#closed()
  }

  #closed(): Refusal {
    return refuse('closed', 'Some balances are still being collected. Try again later.')
  }

  #unread(): Refusal {
    return refuse('chain_unavailable', "The vault's logs have not all been read. Try again later.")
  }

  #vault(): VaultConfig {
    const { vault } = loadConfig(this.env)
    invariant(
      vault && vault.id === this.ctx.id.name,
      'the treasury belongs to the configured vault',
    )
    return vault
  }
}
