import { SIGNATURE_TYPE, type VerifierKey } from '../../transparency/note.ts'
import { readArgs, UsageError } from '../shared/terminal.ts'
import { readVerifierKey } from '../shared/verifier-key.ts'

const USAGE = `Usage: npm run monitor -- URL [--once] [--state FILE] [--key VKEY] [--witness VKEY …]

Follows a site's public log. Checks, by this machine's clock, that the log only grows, that its entries have the
published form, and that the table and every ended round match it. Oddities that prove nothing are only reported.
Continues until Ctrl-C. If the house is caught, writes the proof to a file beside FILE, or to the current folder, and
exits with 1.

  --once          stop after what the log has now
  --state FILE    continue from this file, and keep it up to date; without it nothing is remembered
  --key VKEY      the log's key, from a place that the house can't change for you alone; by default the key
                  in FILE or, at the first contact, the one that the site shows
  --witness VKEY  verify the cosignatures of a witness, and say if one is absent; repeat it for several`

export interface MonitorOptions {
  site: URL
  once: boolean
  stateFile: string | null
  key: VerifierKey | null
  witnesses: VerifierKey[]
}

const OPTIONS = {
  once: { type: 'boolean', default: false },
  state: { type: 'string' },
  key: { type: 'string' },
  witness: { type: 'string', multiple: true, default: [] as string[] },
} as const

export function readMonitorOptions(): MonitorOptions {
  const { values, positionals } = readArgs(USAGE, { options: OPTIONS, allowPositionals: true })
  const [url = '', ...others] = positionals
  if (!/^https?:\/\//.test(url) || !URL.canParse(url) || others.length > 0) {
    throw new UsageError('Give one URL, such as http://localhost:8787.', USAGE)
  }
  return {
    site: new URL(new URL(url).origin),
    once: values.once,
    stateFile: values.state ?? null,
    key: values.key === undefined ? null : readVerifierKey('--key', values.key, SIGNATURE_TYPE.log),
    witnesses: values.witness.map((text) =>
      readVerifierKey('--witness', text, SIGNATURE_TYPE.witness),
    ),
  }
}
