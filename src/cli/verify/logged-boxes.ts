import { batchId, closedEntryId, openEntryId } from '../../box-nft/log-entries.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import type { DisclosedBox, LoggedBatch } from '../../verify/box.ts'
import type { Uncompared } from './logged-round.ts'
import { lookUp } from './look-up.ts'
import type { SiteLog } from './site-log.ts'

/** What a public log has of batches of boxes, by number, and why some were not compared with it. */
export interface BatchesInLog {
  batches: ReadonlyMap<number, LoggedBatch>
  uncompared: Uncompared | null
}

/** The contract that a site says its boxes are of; null if it names none. */
export type BoxContract = { chainId: number; contract: string } | null

interface Search {
  contract: BoxContract
  /** The log's verifier key, from elsewhere; null for the one that the site shows. */
  pinned: VerifierKey | null
  /** In unix milliseconds, by this machine's clock. */
  now: number
}

/**
 * Loads what a site's public log has of the batches of some boxes.
 * @throws CommandError if the log can't be believed
 */
export async function loadBatchesInLog(
  site: URL,
  boxes: readonly DisclosedBox[],
  { contract, pinned, now }: Search,
): Promise<BatchesInLog> {
  const found = await lookUp(site, pinned, async (log) => {
    const batches = new Map<number, LoggedBatch>()
    for (const box of boxes) {
      const batch = await findBatch(log, box, contract)
      if (typeof batch === 'string') return missing(log, batch, now)
      batches.set(box.batch, batch)
    }
    return batches
  })
  return found instanceof Map
    ? { batches: found, uncompared: null }
    : { batches: new Map(), uncompared: found }
}

/** Finds a batch. Returns what the log lacks if it lacks something. An outage may have delayed an entry. */
async function findBatch(
  log: SiteLog,
  { batch, pepperHash }: DisclosedBox,
  contract: BoxContract,
): Promise<LoggedBatch | string> {
  const numbered = await log.find('batch', openEntryId(batch))
  if (!numbered) return `the pepper hash of batch ${batch}`
  // Each contract numbers its batches from 1, and a former one may have taken the number.
  const isOwn = numbered.entry['pepperHash'] === pepperHash
  const id = isOwn || !contract ? batch : batchId({ ...contract, batch })
  const commitment = id === batch ? numbered : await log.find('batch', openEntryId(id))
  if (!commitment) return `this pepper hash of batch ${batch}, but has another one of it`
  const pepper = await log.find('batch', closedEntryId(id))
  return pepper ? { commitment, pepper } : `the pepper of batch ${batch}`
}

async function missing(log: SiteLog, what: string, now: number): Promise<Uncompared> {
  const lacks = `${log.key.name} does not have ${what}.`
  const predecessor = await log.predecessor(now)
  return predecessor
    ? {
        why: `${lacks} It succeeds ${predecessor.name}: ask the house what is left of that log.`,
        isUnreached: false,
      }
    : { why: `${lacks} If it still does not in an hour, don't trust the box.`, isUnreached: true }
}
