import { isForStranger, isStrange, type Stranger } from '../actors/strangers.ts'
import type { World } from '../world/world.ts'

/** How often a request may call the node on average, retries included. */
const MAX_NODE_CALLS = 4

/** A ledger whose wallet has asked for its terms keeps the seed of its first play, in three pages. */
const MAX_BYTES = 12_288

/** What is asked for free must not cost storage, alarms, or more than a few calls to the node. */
export function checkStrangers(world: World, { requests }: Stranger): void {
  for (const { name, path, disk, alarms, className } of world.objects.all()) {
    if (!isStrange(name)) continue
    const most = className === 'Ledger' ? MAX_BYTES : 0
    if (disk.sizeBytes > most)
      world.violate(`${path} stores ${disk.sizeBytes} bytes for a stranger`)
    if (alarms.ringsAt !== null) world.violate(`${path} has an alarm for a stranger`)
  }
  const calls = [...world.nodeCalls].filter(([host]) => isFor(host))
  const count = calls.reduce((sum, [, each]) => sum + each, 0)
  if (count > requests * MAX_NODE_CALLS)
    world.violate(`${requests} requests of a stranger led to ${count} calls of the node`)
}

function isFor(host: string): boolean {
  // A restarted object's host has the number of its start behind its name.
  const [, name = ''] = /^\w+\/(.+?)(?:\(\d+\))?$/.exec(host) ?? []
  return isForStranger(host) || isStrange(name)
}
