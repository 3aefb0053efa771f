import { isAboutStranger, isForStranger, isStrange, type Stranger } from '../actors/strangers.ts'
import type { Disk } from '../world/disk.ts'
import type { World } from '../world/world.ts'

/** How often a request may call the node on average, retries included. */
const MAX_NODE_CALLS = 4

/** A ledger whose wallet has asked for its terms keeps the seed of its first play, in three pages. */
const MAX_BYTES = 12_288
/** The tables that a first limit or revocation makes, in the published 72 KiB, with the pages of the seed. */
const MAX_BYTES_STORED = 73_728 + MAX_BYTES

/** What is asked for free must not cost storage, alarms, or more than a few calls to the node. */
export function checkStrangers(world: World, { requests, stored }: Stranger): void {
  const mostOfLedger = stored === 0 ? MAX_BYTES : MAX_BYTES_STORED
  for (const { name, path, disk, alarms, className } of world.objects.all()) {
    if (!isStrange(name)) continue
    const most = className === 'Ledger' ? mostOfLedger : 0
    if (disk.sizeBytes > most)
      world.violate(`${path} stores ${disk.sizeBytes} bytes for a stranger`)
    if (alarms.ringsAt !== null) world.violate(`${path} has an alarm for a stranger`)
  }
  checkShared(world)
  const calls = [...world.nodeCalls].filter(([host]) => isFor(host))
  const count = calls.reduce((sum, [, each]) => sum + each, 0)
  if (count > requests * MAX_NODE_CALLS)
    world.violate(`${requests} requests of a stranger led to ${count} calls of the node`)
}

/** What objects share with others, the databases and the buckets keep nothing of a wallet that has paid nothing. */
function checkShared(world: World): void {
  const objects = world.objects.all().filter(({ name }) => !isStrange(name))
  const disks: [string, Disk][] = [
    ...objects.map(({ path, disk }): [string, Disk] => [path, disk]),
    ...Object.entries(world.databases).map(([name, { disk }]): [string, Disk] => [name, disk]),
  ]
  const kept = disks.flatMap(([name, disk]) => rowsAbout(disk).map((table) => `${name}.${table}`))
  if (kept.length > 0) world.violate(`a stranger costs the rows ${kept.join(', ')}`)
  for (const [name, { files }] of Object.entries(world.buckets)) {
    const about = [...files.keys()].filter((key) => isAboutStranger(key))
    if (about.length > 0) world.violate(`${name} keeps ${about.join(', ')} for a stranger`)
  }
}

/** Returns the table of each row that names the stranger or what strangers invent. */
function rowsAbout(disk: Disk): string[] {
  const tables = disk.exec(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    [],
  ).rows
  return tables.flatMap(({ name }) =>
    disk
      .exec(`SELECT * FROM ${String(name)}`, [])
      .rows.filter((row) => Object.values(row).some((value) => isAboutStranger(textIn(value))))
      .map(() => String(name)),
  )
}

/** Returns a stored value as text; a blob byte by byte. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : ''
}

function isFor(host: string): boolean {
  // A restarted object's host has the number of its start behind its name.
  const [, name = ''] = /^\w+\/(.+?)(?:\(\d+\))?$/.exec(host) ?? []
  return isForStranger(host) || isStrange(name)
}
