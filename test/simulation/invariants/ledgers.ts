import type { Audit } from '../../../durable-objects/ledger/books.ts'
import type { Place } from '../world/objects.ts'
import type { World } from '../world/world.ts'
import { endOf, rowsOf, storedRound } from './rounds.ts'

export type SoundAudit = Extract<Audit, { ok: true }>

/** A settlement in a ledger's journal. */
interface Settlement {
  betId: string
  outcome: string
}

/**
 * Checks each new entry of the ledgers' journals as soon as it is written: a bet ends once, exactly as its
 * round has stored it.
 */
export class JournalWatch {
  readonly #world: World
  /** The newest entry that has been checked, by ledger. */
  readonly #checked = new Map<Place, number>()

  constructor(world: World) {
    this.#world = world
  }

  /** Checks the entries that have been written since the last call. */
  check(): void {
    for (const place of this.#world.objects.of('Ledger')) this.#checkOne(place)
  }

  #checkOne(place: Place): void {
    const latest = latestSeq(this.#world, place)
    const from = this.#checked.get(place) ?? 0
    if (latest === from) return
    // After a crash the unconfirmed entries are gone.
    this.#checked.set(place, latest)
    for (const settlement of settlementsAfter(this.#world, place, from)) this.#compare(settlement)
  }

  #compare({ betId, outcome }: Settlement): void {
    const round = storedRound(this.#world, Number(betId.split(':', 1)[0]))
    const end = endOf(round, betId)
    if (JSON.stringify(end) !== outcome)
      this.#world.violate(
        `bet ${betId} ended as ${outcome}, but its round says ${JSON.stringify(end)}`,
      )
  }
}

function latestSeq(world: World, { name }: Place): number {
  const [row] = rowsOf(world, 'Ledger', name, 'SELECT max(seq) AS seq FROM journal')
  return Number(row?.['seq'] ?? 0)
}

function settlementsAfter(world: World, { name }: Pick<Place, 'name'>, seq: number): Settlement[] {
  const rows = rowsOf(
    world,
    'Ledger',
    name,
    `SELECT operation_id AS id, result FROM journal
     WHERE seq > ${seq} AND operation_id LIKE 'settle:%'`,
  )
  return rows.map(({ id, result }) => ({
    betId: String(id).slice('settle:'.length),
    outcome: String(result),
  }))
}

/** Returns how a ledger has ended a bet, as JSON text; null if it has not. */
export function settlementOf(world: World, wallet: string, betId: string): string | null {
  const all = settlementsAfter(world, { name: wallet }, 0)
  return all.find((settlement) => settlement.betId === betId)?.outcome ?? null
}

/** Asks every ledger whether its books are right, each by a new instance. */
export async function auditLedgers(
  world: World,
  ask: (place: Place, method: string) => Promise<unknown>,
): Promise<Map<string, SoundAudit>> {
  const sound = new Map<string, SoundAudit>()
  for (const place of world.objects.of('Ledger')) {
    place.evict()
    const audit = (await ask(place, 'verify')) as Audit | null
    if (!audit) continue
    if (audit.ok) sound.set(place.name, audit)
    else world.violate(`the books of ${place.name} are wrong: ${audit.problem}`)
  }
  return sound
}
