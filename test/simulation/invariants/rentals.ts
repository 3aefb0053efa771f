import type { ToldRental } from '../actors/advertisers.ts'
import type { World } from '../world/world.ts'

/** Every rental that was confirmed is in D1, with its day. A restored D1 is the operator's to complete. */
export function checkRentals(world: World, rentals: readonly ToldRental[]): void {
  const database = world.databases['DB']
  if (!database) return
  for (const { id, startsAt, endsAt, askedAt } of rentals) {
    if (askedAt <= (database.restoredAt ?? 0)) continue
    const found = database.disk.exec(
      `SELECT starts_at AS startsAt, ends_at AS endsAt FROM rentals
       JOIN rented_days ON rental_id = id WHERE id = ?`,
      [id],
    ).rows
    const isKept = found.length === 1 && found[0]?.['startsAt'] === startsAt
    if (!isKept || found[0]?.['endsAt'] !== endsAt)
      world.violate(`D1 does not have the rental ${id} with its one day`)
  }
}
