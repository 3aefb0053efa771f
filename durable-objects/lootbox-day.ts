import { DurableObject } from 'cloudflare:workers'
import { retried } from '../src/calls/call.ts'
import { transparencyLog } from '../src/calls/objects.ts'
import type { LootboxConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { dateOf } from '../src/core/utc-day.ts'
import { firstBeaconAfter } from '../src/fairness/drand.ts'
import type { PepperSource } from '../src/fairness/pepper.ts'
import { commitmentOf } from '../src/fairness/seed.ts'
import { disclosedAt } from '../src/lootbox/disclosure.ts'
import { seedEntry, seedHashEntry } from '../src/lootbox/log-entries.ts'
import {
  GRACE_MS,
  NO_OFFER,
  offerFor,
  type Offer,
  type ReceivedPayment,
} from '../src/lootbox/offer.ts'
import { rollOf, type PrizeTier } from '../src/lootbox/prizes.ts'
import type { SpinUsed } from '../src/lootbox/spin.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import { randomSecret } from './kernel/random.ts'
import { firstRow, hasRow } from './kernel/rows.ts'

/** `offers` holds the offers of this day and the day before, one row for each change. */
const TABLES = `
  CREATE TABLE day (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seed TEXT NOT NULL,
    pepper TEXT NOT NULL,
    committed_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE spins (
    wallet TEXT PRIMARY KEY,
    author TEXT NOT NULL UNIQUE,
    post TEXT NOT NULL UNIQUE,
    spin TEXT NOT NULL
  ) STRICT;
  CREATE TABLE offers (
    since INTEGER PRIMARY KEY,
    offer TEXT NOT NULL
  ) STRICT;
`

/** When the lootbox was last seen offered on the day itself. Offers are noted ahead, so they don't show it. */
const OFFERED = {
  id: 'lootbox-offered',
  sql: 'CREATE TABLE offered (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;',
}

/** How old that time may be while the lootbox is still offered, in milliseconds. */
const OFFERED_EVERY_MS = 3_600_000

/** The most offers kept; if they change more often than this in two days, the oldest are dropped. */
const MAX_OFFERS = 100

/** The commitment that covers the openings of a day. */
interface DayCommitment {
  day: string
  seedHash: string
  /** The hash of the pepper for the day's free spins, if this object supplies it. */
  pepperHash: string
  /** When the seed was drawn, in unix milliseconds. It precedes the day if the service was running then. */
  committedAt: number
}

/** What a day offers: payments and free spins are held to it. */
interface DayOffers {
  offer?: Offer
  spinPrizes?: readonly PrizeTier[]
  spinDailyLimit?: number
  spinsTaken?: number
}

/** A day's seed, available once only existing payments can still open a box with it. */
interface DayDisclosure extends DayCommitment {
  seed: string | null
}

/** A request for the day's free spin: the wallet and the shared post. */
export interface SpinClaim {
  wallet: string
  author: string
  post: string
}

/** A free spin that has been taken. Nothing about it can be chosen any more. */
export interface TakenSpin {
  acceptedAt: number
  pepperSource: PepperSource
  /** Known immediately if it was committed to; otherwise null until its beacon is published. */
  pepper: string | null
  /** What it can win; absent if an earlier deployment's object took it. */
  prizes?: readonly PrizeTier[]
  /** The pool that pays the prize; absent if an earlier deployment's object took it. */
  pool?: string
}

/**
 * One UTC day of the lootbox: its seed, which leaves this object after the day ends, and the wallets that
 * took its free spin. Named by the date.
 */
export class LootboxDay extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx, ownerOf('LootboxDay', this.ctx, this.env))
  readonly #clock = this.#kernel.clock

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#kernel.assemble([
      {
        migration: { id: 'lootbox-day', sql: TABLES },
        deliver: { 'log-hash': () => this.#logHash(), 'log-seed': () => this.#logSeed() },
      },
      this.#kernel.outbox,
      { migration: OFFERED },
    ])
  }

  /**
   * Commits to the day and records the current offer, which may then be shown. An earlier deployment's
   * object does not return the offers. The first call draws the seed.
   */
  async commitment(): Promise<DayCommitment & DayOffers> {
    const committed = this.#committed()
    const { lootbox } = loadConfig(this.env)
    invariant(lootbox, 'an offer requires a configured lootbox')
    const offer = offerOf(lootbox)
    this.#noteOffer(offer)
    const { spinPrizes, spinDailyLimit } = lootbox
    const spinsTaken = await this.spinsTaken()
    return { ...committed, offer, spinPrizes, spinDailyLimit, spinsTaken }
  }

  /**
   * Returns the offer that a payment of this day was made for. Returns NO_OFFER if there was none, or if the
   * lootbox was switched off hours before the payment.
   */
  async offerFor(paid: ReceivedPayment): Promise<Offer> {
    const { lootbox } = loadConfig(this.env)
    const configured = lootbox && offerOf(lootbox)
    // An old transaction is no reason to draw a seed.
    if (!this.#kernel.isOpen) return configured ?? NO_OFFER
    this.#drawn()
    if (configured) this.#noteOffer(configured)
    else if (paid.paidAt > this.#offeredAt() + OFFERED_EVERY_MS + GRACE_MS) return NO_OFFER
    const offers = this.#sql
      .exec<{ since: number; offer: string }>('SELECT since, offer FROM offers ORDER BY since')
      .toArray()
      .map(({ since, offer }) => ({ since, offer: JSON.parse(offer) as Offer }))
    return offerFor(offers, paid) ?? configured ?? NO_OFFER
  }

  /** Returns the roll of a confirmed payment or taken spin: 52 bits as decimal text. */
  async roll(message: string): Promise<DayCommitment & { roll: string }> {
    const { seed } = this.#drawn()
    return { ...this.#committed(), roll: rollOf(seed, message).toString() }
  }

  /**
   * Takes the day's free spin for a wallet and an author, and fixes the source of its pepper. Repeating
   * a claim returns the same spin. For a new claim, returns null after the day has ended and 'day' if no
   * spins are left.
   */
  async takeSpin({ wallet, author, post }: SpinClaim): Promise<TakenSpin | SpinUsed | null> {
    const { pepper } = this.#drawn()
    const taken = this.#sql
      .exec<{ wallet: string; post: string; spin: string }>(
        'SELECT wallet, post, spin FROM spins WHERE wallet = ? OR author = ? OR post = ?',
        wallet,
        author,
        post,
      )
      .toArray()
    const same = taken.find((row) => row.wallet === wallet && row.post === post)
    if (same) return JSON.parse(same.spin) as TakenSpin
    if (taken.some((row) => row.wallet === wallet)) return 'wallet'
    if (taken.some((row) => row.post === post)) return 'post'
    if (taken.length > 0) return 'author'
    const acceptedAt = this.#clock.now()
    if (dateOf(acceptedAt) !== this.#day()) return null
    const { crash, lootbox } = loadConfig(this.env)
    // Each spin costs a prize and its gas, while wallets and accounts on other sites are free.
    const { count } = this.#sql.exec<{ count: number }>('SELECT count(*) AS count FROM spins').one()
    if (!lootbox || count >= lootbox.spinDailyLimit) return 'day'
    const isCommitted = crash.pepper === 'committed'
    const spin: TakenSpin = {
      acceptedAt,
      pepperSource: isCommitted
        ? { kind: 'committed', pepperHash: commitmentOf(pepper) }
        : { kind: 'drand-quicknet', round: firstBeaconAfter(acceptedAt) },
      pepper: isCommitted ? pepper : null,
      prizes: lootbox.spinPrizes,
      pool: lootbox.pool,
    }
    this.#sql.exec(
      'INSERT INTO spins (wallet, author, post, spin) VALUES (?, ?, ?, ?)',
      wallet,
      author,
      post,
      JSON.stringify(spin),
    )
    return spin
  }

  /** Returns whether a wallet has taken its free spin of the day. */
  async hasSpun(wallet: string): Promise<boolean> {
    if (!this.#kernel.isOpen) return false
    return hasRow(this.#sql.exec('SELECT 1 FROM spins WHERE wallet = ?', wallet))
  }

  /** Returns the number of free spins taken. */
  async spinsTaken(): Promise<number> {
    if (!this.#kernel.isOpen) return 0
    const { spins } = this.#sql
      .exec<{ spins: number | null }>('SELECT max(rowid) AS spins FROM spins')
      .one()
    return spins ?? 0
  }

  /** Returns the commitment, and the seed once the day has ended; null without a commitment. */
  async disclosure(): Promise<DayDisclosure | null> {
    if (!this.#kernel.isOpen) return null
    const isOver = this.#clock.now() >= this.#disclosedAt()
    return { ...this.#committed(), seed: isOver ? this.#drawn().seed : null }
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#kernel.run(info)
  }

  #committed(): DayCommitment {
    const { seed, pepper, committedAt } = this.#drawn()
    const [seedHash, pepperHash] = [commitmentOf(seed), commitmentOf(pepper)]
    return { day: this.#day(), seedHash, pepperHash, committedAt }
  }

  #offeredAt(): number {
    return firstRow(this.#sql.exec<{ at: number }>('SELECT at FROM offered'))?.at ?? 0
  }

  #noteOffer(current: Offer): void {
    const now = this.#clock.now()
    if (dateOf(now) === this.#day() && now - this.#offeredAt() >= OFFERED_EVERY_MS) {
      this.#sql.exec('INSERT OR REPLACE INTO offered (id, at) VALUES (1, ?)', now)
    }
    const offer = JSON.stringify(current)
    const latest = firstRow(
      this.#sql.exec<{ since: number; offer: string }>(
        'SELECT since, offer FROM offers ORDER BY since DESC LIMIT 1',
      ),
    )
    if (latest?.offer === offer) return
    const since = Math.max(now, (latest?.since ?? 0) + 1)
    this.#sql.exec('INSERT INTO offers (since, offer) VALUES (?, ?)', since, offer)
    this.#sql.exec(
      'DELETE FROM offers WHERE since NOT IN (SELECT since FROM offers ORDER BY since DESC LIMIT ?)',
      MAX_OFFERS,
    )
  }

  #drawn(): { seed: string; pepper: string; committedAt: number } {
    this.#kernel.open()
    const row = firstRow(
      this.#sql.exec<{ seed: string; pepper: string; committedAt: number }>(
        'SELECT seed, pepper, committed_at AS committedAt FROM day',
      ),
    )
    if (row) return row
    const drawn = { seed: randomSecret(), pepper: randomSecret(), committedAt: this.#clock.now() }
    this.#kernel.transact(() => {
      this.#sql.exec(
        'INSERT INTO day (id, seed, pepper, committed_at) VALUES (1, ?, ?, ?)',
        drawn.seed,
        drawn.pepper,
        drawn.committedAt,
      )
      this.#planEntries(drawn.committedAt)
    })
    this.#kernel.wake()
    return drawn
  }

  /** Plans the day's two entries in the public log, if there is one. */
  #planEntries(committedAt: number): void {
    if (!loadConfig(this.env).log) return
    this.#kernel.outbox.add({ kind: 'log-hash', payload: '' }, committedAt)
    this.#kernel.outbox.add({ kind: 'log-seed', payload: '' }, this.#disclosedAt())
  }

  async #logHash(): Promise<void> {
    await retried(async () => transparencyLog(this.env).append(seedHashEntry(this.#committed())))
  }

  async #logSeed(): Promise<void> {
    // The log tells a hash before its seed, even if the hash could not be delivered until now.
    await this.#logHash()
    const entry = seedEntry(this.#day(), this.#drawn().seed, this.#disclosedAt())
    await retried(async () => transparencyLog(this.env).append(entry))
  }

  /** When the seed is disclosed, in unix milliseconds. */
  #disclosedAt(): number {
    return disclosedAt(this.#day())
  }

  #day(): string {
    const { name } = this.ctx.id
    invariant(name, 'a day is named by its date')
    return name
  }
}

function offerOf({ pool, price, prizes }: LootboxConfig): Offer {
  return { pool, price, prizes }
}
