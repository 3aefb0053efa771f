import { DurableObject } from 'cloudflare:workers'
import { appendToLog } from '../src/calls/public-log.ts'
import type { LootboxConfig } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { invariant } from '../src/core/invariant.ts'
import { dateOf } from '../src/core/utc-day.ts'
import { commitmentOf } from '../src/fairness/seed.ts'
import { disclosedAt } from '../src/lootbox/disclosure.ts'
import { seedEntry, seedHashEntry } from '../src/lootbox/log-entries.ts'
import { NO_OFFER, type Offer, type ReceivedPayment } from '../src/lootbox/offer.ts'
import { rollOf, type PrizeTier } from '../src/lootbox/prizes.ts'
import type { SpinUsed } from '../src/lootbox/spin.ts'
import { Kernel } from './kernel/kernel.ts'
import { ownerOf } from './kernel/owner.ts'
import { randomSecret } from './kernel/random.ts'
import { firstRow } from './kernel/rows.ts'
import { Offers } from './lootbox-day/offers.ts'
import { Spins, type SpinClaim, type TakenSpin } from './lootbox-day/spins.ts'

const TABLE = `
  CREATE TABLE day (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seed TEXT NOT NULL,
    pepper TEXT NOT NULL,
    committed_at INTEGER NOT NULL
  ) STRICT;
`

/** The commitment that covers the openings of a day. */
interface DayCommitment {
  day: string
  seedHash: string
  /** The hash of the pepper for the day's free spins, if this object supplies it. */
  pepperHash: string
  /** When the seed was drawn, in unix milliseconds. It precedes the day if the service was running then. */
  committedAt: number
}

/** A day's offers, which bind payments and free spins. */
interface DayOffers {
  offer: Offer
  spinPrizes: readonly PrizeTier[]
  spinDailyLimit: number
  spinsTaken: number
}

/** A day's seed, available once only existing payments can still open a box with it. */
interface DayDisclosure extends DayCommitment {
  seed: string | null
}

/**
 * One UTC day of the lootbox: its seed, which leaves this object after the day ends, and the wallets that
 * took its free spin. Named by the date.
 */
export class LootboxDay extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql
  readonly #kernel = new Kernel(this.ctx, ownerOf('LootboxDay', this.ctx, this.env))
  readonly #clock = this.#kernel.clock
  readonly #offers = new Offers(this.#sql)
  readonly #spins = new Spins(() => this.env, this.#kernel)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const day = {
      migration: { id: 'lootbox-day', sql: TABLE },
      deliver: { 'log-hash': () => this.#logHash(), 'log-seed': () => this.#logSeed() },
    }
    this.#kernel.assemble([day, this.#spins, this.#offers, this.#kernel.outbox])
  }

  /**
   * Commits to the day and records the current offer, which may then be shown. The first call draws the seed.
   */
  async commitment(): Promise<DayCommitment & DayOffers> {
    const committed = this.#committed()
    const { lootbox } = loadConfig(this.env)
    invariant(lootbox, 'an offer requires a configured lootbox')
    const offer = offerOf(lootbox)
    this.#noteOffer(offer)
    const { spinPrizes, spinDailyLimit } = lootbox
    const spinsTaken = this.#spins.taken()
    return { ...committed, offer, spinPrizes, spinDailyLimit, spinsTaken }
  }

  /** Returns the offer that a payment of this day was made for; see {@link Offers.offerFor}. */
  async offerFor(paid: ReceivedPayment): Promise<Offer> {
    const { lootbox } = loadConfig(this.env)
    const configured = lootbox && offerOf(lootbox)
    // An old transaction is no reason to draw a seed.
    if (!this.#kernel.isOpen) return configured ?? NO_OFFER
    this.#drawn()
    if (configured) this.#noteOffer(configured)
    return this.#offers.offerFor(paid, configured)
  }

  /** Returns the roll of a confirmed payment or taken spin: 52 bits as decimal text. */
  async roll(message: string): Promise<DayCommitment & { roll: string }> {
    const { seed } = this.#drawn()
    return { ...this.#committed(), roll: rollOf(seed, message).toString() }
  }

  /** Takes the day's free spin for a wallet and an author, or returns why not; see {@link Spins.take}. */
  async takeSpin(claim: SpinClaim): Promise<TakenSpin | SpinUsed | null> {
    return this.#spins.take(claim, this.#day(), this.#drawn().pepper)
  }

  /** Returns whether a wallet has taken its free spin of the day. */
  async hasSpun(wallet: string): Promise<boolean> {
    return this.#spins.hasSpun(wallet)
  }

  /** Returns the number of free spins taken. */
  async spinsTaken(): Promise<number> {
    return this.#spins.taken()
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

  #noteOffer(offer: Offer): void {
    const now = this.#clock.now()
    this.#offers.note(offer, now, dateOf(now) === this.#day())
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
    await appendToLog(this.env, seedHashEntry(this.#committed()))
  }

  async #logSeed(): Promise<void> {
    // The log must have a seed's hash before the seed, even if the hash could not be delivered until now.
    await this.#logHash()
    const entry = seedEntry(this.#day(), this.#drawn().seed, this.#disclosedAt())
    await appendToLog(this.env, entry)
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
