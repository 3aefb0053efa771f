import { isoTime, startOfDay } from '../../core/utc-day.ts'
import { seedEntryId, seedHashEntryId } from '../../lootbox/log-entries.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import { COMMITTED_AHEAD_MS } from '../../verify/logged-seeds.ts'
import { seedDueAt, type LoggedSeed } from '../../verify/opening.ts'
import type { Uncompared } from './logged-round.ts'
import { lookUp } from './look-up.ts'
import type { SiteLog } from './site-log.ts'

/** A public log's entries on the seeds of lootbox days, by day, and why some were not compared with it. */
export interface SeedsInLog {
  seeds: ReadonlyMap<string, LoggedSeed>
  uncompared: Uncompared | null
}

/**
 * Loads a site's public log entries on the seeds of some lootbox days.
 * @param pinned the log's verifier key, from elsewhere; null for the one that the site shows
 * @param now in unix milliseconds, by this machine's clock
 * @throws CommandError if the log can't be believed
 */
export async function loadSeedsInLog(
  site: URL,
  days: readonly string[],
  { pinned, now }: { pinned: VerifierKey | null; now: number },
): Promise<SeedsInLog> {
  const found = await lookUp(site, pinned, async (log) => findSeeds(log, days, now))
  return found instanceof Map
    ? { seeds: found, uncompared: null }
    : { seeds: new Map(), uncompared: found }
}

async function findSeeds(
  log: SiteLog,
  days: readonly string[],
  now: number,
): Promise<Map<string, LoggedSeed> | Uncompared> {
  const seeds = new Map<string, LoggedSeed>()
  const predecessor = await log.predecessor(now)
  const beganAt = predecessor?.at ?? (await log.first())?.entry.at ?? now
  for (const day of new Set(days)) {
    const from = startOfDay(day) - COMMITTED_AHEAD_MS
    const commitment = await log.find('seeds', seedHashEntryId(day), from)
    if (!commitment && from <= beganAt) {
      const before = predecessor
        ? `, and succeeds ${predecessor.name}: ask the house what is left of that log.`
        : '. If the site kept another log before, ask the house what is left of it.'
      const why = `${log.key.name} began later than the seed of ${day} was committed to${before}`
      return { why, isUnreached: false }
    }
    const seed = await log.find('seeds', seedEntryId(day), from)
    if (!seed && log.newestAt < seedDueAt(day) && seedDueAt(day) <= now) {
      const why = `${log.key.name} has no entries since ${isoTime(log.newestAt)}, before the seed of ${day} was due. Try again later.`
      return { why, isUnreached: true }
    }
    // A log that succeeds another one repeats that one's commitments later.
    const isRepeated = predecessor !== null && from < predecessor.at
    const committedAt =
      commitment && (isRepeated ? commitment.entry.at : await log.loggedAt(commitment))
    seeds.set(day, { commitment, committedAt, seed })
  }
  return seeds
}
