import type { Finding } from '../../audit/finding.ts'
import type { LoggedHistory } from '../../audit/in-log.ts'
import { DAY_MS, dateOf, endOfDay, startOfDay } from '../../core/utc-day.ts'
import type { OwnRows } from './own-rows.ts'

/** A site exports a day within this time of its end, in milliseconds. */
const EXPORTED_WITHIN_MS = 2 * DAY_MS

/** Which days were audited, as YYYY-MM-DD. */
interface AuditedDays {
  first: string
  last: string
  /** The last day that was asked for; null for all. */
  to: string | null
  /** The newest day that the site lists; null for a folder, which may have been downloaded at any time. */
  listed: string | null
  /** When the site was asked, in unix milliseconds by this machine's clock. */
  askedAt: number
}

/** Returns the rows that receipts, the public log or the clock promise and an export lacks. */
export function missingFrom(
  { first, last, to, listed, askedAt }: AuditedDays,
  own: OwnRows,
  history: LoggedHistory | undefined,
): Finding[] {
  const [start, end] = [startOfDay(first), endOfDay(last)]
  const rounds = history?.missingRounds(start, end) ?? []
  const logged = [...rounds, ...uncommitted(history, first, last)]
  if (listed === null) return [...own.missing(start, end, askedAt), ...logged]
  // A list that ends early would excuse all that comes after it, so the clock says which days are due.
  const due = newestDueDay(askedAt, to)
  return [
    ...own.missing(start, Math.max(end, endOfDay(due)), askedAt),
    ...logged,
    ...(listed < due ? [endsEarly(listed, due)] : []),
    ...(history?.unlistedDays(listed, to, askedAt) ?? []),
  ]
}

/** Returns the days that offered a lootbox although the log has no commitment to them. */
function uncommitted(history: LoggedHistory | undefined, first: string, last: string): Finding[] {
  const days = history?.seedDeadlines.lacking() ?? []
  const problem =
    'rounds were planned under terms with a lootbox, but the public log has no seed hash of this day'
  return days
    .filter((day) => day >= first && day <= last)
    .map((day) => ({ where: `the lootbox of ${day}`, problem }))
}

function endsEarly(listed: string, due: string): Finding {
  const problem = `the newest exported day is ${listed}, but by your clock ${due} ended at least two days ago`
  return { where: 'the export', problem }
}

/** Returns the newest day that a site must have exported. @param to the last day that was asked for; null for all */
function newestDueDay(now: number, to: string | null): string {
  const due = dateOf(now - EXPORTED_WITHIN_MS - DAY_MS)
  return to !== null && to < due ? to : due
}
