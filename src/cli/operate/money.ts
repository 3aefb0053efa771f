import { printable } from '../../core/printable.ts'
import { DAY_MS, dateOf, isoTime, MINUTE_MS } from '../../core/utc-day.ts'
import { TOKENS, type PerToken, type Token } from '../../money/token.ts'
import { wholeUnits } from '../../money/whole-units.ts'
import type { Client } from '../shared/client.ts'
import { printableIn } from '../shared/terminal.ts'
import { misused } from './options.ts'

/** The headers with a call's credentials. */
type Headers = Record<string, string>

type Drift = { token: Token; place: string; amountWei: string; since: number; until: number | null }

interface Reconciliation {
  at: number
  block: number
  books: PerToken<Record<'holdings' | 'unbooked' | (typeof TERMS)[number][0], string>>
  drifts: Drift[]
  ended: Drift[]
}

const TERMS = [
  ['owed', 'owed to players'],
  ['partners', 'to partners'],
  ['house', "the house's"],
  ['faucet', 'from the faucet'],
  ['inFlight', 'in flight'],
  ['drift', 'drift'],
] as const

interface Books {
  days: { day: string; isClosed: boolean; problems: string[] }[]
  rows: Record<(typeof COLUMNS)[number], string>[]
}

const COLUMNS = [
  ...(['day', 'asset', 'kind', 'name', 'wagered', 'returned', 'ggr'] as const),
  ...(['fees', 'prizes', 'gas', 'losses', 'restored'] as const),
] as const

/** A comparison that is older is late, as for the alert ReconciliationLate. */
const LATE_MS = 5 * MINUTE_MS

/** The most days of one answer. */
const MAX_DAYS = 366

const WHEN_COUNTED = 'Each day is counted after 00:15 (UTC) on the next day.'

/** Shows the newest comparison of the vault with the ledgers. Returns 1 if there is a drift or no recent comparison. */
export async function showReconciliation(client: Client, headers: Headers): Promise<number> {
  const { reconciliation: found } = printableIn(
    await client.get<{ reconciliation: Reconciliation | null }>(
      '/api/operate/reconciliation',
      {},
      headers,
    ),
  )
  if (!found) {
    console.log('The vault has not been compared with the ledgers yet. That happens each minute.')
    return 1
  }
  console.log(`Compared at ${isoTime(found.at)}, after block ${found.block}.`)
  for (const token of TOKENS) {
    const books = found.books[token]
    const sum = TERMS.map(([name, title]) => `${wholeUnits(BigInt(books[name]), token)} ${title}`)
      .join(' + ')
      .replaceAll('+ -', '- ')
    console.log(`${token}: ${wholeUnits(BigInt(books.holdings), token)} = ${sum}`)
    if (books.unbooked !== '0') {
      console.log(
        `  Sent to the vault past its books: ${wholeUnits(BigInt(books.unbooked), token)}`,
      )
    }
  }
  for (const drift of found.drifts) console.log(`Drift: ${worded(drift)}`)
  for (const drift of found.ended.slice(0, 10)) console.log(`Ended: ${worded(drift)}`)
  const isLate = Date.now() - found.at > LATE_MS
  if (isLate) {
    console.log(
      'This is out of date: the vault should be compared each minute. See reference/runbooks/ReconciliationLate.md.',
    )
  }
  return isLate || found.drifts.length > 0 ? 1 : 0
}

function worded({ token, place, amountWei, since, until }: Drift): string {
  const times = `from ${isoTime(since)}${until === null ? '' : ` until ${isoTime(until)}`}`
  return `${wholeUnits(BigInt(amountWei), token)} ${token} at ${place}, ${times}`
}

/**
 * Shows the books of some days: as a table, or as CSV in smallest units. Names on stderr the days that are incomplete
 * or wrong. Returns 1 if there are any besides the current one.
 */
export async function showBooks(
  client: Client,
  { from, to = from, csv }: { from?: string; to?: string; csv: boolean },
  headers: Headers,
): Promise<number> {
  if (from === undefined || to === undefined)
    throw misused('--from is missing: the first day, as YYYY-MM-DD.', 'books')
  const path = '/api/operate/books'
  const read = async (range: { from: string; to: string }) =>
    printableIn(await client.get<Books>(path, range, headers))
  const { days, rows } = await read({ from, to })
  // Read after the days, so that it has each of them.
  if (csv) {
    const text = await client.getText(path, { from, to, format: 'csv' }, headers)
    process.stdout.write(text.split('\r\n').map(printable).join('\r\n'))
  } else if (rows.length > 0) printTable(rows)

  const today = dateOf(Date.now())
  const missing = daysOf(from, to < today ? to : dateOf(Date.now() - DAY_MS)).filter(
    (day) => !days.some((counted) => counted.day === day),
  )
  const [first] = days
  if (!first) {
    console.error(`None of these days has been counted. ${WHEN_COUNTED}`)
    return missing.length > 0 ? 1 : 0
  }
  // The days before the first that was ever counted aren't missing: the service had not begun.
  const before = (count: number) => dateOf(Date.parse(from) - count * DAY_MS)
  const hasBegun = async () =>
    (await read({ from: before(MAX_DAYS), to: before(1) })).days.length > 0
  const areAllDue = from === first.day || (await hasBegun())
  const holes = missing.filter((day) => areAllDue || day > first.day)
  if (holes.length > 0) console.error(`Not counted: ${holes.join(', ')}. ${WHEN_COUNTED}`)
  const open = days.filter(({ isClosed }) => !isClosed)
  for (const { day } of open) {
    console.error(
      day < today
        ? `${day} was counted before it had ended: this is its part up to then.`
        : `${day} has not ended: this is its part so far.`,
    )
  }
  const problems = days.flatMap(({ day, problems: found }) => found.map((text) => `${day} ${text}`))
  for (const problem of problems) console.error(`The journal doesn't add up: ${problem}`)
  const isComplete = holes.length === 0 && open.every(({ day }) => day >= today)
  return isComplete && problems.length === 0 ? 0 : 1
}

/** Returns the days of a range, both included; none if it ends before it begins. */
function daysOf(from: string, to: string): string[] {
  const count = Math.max(0, (Date.parse(to) - Date.parse(from)) / DAY_MS + 1)
  return Array.from({ length: count }, (_, at) => dateOf(Date.parse(from) + at * DAY_MS))
}

function printTable(rows: Books['rows']): void {
  const cells = [[...COLUMNS], ...rows.map((row) => COLUMNS.map((column) => cellOf(row, column)))]
  const widths = COLUMNS.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  for (const row of cells) {
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** Returns an amount in whole tokens; of another asset in its smallest unit. */
function cellOf(row: Books['rows'][number], column: (typeof COLUMNS)[number]): string {
  const token = TOKENS.find((one) => one === row.asset)
  const isAmount = COLUMNS.indexOf(column) >= COLUMNS.indexOf('wagered')
  return isAmount && token ? wholeUnits(BigInt(row[column]), token) : row[column]
}
