import type { Rental } from '../ad-rental/rental.ts'

/** The columns of a {@link Rental}, by its names. */
const RENTAL = `id, wallet, starts_at AS startsAt, ends_at AS endsAt, label, title,
  image_url AS imageUrl, link_url AS linkUrl`

/** A rental, and its request's canonical text. */
export interface Booking {
  rental: Rental
  request: string
}

/**
 * Books all days of a rental, or none if one is taken; the database decides races. Safe to repeat.
 * @param payment the payment, which can book one rental only
 * @returns the payment's booking, this or an earlier one; null if a day is taken
 */
export async function bookRental(
  db: D1Database,
  payment: string,
  { rental, request, days }: Booking & { days: string[] },
): Promise<Booking | null> {
  const { id, wallet, startsAt, endsAt, label, title, imageUrl, linkUrl } = rental
  const takeDay = db.prepare('INSERT INTO rented_days (day, rental_id) VALUES (?, ?)')
  try {
    await db.batch([
      db
        .prepare(
          `INSERT INTO rentals
             (id, payment, request, wallet, starts_at, ends_at, label, title, image_url, link_url)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .bind(id, payment, request, wallet, startsAt, endsAt, label, title, imageUrl, linkUrl),
      ...days.map((day) => takeDay.bind(day, id)),
    ])
    return { rental, request }
  } catch (fault) {
    if (!isTaken(fault)) throw fault
    return readBooking(db, payment)
  }
}

/** Returns a payment's booking; null without one. */
export async function readBooking(db: D1Database, payment: string): Promise<Booking | null> {
  const booked = await db
    .prepare(`SELECT ${RENTAL}, request FROM rentals WHERE payment = ?`)
    .bind(payment)
    .first<Rental & { request: string }>()
  if (!booked) return null
  const { request, ...rental } = booked
  return { rental, request }
}

/** Returns the active rental at a time, and which of some days are taken. */
export async function readRentals(
  db: D1Database,
  now: number,
  days: string[],
): Promise<{ active: Rental | null; taken: Set<string> }> {
  const [active, taken] = await Promise.all([
    db
      .prepare(`SELECT ${RENTAL} FROM rentals WHERE ends_at > ? AND starts_at <= ? LIMIT 1`)
      .bind(now, now)
      .first<Rental>(),
    db
      .prepare('SELECT day FROM rented_days WHERE day BETWEEN ? AND ?')
      .bind(days.at(0) ?? '', days.at(-1) ?? '')
      .all<{ day: string }>(),
  ])
  return { active, taken: new Set(taken.results.map(({ day }) => day)) }
}

/** Returns whether a batch failed because a day or payment was already taken. */
function isTaken(fault: unknown): boolean {
  return fault instanceof Error && /UNIQUE constraint failed/.test(fault.message)
}
