import { isDay } from '../../exports/manifest.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import { CommandError, readArgs } from '../shared/terminal.ts'
import { readLogKey } from '../shared/verifier-key.ts'

const USAGE = `Usage: npm run audit -- URL|folder [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--log URL]
         [--log-key VKEY] [--rpc URL] [--receipts FILE] [--out folder]

Recomputes the exported history of a service, and tests what no single result can show.
  --from, --to   the first and the last day; by default the whole export. A folder without the history's first
                 day needs --from: otherwise all before it is reported as missing
  --log          compares the export with the public log of this site, and fails if it has none; by default the
                 log of the URL, if that has one
  --log-key      the log's key, from a place that the house can't change for you alone; by default the one
                 that the site shows
  --rpc          a node that the house does not run, to compare the payments of openings and their blocks with the
                 chain: the house could have invented a block to choose a roll
  --receipts     your receipts, one a line: what the house has signed must be in its export
  --out          writes report.txt, report.json and report.html to this folder`

interface AuditArguments {
  source: string
  from: string | null
  to: string | null
  out: string | null
  /** The path of a file with receipts; null for none. */
  receipts: string | null
  /** The site whose log the export is compared with; null for none. */
  log: string | null
  /** Whether the audit fails without that log. */
  isLogRequired: boolean
  /** The key of its log; null for the one that it shows. */
  logKey: VerifierKey | null
  /** The URL of a node; null for none. */
  rpc: string | null
}

export function readAuditOptions(): AuditArguments {
  const { values, positionals } = readArgs(USAGE, {
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      out: { type: 'string' },
      log: { type: 'string' },
      'log-key': { type: 'string' },
      rpc: { type: 'string' },
      receipts: { type: 'string' },
    },
    allowPositionals: true,
  })
  const [source, ...others] = positionals
  if (source === undefined || others.length > 0) throw new CommandError(USAGE)
  const log = values.log ?? (isUrl(source) ? source : null)
  if (log !== null && !isUrl(log)) throw new CommandError('--log must be the URL of a site.')
  const { from = null, to = null, out = null, receipts = null, rpc = null } = values
  if (rpc !== null && !isUrl(rpc)) throw new CommandError('--rpc must be the URL of a node.')
  for (const [name, day] of Object.entries({ from, to })) {
    if (day !== null && !isDay(day)) {
      throw new CommandError(`--${name} must be a day like 2026-11-22.`)
    }
  }
  const logKey = readLogKey(values['log-key'])
  if (logKey && log === null) throw new CommandError('--log-key needs --log.')
  const isLogRequired = values.log !== undefined
  return { source, from, to, out, receipts, log, isLogRequired, logKey, rpc }
}

function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}
