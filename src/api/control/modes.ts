import { logFault } from '../../log.ts'
import { readModes } from '../../objects.ts'
import {
  knownModes,
  LEAD_MS,
  NOTHING_KNOWN,
  READ_AGE_MS,
  type KnownModes,
  type ModesChange,
} from '../../operator/modes.ts'

/** How long other requests wait after one has begun to read, as long as they may use what is known. */
const PAUSE_MS = 1_000

/** What is known may be this old while a request reads: calls with it still reach a ledger in time. */
const SHARED_AGE_MS = LEAD_MS - 3_000

let kept: { changes: readonly ModesChange[]; readAt: number } | null = null
/** When a request of this isolate last began to read. */
let askedAt = -Infinity
/** When a read last failed; none since has succeeded. */
let failedAt = -Infinity

/**
 * Returns what operators have set, read at most five seconds ago. If it can't be read, the last known holds for
 * five minutes; after that, or in an isolate that never read it, nothing new is taken.
 */
export async function currentModes(env: Env): Promise<KnownModes> {
  const now = Date.now()
  if (kept === null || !isWithin(usableMs(now), kept.readAt, now)) {
    askedAt = now
    try {
      const changes = await readModes(env)
      // A slow answer must not replace a newer one, unless the clock has stepped back behind that.
      const isNewer = kept === null || kept.readAt <= now || kept.readAt > Date.now()
      if (isNewer) kept = { changes, readAt: now }
      failedAt = -Infinity
    } catch (fault) {
      failedAt = Date.now()
      logFault('modes_read_failed', fault)
    }
  }
  return kept ? knownModes(kept.changes, kept.readAt, Date.now()) : NOTHING_KNOWN
}

/** Returns up to which age a request uses what is known instead of reading. While reads fail, one begins each second. */
function usableMs(now: number): number {
  if (!isWithin(PAUSE_MS, askedAt, now)) return READ_AGE_MS
  return isWithin(LEAD_MS, failedAt, now) ? Infinity : SHARED_AGE_MS
}

/** If the clock has stepped back, the age is unknown. */
function isWithin(ageMs: number, since: number, now: number): boolean {
  return now >= since && now - since < ageMs
}
