import { execFile } from 'node:child_process'
import type { Access } from '../../certify/certify.ts'
import { MANIFEST, type LocalPartners } from '../shared/manifest.ts'
import { CommandError, UsageError } from '../shared/terminal.ts'

type Values = Partial<Record<string, string | boolean>>

/**
 * Returns the service and credentials: the given ones, or those of `npm run dev`.
 * @param local null if that does not run
 * @throws CommandError if some are missing, with the usage if others are given
 */
export function accessOf(
  values: Values,
  local: LocalPartners | null,
  usage: string,
): { url: URL; access: Access } {
  const { url, partner, restart } = values
  const secret = secretOf(values, 'secret')
  const restartBy = typeof restart === 'string' ? () => run(restart) : null
  if (url === undefined && partner === undefined && secret === null) {
    if (!local) {
      throw new CommandError(
        `npm run dev is not running here (there is no ${MANIFEST}). Start it, or set --url, --partner and CERTIFY_SECRET.`,
      )
    }
    const { baseUrl, ...access } = local
    return { url: new URL(baseUrl), access: { ...access, restart: restartBy } }
  }
  if (typeof url !== 'string' || typeof partner !== 'string' || secret === null) {
    throw new UsageError(
      "--url, --partner and the partner's key (CERTIFY_SECRET or --secret) must be set together.",
      usage,
    )
  }
  if (!URL.canParse(url))
    throw new CommandError(`--url ${url} is not a URL. Set it to one like http://localhost:8787.`)
  const otherPartner = values['other-partner']
  const otherSecret = secretOf(values, 'other-secret')
  const hasOther = typeof otherPartner === 'string' && otherSecret !== null
  const access = {
    partner: { id: partner, secret },
    other: hasOther ? { id: otherPartner, secret: otherSecret } : null,
    nextSecret: secretOf(values, 'next-secret'),
    restart: restartBy,
  }
  return { url: new URL(url), access }
}

/** Reads a secret from an option or the environment. */
function secretOf(values: Values, name: string): string | null {
  const given =
    values[name] ?? process.env[`CERTIFY_${name.toUpperCase().replaceAll('-', '_')}`] ?? null
  return typeof given === 'string' ? given : null
}

const RESTART_WITHIN_MS = 120_000

function run(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { shell: true, timeout: RESTART_WITHIN_MS }
    execFile(command, [], options, (fault) => (fault ? reject(fault) : resolve()))
  })
}
