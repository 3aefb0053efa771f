import type { Refusal } from '../../src/core/refusal.ts'
import { GENESIS_HASH } from '../../src/ledger/journal.ts'
import type { EntryId } from '../../src/ledger/restoration.ts'
import { logFault } from '../../src/log.ts'
import type { Archive } from './archive.ts'
import type { LedgerKernel } from './kernel.ts'

/**
 * Returns whether an entry is in the journal, or is known to be lost because an act has restored the ledger since. One
 * in a segment that the archive has lost counts as present: it can never be checked, and bets and acts wait for the
 * answer. Returns a refusal if the archive doesn't answer.
 */
export async function hasEntry(
  { journal, owner, wallet }: LedgerKernel,
  archive: Archive,
  { seq, hash }: EntryId,
): Promise<boolean | Refusal> {
  if (seq > journal.latest().seq) return false
  const hashThere = () => journal.segments.endAt(seq)?.hash ?? GENESIS_HASH
  return archive.runOrRefuse(
    () => hashThere() === hash || journal.isRestoredSince(seq),
    'money',
    (segment, cause) => {
      logFault('journal_archive_unavailable', cause, { object: owner.object, wallet, segment })
      return true
    },
  )
}
