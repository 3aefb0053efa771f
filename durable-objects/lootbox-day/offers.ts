import {
  GRACE_MS,
  NO_OFFER,
  offerFor,
  type Offer,
  type ReceivedPayment,
} from '../../src/lootbox/offer.ts'
import type { Part } from '../kernel/kernel.ts'
import { firstRow } from '../kernel/rows.ts'

/**
 * The offers of this day and the day before, one row for each change. `offered` is when the lootbox was last seen
 * offered on the day itself: offers are noted ahead, so they don't show it.
 */
const TABLES = `
  CREATE TABLE offers (
    since INTEGER PRIMARY KEY,
    offer TEXT NOT NULL
  ) STRICT;
  CREATE TABLE offered (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
`

/** How old that time may be while the lootbox is still offered, in milliseconds. */
const OFFERED_EVERY_MS = 3_600_000

/** The most offers kept; if they change more often than this in two days, the oldest are dropped. */
const MAX_OFFERS = 100

type Row = { since: number; offer: string }

/** The lootbox's offers before and on a day. */
export class Offers implements Part {
  readonly migration = { id: 'lootbox-offers', sql: TABLES }
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Records the offer that is current at a time. @param isToday whether that is on the day itself */
  note(current: Offer, now: number, isToday: boolean): void {
    if (isToday && now - this.#offeredAt() >= OFFERED_EVERY_MS) {
      this.#sql.exec('INSERT OR REPLACE INTO offered (id, at) VALUES (1, ?)', now)
    }
    const offer = JSON.stringify(current)
    const latest = firstRow(
      this.#sql.exec<Row>('SELECT since, offer FROM offers ORDER BY since DESC LIMIT 1'),
    )
    if (latest?.offer === offer) return
    const since = Math.max(now, (latest?.since ?? 0) + 1)
    this.#sql.exec('INSERT INTO offers (since, offer) VALUES (?, ?)', since, offer)
    this.#sql.exec(
      'DELETE FROM offers WHERE since NOT IN (SELECT since FROM offers ORDER BY since DESC LIMIT ?)',
      MAX_OFFERS,
    )
  }

  /**
   * Returns the offer that a payment was made for; NO_OFFER if there was none, or if the lootbox was switched off hours
   * before the payment.
   * @param current null while the lootbox is switched off
   */
  offerFor(paid: ReceivedPayment, current: Offer | null): Offer {
    if (!current && paid.paidAt > this.#offeredAt() + OFFERED_EVERY_MS + GRACE_MS) return NO_OFFER
    const offers = this.#sql
      .exec<Row>('SELECT since, offer FROM offers ORDER BY since')
      .toArray()
      .map(({ since, offer }) => ({ since, offer: JSON.parse(offer) as Offer }))
    return offerFor(offers, paid) ?? current ?? NO_OFFER
  }

  #offeredAt(): number {
    return firstRow(this.#sql.exec<{ at: number }>('SELECT at FROM offered'))?.at ?? 0
  }
}
