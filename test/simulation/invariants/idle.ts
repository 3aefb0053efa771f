import type { Disk } from '../world/disk.ts'
import type { World } from '../world/world.ts'

/** What closes a day, a quarter of an hour after it has ended, and what counts every hour. */
const TIMED = ['Exporter', 'Daybook', 'Solvency']
/** What follows the chain, and writes checkpoints. */
const STEADY = ['VaultWatch', 'TransparencyLog']
/** What a new block or a minute's checkpoint adds at most. */
const MAX_ROWS_PER_MINUTE = 3
/**
 * The watch, the relayer and the treasury look at the chain, and the cron trigger at boxes. None looks more with time.
 */
const MAX_NODE_CALLS_PER_MINUTE = 100

/** How much the service stores and has asked its node. */
export interface Usage {
  at: number
  /** The number of rows, by class of object and by database. */
  rows: ReadonlyMap<string, number>
  nodeCalls: number
}

export function usageOf(world: World): Usage {
  const rows = new Map<string, number>()
  const add = (name: string, disk: Disk) => rows.set(name, (rows.get(name) ?? 0) + rowsIn(disk))
  for (const { className, disk } of world.objects.all()) add(className, disk)
  for (const [name, { disk }] of Object.entries(world.databases)) add(name, disk)
  const nodeCalls = [...world.nodeCalls.values()].reduce((sum, count) => sum + count, 0)
  return { at: world.scheduler.now, rows, nodeCalls }
}

/** While nobody asks for anything, nothing that they have done costs any more. */
export function checkIdle(world: World, before: Usage): void {
  const after = usageOf(world)
  const minutes = (after.at - before.at) / 60_000
  for (const [name, count] of after.rows) {
    if (TIMED.includes(name)) continue
    const grown = count - (before.rows.get(name) ?? 0)
    const most = STEADY.includes(name) ? MAX_ROWS_PER_MINUTE * minutes : 0
    if (grown > most) world.violate(`${name} has ${grown} more rows after ${minutes} idle minutes`)
  }
  const calls = after.nodeCalls - before.nodeCalls
  if (calls > MAX_NODE_CALLS_PER_MINUTE * minutes)
    world.violate(`the node was called ${calls} times in ${minutes} idle minutes`)
}

function rowsIn(disk: Disk): number {
  const tables = disk.exec(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    [],
  ).rows
  return tables.reduce((sum, { name }) => {
    const [counted] = disk.exec(`SELECT count(*) AS count FROM ${String(name)}`, []).rows
    return sum + Number(counted?.['count'])
  }, 0)
}
