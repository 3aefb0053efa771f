import { isDay } from '../../exports/manifest.ts'
import { CommandError, readArgs } from '../shared/terminal.ts'

const USAGE = `npm run audit -- URL|folder [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--out folder]

Recomputes the exported history of a service, and tests what no single result can show.
  --from, --to   the first and the last day; by default the whole export
  --out          writes report.txt, report.json and report.html to this folder`

export interface AuditArguments {
  source: string
  from: string | null
  to: string | null
  out: string | null
}

export function readAuditOptions(): AuditArguments {
  const { values, positionals } = readArgs(USAGE, {
    options: { from: { type: 'string' }, to: { type: 'string' }, out: { type: 'string' } },
    allowPositionals: true,
  })
  const [source, ...others] = positionals
  if (source === undefined || others.length > 0) throw new CommandError(USAGE)
  const { from = null, to = null, out = null } = values
  for (const [name, day] of Object.entries({ from, to })) {
    if (day !== null && !isDay(day)) {
      throw new CommandError(`--${name} must be a day like 2026-11-22.`)
    }
  }
  return { source, from, to, out }
}
