import { batchId, closedEntryId, contractId, openEntryId } from '../../box-nft/log-entries.ts'
import { isoTime } from '../../core/utc-day.ts'
import type { LoggedEntry } from '../../transparency/entry.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import type { DisclosedBox, LoggedBatch } from '../../verify/box.ts'
import { boxContractOf, isOfAnother, mayBeNamed } from '../../verify/logged-batches.ts'
import type { Uncompared } from './logged-round.ts'
import { lookUp } from './look-up.ts'
import type { SiteLog } from './site-log.ts'

/** A public log's entries on batches of boxes, by number, and why some were not compared with it. */
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
 * Loads a site's public log entries on the batches of some boxes.
 * @throws CommandError if the log can't be believed
 */
export async function loadBatchesInLog(
  site: URL,
  boxes: readonly DisclosedBox[],
  search: Search,
): Promise<BatchesInLog> {
  const { pinned, now } = search
  const found = await lookUp(site, pinned, async (log) => {
    const batches = new Map<number, LoggedBatch>()
    for (const box of boxes) {
      const batch = await findBatch(log, box, search)
      if ('lacks' in batch) return uncompared(log, batch, now)
      batches.set(box.batch, batch)
    }
    return batches
  })
  return found instanceof Map
    ? { batches: found, uncompared: null }
    : { batches: new Map(), uncompared: found }
}

/** The entries that a log lacks of a batch, and whether it has none at all: the batch may be older than the log. */
interface Missing {
  lacks: string
  mayBeOlder: boolean
}

/** Finds a batch, or the entries that the log lacks of it. An outage may have delayed an entry. */
async function findBatch(
  log: SiteLog,
  { batch, pepperHash }: DisclosedBox,
  { contract, now }: Search,
): Promise<LoggedBatch | Missing> {
  const numbered = await log.find('batch', openEntryId(batch))
  if (!numbered) return { lacks: `the pepper hash of batch ${batch}`, mayBeOlder: true }
  // Each contract numbers its batches from 1, and a former one may have taken the number.
  const isOwn = numbered.entry['pepperHash'] === pepperHash
  const id = isOwn ? batch : contract && batchId({ ...contract, batch })
  const commitment = isOwn ? numbered : id && (await log.find('batch', openEntryId(id)))
  if (!id || !commitment) {
    const lacks = `this pepper hash of batch ${batch}, but has another one of it`
    return { lacks, mayBeOlder: false }
  }
  const pepper = await log.find('batch', closedEntryId(id))
  if (!pepper) return { lacks: `the pepper of batch ${batch}`, mayBeOlder: false }
  const isNamedInTurn =
    isOwn ||
    !contract ||
    (commitment.index > numbered.index &&
      (await mayHaveName(log, contractId(contract), { numbered, now })))
  return { commitment, since: await log.loggedAt(commitment), pepper, isNamedInTurn }
}

/** Returns whether the log may name a batch by its contract, whose terms it must have. */
async function mayHaveName(
  log: SiteLog,
  contract: string,
  { numbered, now }: { numbered: LoggedEntry; now: number },
): Promise<boolean> {
  // A log that succeeds another one lacks the terms under which that one's batches were logged.
  if (await log.predecessor(now)) return true
  const isOwn = (terms: LoggedEntry) => boxContractOf(terms) === contract
  if (!(await log.until('terms', isOwn)).some(isOwn)) return false
  const isFormer = (terms: LoggedEntry) =>
    isOfAnother(terms, contract) && terms.index < numbered.index
  const terms = await log.until('terms', isFormer)
  return terms.some(isFormer) || mayBeNamed(contract, numbered.index, terms)
}

async function uncompared(
  log: SiteLog,
  { lacks, mayBeOlder }: Missing,
  now: number,
): Promise<Uncompared> {
  const why = `${log.key.name} does not have ${lacks}.`
  const predecessor = await log.predecessor(now)
  if (predecessor) {
    const ask = `It succeeds ${predecessor.name}: ask the house what is left of that log.`
    return { why: `${why} ${ask}`, isUnreached: false }
  }
  const distrust = "If it still does not in an hour, don't trust the box."
  if (!mayBeOlder) return { why: `${why} ${distrust}`, isUnreached: true }
  const beganAt = (await log.first())?.entry.at ?? now
  return {
    why: `${why} The log began at ${isoTime(beganAt)}. If the batch was opened later and the log still does not have it in an hour, don't trust the box.`,
    isUnreached: false,
  }
}
