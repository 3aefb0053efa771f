import {
  noSuchSlot,
  rentalText,
  type Rental,
  type RentalRequest,
} from '../../src/ad-rental/rental.ts'
import { HOURS_A_DAY, slotFrom, type AdTier } from '../../src/ad-rental/slots.ts'
import { isRefusal, refuse, type Refusal } from '../../src/core/refusal.ts'
import { bookRental, readBooking, type Booking } from '../../src/history/rentals.ts'
import { PAYMENT_USED, type Pending } from '../../src/payment/answers.ts'
import type { Kernel, Part } from '../kernel/kernel.ts'
import { firstRow } from '../kernel/rows.ts'
import type { Acceptance, RentalTerms } from './acceptance.ts'

const TABLE = `
  CREATE TABLE rental (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    request TEXT NOT NULL,
    rental TEXT NOT NULL
  ) STRICT;
`

/** The rental of the advertising slot by a payment. */
export class PaidRental implements Part {
  readonly migration = { id: 'payment-rental', sql: TABLE }
  readonly #env: () => Env
  readonly #kernel: Kernel
  readonly #sql: SqlStorage
  readonly #acceptance: Acceptance

  constructor(env: () => Env, kernel: Kernel, acceptance: Acceptance) {
    this.#env = env
    this.#kernel = kernel
    this.#sql = kernel.storage.sql
    this.#acceptance = acceptance
  }

  /**
   * Rents with the payment. If the date has been taken, the payment stays good for another. Safe to repeat:
   * a repeated call gets the first answer, whatever the chain or the prices are by then.
   * @param tier the current price of these hours; null if they are not for rent
   */
  async rent(
    request: RentalRequest,
    tier: AdTier | null,
    recipient: string,
  ): Promise<{ ok: true; rental: Rental } | Pending | Refusal> {
    const text = rentalText(request)
    const { name, hash } = this.#acceptance.names()
    const known = this.#rental() ?? (await this.#bookedBefore(name))
    if (known) return known.request === text ? { ok: true, rental: known.rental } : PAYMENT_USED
    // Accepted terms stay good for these hours, whatever the current price.
    const terms = this.#acceptedFor(request.hours) ?? (tier && { ...tier, recipient })
    if (!terms) return noSuchSlot('hours', "must be a tier's hours")
    const facts = await this.#acceptance.read('rental')
    if (isRefusal(facts)) return facts
    const { priceWei, days: length, label } = terms
    const valueWei = BigInt(priceWei)
    const claim = { payer: request.wallet, recipient: terms.recipient, valueWei }
    // An acceptance keeps the price for other dates, so an impossible date must not lead to one.
    const slot = slotFrom(request.date, length, this.#kernel.clock.now())
    if (!slot) return noSuchSlot('date', 'all days must be among availableSlots')
    const answer = this.#acceptance.accept('rental', facts, claim, { rentalTerms: terms })
    if (answer) return answer
    const { wallet, title, imageUrl, linkUrl } = request
    const { startsAt, endsAt, days } = slot
    const wanted: Rental = {
      id: hash,
      wallet,
      startsAt,
      endsAt,
      label,
      title,
      imageUrl,
      linkUrl,
    }
    const booked = await bookRental(this.#env().DB, name, { rental: wanted, request: text, days })
    if (!booked) {
      const advice =
        'A day of this rental has just been taken. Your payment is still valid: use it for other days.'
      return refuse('slot_taken', advice)
    }
    this.#keepRental(booked)
    return booked.request === text ? { ok: true, rental: booked.rental } : PAYMENT_USED
  }

  /** Returns the payment's booking, in case it was made but the database's answer was lost. */
  async #bookedBefore(payment: string): Promise<Booking | null> {
    if (this.#acceptance.accepted()?.purpose !== 'rental') return null
    const booked = await readBooking(this.#env().DB, payment)
    if (booked) this.#keepRental(booked)
    return booked
  }

  /** Keeps a rental that the database has already: from here on this object has it too, even if rows are lost. */
  #keepRental({ request, rental }: Booking): void {
    this.#sql.exec(
      'INSERT OR IGNORE INTO rental (id, request, rental) VALUES (1, ?, ?)',
      request,
      JSON.stringify(rental),
    )
  }

  #rental(): Booking | null {
    if (!this.#kernel.isOpen) return null
    const row = firstRow(
      this.#sql.exec<{ request: string; rental: string }>('SELECT request, rental FROM rental'),
    )
    return row ? { request: row.request, rental: JSON.parse(row.rental) as Rental } : null
  }

  /** Returns the terms on which the payment was accepted for a rental of some hours; null if it was not. */
  #acceptedFor(hours: number): RentalTerms | null {
    const terms = this.#acceptance.accepted()?.rentalTerms
    return terms && terms.days * HOURS_A_DAY === hours ? terms : null
  }
}
