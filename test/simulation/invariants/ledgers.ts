import type { Audit } from '../../../durable-objects/ledger/kernel.ts'
import type { Row } from '../world/disk.ts'
import type { Place } from '../world/objects.ts'
import type { World } from '../world/world.ts'
import { endOf, rowsOf, storedRound } from './rounds.ts'

/** Calls an object while nothing is wrong. */
export type Ask = (place: Place, method: string, args?: unknown[]) => Promise<unknown>

export type SoundAudit = Extract<Audit, { ok: true }>

/** A settlement in a ledger's journal. */
interface Settlement {
  seq: number
  betId: string
  /** As JSON text. */
  outcome: string
}

/** How far a journal has been read, and how often its disk had lost something by then. */
interface Reading {
  /** The newest entry. */
  seq: number
  losses: number
}

/** What has been read of a ledger's journal. */
interface Read extends Reading {
  /** The version of its disk. */
  version: number
  settlements: Settlement[]
}

/**
 * Reads each new entry of the ledgers' journals as soon as it is written, before it can go to the archive,
 * and checks it: a bet ends once, exactly as its round has stored it.
 */
export class JournalWatch {
  readonly #world: World
  readonly #read = new Map<Place, Read>()

  constructor(world: World) {
    this.#world = world
  }

  /** Checks the entries that have been written since the last call. */
  check(): void {
    for (const place of this.#world.objects.of('Ledger')) this.#checkOne(place)
  }

  /** Returns how a ledger has ended a bet, as JSON text; null if it has not. */
  settlementOf(wallet: string, betId: string): string | null {
    const place = this.#world.objects.find('Ledger', wallet)
    const all = (place && this.#read.get(place)?.settlements) ?? []
    return all.find((settlement) => settlement.betId === betId)?.outcome ?? null
  }

  #checkOne(place: Place): void {
    const { version, losses } = place.disk
    const before = this.#read.get(place) ?? { version: -1, losses, seq: 0, settlements: [] }
    if (version === before.version) return
    const { keptBelow, latest: seq, fresh } = readJournal(this.#world, place, before)
    const kept = before.settlements.filter((each) => each.seq < keptBelow)
    this.#read.set(place, { version, losses, seq, settlements: [...kept, ...fresh] })
    for (const settlement of fresh) this.#compare(settlement)
    const ids = [...kept, ...fresh].map(({ betId }) => betId)
    const twice = fresh.find(({ betId }) => ids.indexOf(betId) !== ids.lastIndexOf(betId))
    if (twice) this.#world.violate(`bet ${twice.betId} has ended twice`)
  }

  #compare({ betId, outcome }: Settlement): void {
    const round = storedRound(this.#world, Number(betId.split(':', 1)[0]))
    const end = JSON.stringify(endOf(round, betId))
    if (end !== outcome)
      this.#world.violate(`bet ${betId} ended as ${outcome}, but its round says ${end}`)
  }
}

/** Reads the settlements that a journal has since the last reading, as {@link journalRows} does. */
function readJournal(world: World, place: Place, before: Reading) {
  const { keptBelow, latest, rows } = journalRows(world, place, before, {
    columns: 'seq, operation_id AS id, result',
    where: "operation_id GLOB 'settle:*'",
  })
  const fresh: Settlement[] = rows.map(({ seq, id, result }) => {
    const [, roundId, attempt] = String(id).split(':')
    const betId = `${roundId}:${place.name}:${attempt}`
    return { seq: Number(seq), betId, outcome: String(result) }
  })
  return { keptBelow, latest, fresh }
}

/**
 * Reads some columns of the entries that a journal has since the last reading, and the number of the newest one.
 * After a loss it reads everything again, because other entries may have the numbers of those lost. What was read
 * before remains valid below `keptBelow`.
 */
export function journalRows(
  world: World,
  { name, disk }: Place,
  before: Reading,
  { columns, where }: { columns: string; where: string },
): { keptBelow: number; latest: number; rows: Row[] } {
  const read = (sql: string, ...bindings: unknown[]) => rowsOf(world, 'Ledger', name, sql, bindings)
  const tables = read(
    `SELECT CAST(substr(name, 9) AS INTEGER) AS number FROM sqlite_master
     WHERE type = 'table' AND name GLOB 'journal_[0-9]*' ORDER BY number`,
  ).map(({ number }) => Number(number))
  const isWhole = disk.losses === before.losses
  const after = isWhole ? before.seq : 0
  let [oldest, latest] = [tables.length === 0 ? 0 : Infinity, 0]
  const rows: Row[] = []
  // The entries of a table are newer than those of the tables before it.
  for (const number of tables.toReversed()) {
    const ends = 'SELECT (SELECT min(seq) FROM $) AS oldest, (SELECT max(seq) FROM $) AS newest'
    const [row] = read(ends.replaceAll('$', `journal_${number}`))
    oldest = Math.min(oldest, Number(row?.['oldest'] ?? Infinity))
    const newest = Number(row?.['newest'] ?? 0)
    latest = Math.max(latest, newest)
    if (isWhole && newest > 0 && newest <= after) break
    if (newest <= after) continue
    const sql = `SELECT ${columns} FROM journal_${number} WHERE seq > ? AND ${where} ORDER BY seq`
    rows.unshift(...read(sql, after))
  }
  return { keptBelow: isWhole ? Infinity : oldest, latest, rows }
}

/** Asks every ledger whether its books are right, each by a new instance. */
export async function auditLedgers(world: World, ask: Ask): Promise<Map<string, SoundAudit>> {
  const sound = new Map<string, SoundAudit>()
  for (const place of world.objects.of('Ledger')) {
    place.evict()
    const audit = (await ask(place, 'verify')) as Audit | null
    if (!audit) continue
    if (audit.ok) sound.set(place.name, audit)
    else world.violate(`the books of ${place.name} are wrong: ${audit.problem}`)
    const archived = rowsOf(world, 'Ledger', place.name, 'SELECT number FROM archived_segments')
    for (const { number } of archived) {
      const segment = (await ask(place, 'verifySegment', [number])) as { problem?: string } | null
      if (segment?.problem !== undefined)
        world.violate(`segment ${String(number)} of ${place.name} is wrong: ${segment.problem}`)
    }
  }
  return sound
}
