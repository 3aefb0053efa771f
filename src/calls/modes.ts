import { isWithin } from '../core/age.ts'
import { logFault } from '../log.ts'
import {
  knownModes,
  LEAD_MS,
  NOTHING_KNOWN,
  READ_AGE_MS,
  type KnownModes,
  type ModesChange,
} from '../operator/modes.ts'
import { readModes } from './objects.ts'

/** After a request has begun to read, others use the last reading for this long, if it is young enough. */
const PAUSE_MS = 1_000

/** The greatest age of a reading that others use meanwhile, so that it still holds when their calls reach a ledger. */
const SHARED_AGE_MS = LEAD_MS - 3_000

let kept: { changes: readonly ModesChange[]; readAt: number } | null = null
/** When a request of this isolate last began to read. */
let askedAt = -Infinity
/** When a read last failed, unless one has succeeded since. */
let failedAt = -Infinity

/**
 * Returns the modes. A reading is used for five seconds, and for up to seven while another request of this isolate
 * reads again. If they can't be read, the last known ones hold for five minutes. After that, or in an isolate that has
 * never read them, nothing new is accepted.
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

/** Returns the age at which a reading becomes too old for a request. While reads fail, one begins each second. */
function usableMs(now: number): number {
  if (!isWithin(PAUSE_MS, askedAt, now)) return READ_AGE_MS
  return isWithin(LEAD_MS, failedAt, now) ? Infinity : SHARED_AGE_MS
}
