import { refuse, type Refusal } from '../../core/refusal.ts'

/**
 * The most reads of single wallets' bets that an isolate asks the table's round for at a time. Until its end the round
 * decides cash-outs; then many players ask within two seconds.
 */
const MAX_READS = { live: 4, ended: 32 }
/** A cancelled request never reports the end of its read, which counts as lost after this long. */
const READ_MS = 1_000
/** The reads under way, by when they began. */
const reads = new Set<{ startedAt: number }>()

const MANY_READS = refuse(
  'rate_limited',
  'Too many wallets are asking for their bets. Try again in a second.',
)

/** Reads a wallet's bet from the table's round, unless too many such reads are under way. */
export async function ownRead<T>(hasEnded: boolean, ask: () => Promise<T>): Promise<T | Refusal> {
  if (count() >= MAX_READS[hasEnded ? 'ended' : 'live']) return MANY_READS
  const read = { startedAt: Date.now() }
  reads.add(read)
  try {
    return await ask()
  } finally {
    reads.delete(read)
  }
}

function count(): number {
  const now = Date.now()
  for (const read of reads) {
    if (Math.abs(now - read.startedAt) >= READ_MS) reads.delete(read)
  }
  return reads.size
}
