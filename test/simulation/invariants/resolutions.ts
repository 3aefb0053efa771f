import type { World } from '../world/world.ts'
import type { Entry, EntryWatch } from './entries.ts'
import { actsOf, type ActRecord } from './operators.ts'

/** An act on a withdrawal or a missing deposit has done what it says, and nothing if it says so. */
export function checkResolutions(world: World, watch: EntryWatch): void {
  const entries = new Map(watch.all())
  for (const act of actsOf(world)) {
    const wanted = wantedOf(act)
    if (!wanted || !act.result) continue
    const [wallet = ''] = act.target.split(':')
    const found = (entries.get(wallet) ?? [])
      .filter(({ id }) => id.endsWith(`:${act.hash}`))
      .filter(({ result }) => !isRefused(result))
    if (!act.result.isDone && found.length > 0)
      world.violate(`act ${act.hash} was answered as not done, but is in the journal of ${wallet}`)
    const isDone = found.length === 1 && found.every(wanted)
    if (act.result.isDone && !isDone)
      world.violate(`act ${act.hash} was answered as done, but not done by ${wallet}`)
  }
  for (const [wallet, all] of entries) {
    const resolved = all
      .filter(({ id, result }) => id.startsWith('resolve:') && !isRefused(result))
      // What was released unpaid is booked if the chain pays it after all.
      .map((entry) => `${withdrawalOf(entry)}, as ${entry.result},`)
    const twice = resolved.find((one, index) => resolved.indexOf(one) !== index)
    if (twice !== undefined) world.violate(`withdrawal ${twice} was resolved twice by ${wallet}`)
  }
}

/** Whether an act's entry says that it has done nothing. */
function isRefused(result: string): boolean {
  const parsed: unknown = JSON.parse(result)
  return parsed === 0 || typeof parsed === 'object'
}

/** Returns what the entry of an act must be; null for other acts. */
function wantedOf({ act, target, hash }: ActRecord): ((entry: Entry) => boolean) | null {
  const [, nonce] = target.split(':')
  const ends = (status: string) => (entry: Entry) =>
    withdrawalOf(entry) === nonce && entry.result === JSON.stringify(status)
  if (act === 'confirm-withdrawal') return ends('confirmed')
  if (act === 'release-withdrawal') return ends('failed')
  return act === 'write-off' ? ({ id }) => id === `write-off:${hash}` : null
}

/** Returns the nonce in the id `resolve:CHAIN:VAULT:NONCE:ACT` of an entry. */
function withdrawalOf({ id }: Entry): string | undefined {
  return id.split(':').at(-2)
}
