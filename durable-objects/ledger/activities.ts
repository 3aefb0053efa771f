import { activityOf, type Activity, type ActivityKind } from '../../src/activity/activity.ts'
import { segmentOf, lastSeqOf } from '../../src/ledger/segment.ts'
import { TOTALS, type Total } from '../../src/ledger/totals.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import type { Journal } from './journal.ts'
import type { LedgerKernel } from './kernel.ts'

/** A player's query for their own activity. */
export interface ActivityQuery {
  /** Null for all kinds. */
  kind: ActivityKind | null
  /** Only entries with lower numbers; null for the newest. */
  before: number | null
  limit: number
}

export interface ActivityPage {
  /** Newest first. A page may be empty without being the last. */
  entries: Activity[]
  /** The `before` of the next page; null on the last page. */
  next: number | null
  /** Cumulative amounts since the wallet's first entry, in smallest units. */
  totals: PerToken<Record<Exclude<Total, 'bets'>, string> & { bets: number }>
}

/** The activity of a wallet whose ledger isn't open. */
const NO_ACTIVITY: ActivityPage = {
  entries: [],
  next: null,
  totals: perToken(() => ({
    wagered: '0',
    returned: '0',
    deposited: '0',
    withdrawn: '0',
    debited: '0',
    bets: 0,
  })),
}

/** The most journal entries read for one page. */
const LOOK = 1_000

/** Returns a page of a journal as its player sees it. Reads one segment at most. */
export function activityPage(
  { isOpen, journal }: Pick<LedgerKernel, 'isOpen' | 'journal'>,
  query: ActivityQuery,
): ActivityPage {
  if (!isOpen) return NO_ACTIVITY
  const { kind, limit } = query
  const last = Math.min(journal.latest().seq, (query.before ?? Infinity) - 1)
  const first = Math.max(1, last - LOOK + 1, lastSeqOf(segmentOf(last) - 1) + 1)
  const looked = journal.page(first, last - first + 1).toReversed()
  const entries: Activity[] = []
  let lowest = first
  for (const entry of looked) {
    const activity = activityOf(entry)
    if (activity && (kind === null || activity.kind === kind)) entries.push(activity)
    if (entries.length < limit) continue
    lowest = entry.seq
    break
  }
  return { entries, next: lowest > 1 ? lowest : null, totals: shownTotals(journal) }
}

/** Returns the sums of the whole journal. */
function shownTotals(journal: Journal): ActivityPage['totals'] {
  const { totals } = journal.latest()
  return perToken((token) => {
    const amounts = TOTALS.map((name) => [name, totals[token][name].toString()])
    const { bets, ...rest } = Object.fromEntries(amounts) as Record<Total, string>
    return { ...rest, bets: Number(bets) }
  })
}
