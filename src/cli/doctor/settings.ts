import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import type { ChainCheck } from '../../chain/check.ts'
import { CommandError } from '../shared/terminal.ts'

/** What an operator sets by `wrangler secret put`. */
export const SECRETS = [
  'CHAIN_RPC_URL',
  'RELAYER_PRIVATE_KEY',
  'BOX_SIGNER_KEY',
  'BOX_PEPPERS',
  'PARTNER_KEYS',
  'RPC_UPSTREAMS',
] as const

/** These may stand in wrangler.toml too: a node may have a URL without a key. */
const MAY_BE_PUBLIC: readonly string[] = ['CHAIN_RPC_URL', 'RPC_UPSTREAMS']

/** What decides and what informs: see wrangler.toml. */
const DATABASES = ['DB', 'HISTORY'] as const

/** An id that stands in wrangler.toml until there is a database. */
const PLACEHOLDER = /^[0-]*[0-9]$/

/** What a deployment is set to, as far as this machine can know. */
export interface Settings {
  /** Variables and secrets together. */
  vars: Record<string, unknown>
  /** The variables of wrangler.toml alone. */
  written: Record<string, unknown>
  /** The secrets, from a file or the environment. */
  secrets: Record<string, string>
  /** The id of each D1 database by its binding. */
  databaseIds: ReadonlyMap<string, string>
}

/**
 * Reads an environment of a wrangler.toml, and its secrets beside it.
 * @throws CommandError where there is no such configuration or environment
 */
export async function readSettings(path: string, env: string | undefined): Promise<Settings> {
  const { vars: written, databaseIds } = readToml(path, env)
  const inFile = await readSecretsFile(dirname(path), env)
  const secrets = Object.fromEntries(
    SECRETS.flatMap((name) => {
      const value = process.env[name] ?? inFile[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  return { vars: { ...written, ...secrets }, written, secrets, databaseIds }
}

/** Checks what wrangler accepts silently. */
export function settingChecks({ vars, written, secrets, databaseIds }: Settings): ChainCheck[] {
  const shown = SECRETS.filter((name) => Boolean(written[name]) && !MAY_BE_PUBLIC.includes(name))
  const twice = Object.keys(secrets).filter((name) => name in written)
  const isLocal = vars['ENVIRONMENT'] === 'local'
  return [
    {
      claim: 'no key stands in wrangler.toml',
      problem:
        shown.length === 0
          ? null
          : `${shown.join(', ')}: wrangler.toml is read by everybody who reads the source. Take it out, make a new key, and set that by wrangler secret put.`,
    },
    {
      claim: 'no secret is a variable too',
      problem:
        twice.length === 0
          ? null
          : `${twice.join(', ')}: wrangler.toml has a line of the same name, which would replace the secret. Take the line out.`,
    },
    ...DATABASES.map((binding) => ({
      claim: `the database ${binding} has an id`,
      problem:
        isLocal || !PLACEHOLDER.test(databaseIds.get(binding) ?? '0')
          ? null
          : `database_id of ${binding} in d1_databases is not set. Put in the id that wrangler d1 create printed.`,
    })),
    {
      claim: 'each database is one of its own',
      problem:
        new Set(databaseIds.values()).size === databaseIds.size
          ? null
          : `${DATABASES.join(' and ')} have the same database_id: a full history would stop the bankroll. Give each the id of its own.`,
    },
  ]
}

function readToml(config: string, env: string | undefined) {
  try {
    const { vars, d1_databases: databases } = unstable_readConfig({
      config,
      ...(env !== undefined && { env }),
    })
    const ids = (databases as { binding: string; database_id?: string }[]).map(
      ({ binding, database_id: id }) => [binding, id ?? '0'] as const,
    )
    return { vars, databaseIds: new Map(ids) }
  } catch (fault) {
    throw new CommandError(fault instanceof Error ? fault.message : String(fault), { cause: fault })
  }
}

/** As wrangler dev reads them: the environment's file, or else the common one. */
async function readSecretsFile(
  folder: string,
  env: string | undefined,
): Promise<NodeJS.Dict<string>> {
  for (const name of [...(env === undefined ? [] : [`.dev.vars.${env}`]), '.dev.vars']) {
    try {
      return parseEnv(await readFile(join(folder, name), 'utf8'))
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault
    }
  }
  return {}
}
