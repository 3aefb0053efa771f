import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { DAY_MS, dateOf } from '../src/core/utc-day.ts'
import { firstBeaconAfter } from '../src/fairness/drand.ts'
import type { PepperSource } from '../src/fairness/pepper.ts'
import { commitmentOf } from '../src/fairness/seed.ts'
import { offerFor, type Offer, type Paid } from '../src/lootbox/offer.ts'
import { rollOf, type Prize } from '../src/lootbox/prizes.ts'
import type { SpinUsed } from '../src/lootbox/spin.ts'
import { Clock } from './kernel/clock.ts'
import { isBlank, migrate } from './kernel/migrations.ts'
import { randomSecret } from './kernel/random.ts'

/** `offers` holds what was offered on the day, or the day before it; a row for each change. */
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

/** Whoever changes an offer more often than that in two days forgets the oldest. */
const MOST_OFFERS = 100

/** What the openings of a day are committed to. */
export interface DayCommitment {
  day: string
  seedHash: string
  /** Of the pepper of the day's free spins, where they take it from here. */
  pepperHash: string
  /** When the seed was drawn, in unix milliseconds: before the day, if the service ran then. */
  committedAt: number
}

/** A day's seed, once nothing can be opened with it that nobody has paid for. */
export interface DayDisclosure extends DayCommitment {
  seed: string | null
}

/** Who wants the day's free spin, by which post. */
export interface SpinClaim {
  wallet: string
  author: string
  post: string
}

/** A free spin that was taken: from here on nothing about it can be chosen any more. */
export interface TakenSpin {
  acceptedAt: number
  pepperSource: PepperSource
  /** Known at once where it is committed to; null until its beacon is published. */
  pepper: string | null
  /** What it can win; absent where a day's object of an earlier deployment has taken it. */
  prizes?: readonly Prize[]
}

/** A block may come late that says it is of the day; once that is past, the seed is told. */
const DISCLOSED_AFTER_MS = 600_000

/**
 * One UTC day of the lootbox: its seed, which leaves this object when the day is over, and who has had the
 * free spin of it. Named by the date.
 */
export class LootboxDay extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #clock = new Clock()

  /**
   * Commits to the day, and notes what is offered now: that is what may be shown. An object of an earlier
   * deployment does not tell it. Asking is what draws the seed.
   */
  async commitment(): Promise<DayCommitment & { offer?: Offer }> {
    const committed = this.#committed()
    this.#noteOffer()
    return { ...committed, offer: this.#configured() }
  }

  /** What a payment of the day was made for. */
  async offerFor(paid: Paid): Promise<Offer> {
    const configured = this.#configured()
    // Somebody's old transaction is no reason to draw a seed.
    if (isBlank(this.ctx.storage)) return configured
    this.#drawn()
    this.#noteOffer()
    const offers = this.#sql
      .exec<{ since: number; offer: string }>('SELECT since, offer FROM offers ORDER BY since')
      .toArray()
      .map(({ since, offer }) => ({ since, offer: JSON.parse(offer) as Offer }))
    return offerFor(offers, paid) ?? configured
  }

  /** Rolls for what is over: 52 bits, as decimal text. */
  async roll(message: string): Promise<DayCommitment & { roll: string }> {
    const { seed } = this.#drawn()
    return { ...this.#committed(), roll: rollOf(seed, message).toString() }
  }

  /**
   * Takes the day's free spin of a wallet and of an author, and fixes where its pepper comes from. The
   * same claim again is the same spin; null for a new one when the day is over, 'day' when none is left.
   */
  async takeSpin({ wallet, author, post }: SpinClaim): Promise<TakenSpin | SpinUsed | null> {
    const { pepper } = this.#drawn()
    const taken = this.#sql
      .exec<{ wallet: string; post: string; spin: string }>(
        'SELECT wallet, post, spin FROM spins WHERE wallet = ? OR author = ? OR post = ?',
        ...[wallet, author, post],
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
    invariant(lootbox, 'who spins has a lootbox to spin for')
    // Each costs a prize and its gas, and wallets and accounts elsewhere can be had for nothing.
    if (this.#spinCount() >= lootbox.spinDailyLimit) return 'day'
    const isCommitted = crash.pepper === 'committed'
    const spin: TakenSpin = {
      acceptedAt,
      pepperSource: isCommitted
        ? { kind: 'committed', pepperHash: commitmentOf(pepper) }
        : { kind: 'drand-quicknet', round: firstBeaconAfter(acceptedAt) },
      pepper: isCommitted ? pepper : null,
      prizes: lootbox.spinPrizes,
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

  /** Whether a wallet has had its free spin of the day. */
  async hasSpun(wallet: string): Promise<boolean> {
    if (isBlank(this.ctx.storage)) return false
    return this.#sql.exec('SELECT 1 FROM spins WHERE wallet = ?', wallet).toArray().length > 0
  }

  /** The commitment, and the seed once the day is over; null where nothing was committed to. */
  async disclosure(): Promise<DayDisclosure | null> {
    if (isBlank(this.ctx.storage)) return null
    const isOver =
      this.#clock.now() >= Date.parse(`${this.#day()}T00:00:00Z`) + DAY_MS + DISCLOSED_AFTER_MS
    return { ...this.#committed(), seed: isOver ? this.#drawn().seed : null }
  }

  #spinCount(): number {
    return this.#sql.exec<{ count: number }>('SELECT count(*) AS count FROM spins').one().count
  }

  #committed(): DayCommitment {
    const { seed, pepper, committedAt } = this.#drawn()
    const [seedHash, pepperHash] = [commitmentOf(seed), commitmentOf(pepper)]
    return { day: this.#day(), seedHash, pepperHash, committedAt }
  }

  #configured(): Offer {
    const { lootbox } = loadConfig(this.env)
    invariant(lootbox, 'there is a lootbox')
    const { pool, price, prizes } = lootbox
    return { pool, price, prizes }
  }

  #noteOffer(): void {
    const offer = JSON.stringify(this.#configured())
    const [latest] = this.#sql
      .exec<{ since: number; offer: string }>(
        'SELECT since, offer FROM offers ORDER BY since DESC LIMIT 1',
      )
      .toArray()
    if (latest?.offer === offer) return
    const since = Math.max(this.#clock.now(), (latest?.since ?? 0) + 1)
    this.#sql.exec('INSERT INTO offers (since, offer) VALUES (?, ?)', since, offer)
    this.#sql.exec(
      'DELETE FROM offers WHERE since NOT IN (SELECT since FROM offers ORDER BY since DESC LIMIT ?)',
      MOST_OFFERS,
    )
  }

  #drawn(): { seed: string; pepper: string; committedAt: number } {
    migrate(this.ctx.storage, [{ id: 'lootbox-day', sql: TABLES }])
    const [row] = this.#sql
      .exec<{ seed: string; pepper: string; committed_at: number }>('SELECT * FROM day')
      .toArray()
    if (row) return { seed: row.seed, pepper: row.pepper, committedAt: row.committed_at }
    const [seed, pepper, committedAt] = [randomSecret(), randomSecret(), this.#clock.now()]
    this.#sql.exec(
      'INSERT INTO day (id, seed, pepper, committed_at) VALUES (1, ?, ?, ?)',
      ...[seed, pepper, committedAt],
    )
    return { seed, pepper, committedAt }
  }

  #day(): string {
    const { name } = this.ctx.id
    invariant(name, 'a day is addressed by its date')
    return name
  }
}
