import { logFault } from '../../log.ts'
import { answerWithin, control, retried } from '../../objects.ts'
import {
  knownModes,
  LEAD_MS,
  READ_AGE_MS,
  type KnownModes,
  type ModesChange,
} from '../../operator/modes.ts'

/** How long an isolate waits after a read that failed, or that another request is still waiting for. */
const PAUSE_MS = 1_000

/** Others use a reading of this age while a request reads: their calls still reach a ledger before it ends. */
const SHARED_AGE_MS = LEAD_MS - 3_000

/** How long a request waits for an answer. Calls that don't need one, such as withdrawals, go on without it. */
const PATIENCE_MS = 2_000

let kept: { changes: readonly ModesChange[]; readAt: number } | null = null
/** When a request of this isolate last began to read. */
let askedAt = -Infinity
/** When a read last failed, or when one began while reads fail. */
let failingAt = -Infinity

/**
 * Returns what operators have set, read at most five seconds ago. If it can't be read, the last known holds for
 * five minutes; after that, or in an isolate that never read it, nothing new is taken.
 */
export async function currentModes(env: Env): Promise<KnownModes> {
  const now = Date.now()
  if (!isYoungerThan(READ_AGE_MS, now) && mayAsk(now)) {
    askedAt = now
    if (isWithin(LEAD_MS, failingAt, now)) failingAt = now
    try {
      const changes = await answerWithin(
        PATIENCE_MS,
        retried(async () => control(env).modes()),
      )
      // A slow answer must not replace a newer one, unless the clock has stepped back behind that.
      const isNewer = kept === null || kept.readAt <= now || kept.readAt > Date.now()
      if (isNewer) kept = { changes, readAt: now }
      askedAt = -Infinity
      failingAt = -Infinity
    } catch (fault) {
      failingAt = Date.now()
      logFault('modes_read_failed', fault)
    }
  }
  return knownModes(kept?.changes ?? null, kept?.readAt ?? 0, Date.now())
}

/**
 * While a request reads, others use what is known, unless that is too old to be complete. While reads fail, one
 * begins each second, and others use the last known.
 */
function mayAsk(now: number): boolean {
  if (kept === null) return true
  return !isWithin(PAUSE_MS, isYoungerThan(SHARED_AGE_MS, now) ? askedAt : failingAt, now)
}

function isYoungerThan(ageMs: number, now: number): boolean {
  return kept !== null && isWithin(ageMs, kept.readAt, now)
}

/** If the clock has stepped back, the age is unknown. */
function isWithin(ageMs: number, since: number, now: number): boolean {
  return now >= since && now - since < ageMs
}
