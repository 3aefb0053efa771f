import type { Rental } from '../ad-rental/rental.ts'

type Row = {
  id: string
  wallet: string
  starts_at: number
  ends_at: number
  label: string
  title: string
  image_url: string
  link_url: string
}

/** A rental, and its order's canonical text. */
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
    const query = db.prepare('SELECT * FROM rentals WHERE payment = ?').bind(payment)
    const row = await query.first<Row & { request: string }>()
    return row && { rental: rentalOf(row), request: row.request }
  }
}

/** Returns the active rental at a time, and which of some days are taken. */
export async function readRentals(
  db: D1Database,
  now: number,
  days: string[],
): Promise<{ active: Rental | null; taken: Set<string> }> {
  const [active, taken] = await Promise.all([
    db
      .prepare('SELECT * FROM rentals WHERE ends_at > ? AND starts_at <= ? LIMIT 1')
      .bind(now, now)
      .first<Row>(),
    db
      .prepare('SELECT day FROM rented_days WHERE day BETWEEN ? AND ?')
      .bind(days.at(0) ?? '', days.at(-1) ?? '')
      .all<{ day: string }>(),
  ])
  return {
    active: active && rentalOf(active),
    taken: new Set(taken.results.map(({ day }) => day)),
  }
}

function rentalOf(row: Row): Rental {
  const { id, wallet, label, title } = row
  return {
    id,
    wallet,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    label,
    title,
    imageUrl: row.image_url,
    linkUrl: row.link_url,
  }
}

/** Returns whether a batch failed because a day or payment was already taken. */
function isTaken(fault: unknown): boolean {
  return fault instanceof Error && /UNIQUE constraint failed/.test(fault.message)
}
