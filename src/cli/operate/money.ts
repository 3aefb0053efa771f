import { printable } from '../../core/printable.ts'
import { isoTime } from '../../core/utc-day.ts'
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
  ...(['fees', 'prizes', 'gas'] as const),
] as const

/** Shows the newest comparison of the vault with the ledgers. Returns 1 if there is a drift. */
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
    return 0
  }
  console.log(`Compared at ${isoTime(found.at)}, after block ${found.block}.`)
  for (const token of TOKENS) {
    const books = found.books[token]
    const terms = TERMS.map(([name, title]) => `${wholeUnits(BigInt(books[name]), token)} ${title}`)
    console.log(`${token}: ${wholeUnits(BigInt(books.holdings), token)} = ${terms.join(' + ')}`)
    if (books.unbooked !== '0') {
      console.log(
        `  Sent to the vault past its books: ${wholeUnits(BigInt(books.unbooked), token)}`,
      )
    }
  }
  for (const drift of found.drifts) console.log(`Drift: ${worded(drift)}`)
  for (const drift of found.ended.slice(0, 10)) console.log(`Ended: ${worded(drift)}`)
  return found.drifts.length > 0 ? 1 : 0
}

function worded({ token, place, amountWei, since, until }: Drift): string {
  const times = `from ${isoTime(since)}${until === null ? '' : ` until ${isoTime(until)}`}`
  return `${wholeUnits(BigInt(amountWei), token)} ${token} at ${place}, ${times}`
}

/** Shows the books of some days: as a table, or as CSV in smallest units. Returns 1 if a day has a problem. */
export async function showBooks(
  client: Client,
  { from, to = from, csv }: { from?: string; to?: string; csv: boolean },
  headers: Headers,
): Promise<number> {
  if (from === undefined || to === undefined)
    throw misused('--from is missing: the first day, as YYYY-MM-DD.', 'books')
  const path = '/api/operate/books'
  if (csv) {
    const text = await client.getText(path, { from, to, format: 'csv' }, headers)
    process.stdout.write(text.split('\r\n').map(printable).join('\r\n'))
    return 0
  }
  const { days, rows } = printableIn(await client.get<Books>(path, { from, to }, headers))
  if (days.length === 0) {
    console.log(
      'None of these days has been counted. Each day is counted after 00:15 (UTC) on the next day.',
    )
  }
  const cells = [[...COLUMNS], ...rows.map((row) => COLUMNS.map((column) => cellOf(row, column)))]
  const widths = COLUMNS.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  if (rows.length > 0) {
    for (const row of cells) {
      console.log(
        row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd(),
      )
    }
  }
  for (const { day } of days.filter(({ isClosed }) => !isClosed)) {
    console.log(`${day} has not ended: this is its part so far.`)
  }
  const problems = days.flatMap(({ day, problems: found }) => found.map((text) => `${day} ${text}`))
  for (const problem of problems) console.log(`Not what the journal amounts to: ${problem}`)
  return problems.length > 0 ? 1 : 0
}

/** Returns an amount in whole tokens; of another asset in its smallest unit. */
function cellOf(row: Books['rows'][number], column: (typeof COLUMNS)[number]): string {
  const token = TOKENS.find((one) => one === row.asset)
  const isAmount = COLUMNS.indexOf(column) >= COLUMNS.indexOf('wagered')
  return isAmount && token ? wholeUnits(BigInt(row[column]), token) : row[column]
}
