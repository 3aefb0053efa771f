import { invariant } from '../../src/core/invariant.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { unpackHead } from '../../src/ledger/head.ts'
import { lastSeqOf } from '../../src/ledger/segment.ts'
import { logFault } from '../../src/log.ts'
import type { LedgerKernel } from './kernel.ts'
import type { ExportedPlays } from './plays.ts'

/** The export skips a lost segment once its last entry is this old. Until then, a copy can be put back. */
export const LOST_AFTER_MS = 7 * DAY_MS

/**
 * Returns an answer for the export that skips a segment, because the archive has no file of it or a different one; null
 * while the right one can still be put back.
 */
export function withoutLost(
  { journal, clock, owner, wallet }: LedgerKernel,
  segment: number,
  cause: Error,
): ExportedPlays | null {
  const seq = lastSeqOf(segment)
  const end = journal.segments.endAt(seq)
  invariant(end, 'an archived segment has its end here')
  if (clock.now() - end.at < LOST_AFTER_MS) return null
  logFault('export_segment_skipped', cause, { object: owner.object, wallet, segment })
  return { plays: [], seq, isAll: false, openGame: unpackHead(end.head).openGame?.nonce ?? null }
}
