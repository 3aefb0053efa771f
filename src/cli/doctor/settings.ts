import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import type { ChainCheck } from '../../chain/check.ts'
import { messageOf } from '../../core/fault.ts'
import { utf8 } from '../../core/utf8.ts'
import { jsonIn } from '../shared/json.ts'
import { CommandError } from '../shared/terminal.ts'
import { check, checkWithWarning } from './check.ts'

/** The secrets that an operator sets. */
export const SECRETS = [
  'CHAIN_RPC_URL',
  'RELAYER_PRIVATE_KEY',
  'BOX_SIGNER_KEY',
  'BOX_PEPPERS',
  'PARTNER_KEYS',
  'RECEIPT_KEYS',
  'RPC_UPSTREAMS',
  'LOG_KEY',
  'METRICS_TOKEN',
] as const

/** Secrets that may also be variables, because a node's URL may have no key. */
export const MAY_BE_PUBLIC: readonly string[] = ['CHAIN_RPC_URL', 'RPC_UPSTREAMS']

/** The bindings of the D1 databases; see wrangler.toml. */
const DATABASES = ['DB', 'HISTORY'] as const

/** The names of production and its buckets in wrangler.toml. */
const DEFAULT_NAME = 'fairhouse'
const DEFAULT_BUCKETS: ReadonlySet<string> = new Set(['fairhouse-archive', 'fairhouse-exports'])

/** A placeholder id in wrangler.toml, until the database exists. */
const PLACEHOLDER = /^[0-]*[0-9]$/

/** The platform takes 5 kB a variable or secret: of its text, or of its JSON. */
const MAX_VALUE_BYTES = 5_000

/** A deployment's settings, as far as this machine knows them. */
export interface Settings {
  /** Variables and secrets together. */
  vars: Record<string, unknown>
  /** Only the variables in wrangler.toml. */
  written: Record<string, unknown>
  /** The secrets, from a file or the environment. */
  secrets: Record<string, string>
  /** The id of each D1 database by its binding. */
  databaseIds: ReadonlyMap<string, string>
  /** The Worker's name, and those of its R2 buckets. */
  name: string | undefined
  buckets: readonly string[]
}

/**
 * Reads an environment of a wrangler.toml, and its secrets.
 * @param variables values that replace a secret of the same name in the file, such as the process's environment
 * @throws CommandError if the configuration or environment doesn't exist
 */
export async function readSettings(
  path: string,
  env: string | undefined,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Settings> {
  const { vars: written, ...names } = readToml(path, env)
  const inFile = await readSecretsFile(dirname(path), env)
  const secrets = Object.fromEntries(
    SECRETS.flatMap((name) => {
      const value = variables[name] ?? inFile[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  return { vars: { ...written, ...secrets }, written, secrets, ...names }
}

/** Checks for mistakes that wrangler accepts silently. */
export function settingChecks(settings: Settings): ChainCheck[] {
  const { vars, written, secrets, databaseIds, name: worker, buckets } = settings
  const shown = SECRETS.filter((name) => Boolean(written[name]) && !MAY_BE_PUBLIC.includes(name))
  const twice = Object.keys(secrets).filter((name) => name in written)
  const isLocal = vars['ENVIRONMENT'] === 'local'
  const strangers = strangersIn(vars)
  const large = largeIn(vars)
  return [
    check(
      'wrangler.toml contains no keys',
      shown.length === 0,
      `${shown.join(', ')}: everyone with the source can read wrangler.toml. Remove the key, generate a new one, put that into .dev.vars.production, and run: npm run production -- secret bulk .dev.vars.production`,
    ),
    check(
      'no secret is also a variable',
      twice.length === 0,
      `${twice.join(', ')}: a variable of the same name would replace the secret. Remove it from [vars] in fairhouse.toml.`,
    ),
    check(
      'every key of PARTNER_KEYS is for a partner',
      strangers.length === 0,
      `PARTNER_KEYS has a key for ${strangers.join(', ')}, which PARTNERS does not list, so it grants nothing. Add it to PARTNERS, or remove the key.`,
    ),
    check(
      'no setting is too large for Cloudflare',
      isLocal || large.length === 0,
      `${large.join(', ')}: Cloudflare takes at most 5 kB for each variable and secret. Remove what is no longer needed. In PARTNERS, leave a former partner nothing but its settled.`,
    ),
    ...DATABASES.map((binding) =>
      check(
        `the database ${binding} has an id`,
        isLocal || !PLACEHOLDER.test(databaseIds.get(binding) ?? '0'),
        `its id is not set. Set ${binding} in [databases] of fairhouse.toml to the id that wrangler d1 create printed.`,
      ),
    ),
    check(
      'the databases are different',
      new Set(databaseIds.values()).size === databaseIds.size,
      `${DATABASES.join(' and ')} have the same id, so a full history would stop the bankroll. Set each to its own database.`,
    ),
    checkWithWarning(
      'a site with a name of its own has buckets of its own',
      isLocal || worker === DEFAULT_NAME || !buckets.some((bucket) => DEFAULT_BUCKETS.has(bucket)),
      `The Worker is named ${worker}, but its buckets have the default names. If ${DEFAULT_NAME} runs in the same account, both would write to the same buckets, and their public logs would stop. Then set [buckets] in fairhouse.toml.`,
    ),
  ]
}

/** Returns the ids in PARTNER_KEYS that PARTNERS does not list; none if it isn't JSON, which another check reports. */
function strangersIn({ PARTNERS: partners, PARTNER_KEYS: keys }: Settings['vars']): string[] {
  const known = typeof keys === 'string' ? jsonIn(keys) : null
  return Object.keys(known ?? {}).filter((id) => !Object.hasOwn(partners ?? {}, id))
}

/** Returns the settings that are too large, with their sizes. */
function largeIn(vars: Settings['vars']): string[] {
  return Object.entries(vars)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return { name, bytes: utf8(text).length }
    })
    .filter(({ bytes }) => bytes > MAX_VALUE_BYTES)
    .map(({ name, bytes }) => `${name} has ${bytes} bytes`)
}

function readToml(config: string, env: string | undefined) {
  try {
    const {
      vars,
      name,
      d1_databases: databases,
      r2_buckets: r2,
    } = unstable_readConfig({
      config,
      ...(env !== undefined && { env }),
    })
    const ids = (databases as { binding: string; database_id?: string }[]).map(
      ({ binding, database_id: id }) => [binding, id ?? '0'] as const,
    )
    const buckets = (r2 as { bucket_name?: string }[]).flatMap(
      ({ bucket_name: bucket }) => bucket ?? [],
    )
    return { vars, databaseIds: new Map(ids), name, buckets }
  } catch (fault) {
    throw new CommandError(messageOf(fault), { cause: fault })
  }
}

/** Reads secrets as wrangler dev does: from the environment's file or, without one, the common file. */
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
