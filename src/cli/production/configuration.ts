import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { experimental_readRawConfig as readRawConfig } from 'wrangler'
import { z } from 'zod'
import { Environment } from '../../config/environment.ts'
import { messageOf } from '../../core/fault.ts'
import { MAY_BE_PUBLIC, SECRETS } from '../doctor/settings.ts'
import { CommandError } from '../shared/terminal.ts'

/** The operator's settings. They aren't part of the source, so an upgrade never conflicts with it. */
export const OPERATED = 'fairhouse.toml'

/** The configuration that wrangler reads, made from wrangler.toml and {@link OPERATED}. */
const GENERATED = 'wrangler.production.jsonc'

const byBinding = <T extends z.ZodType>(value: T) => z.record(z.string(), value).default({})
const shape = {
  name: z.string().min(1).optional(),
  account_id: z.string().min(1).optional(),
  routes: z.array(z.union([z.string(), z.looseObject({ pattern: z.string() })])).optional(),
  observability: z
    .looseObject({
      logs: z
        .looseObject({
          invocation_logs: z
            .literal(false, "must be false: URLs carry players' sign-in signatures")
            .default(false),
        })
        .prefault({}),
      traces: z.looseObject({ enabled: z.boolean().default(false) }).prefault({}),
    })
    .optional(),
  databases: byBinding(z.guid()),
  buckets: byBinding(z.string().min(1)),
  rate_limits: byBinding(z.int().min(1)),
  vars: byBinding(z.unknown()),
}
const Operated = z.strictObject(shape, {
  error: ({ code, keys }) =>
    code === 'unrecognized_keys'
      ? `unknown: ${keys.join(', ')}. The file takes ${Object.keys(shape).join(', ')}.`
      : undefined,
})
type Operated = z.infer<typeof Operated>

const bindings = <T extends z.ZodRawShape>(fields: T) =>
  z.array(z.looseObject({ binding: z.string(), ...fields }))
const Tracked = z.looseObject({
  env: z.looseObject({
    production: z.looseObject({
      d1_databases: bindings({}),
      r2_buckets: bindings({}),
      ratelimits: z.array(
        z.looseObject({ name: z.string(), simple: z.object({ limit: z.int(), period: z.int() }) }),
      ),
      vars: z.record(z.string(), z.unknown()),
    }),
  }),
})
type Tracked = z.infer<typeof Tracked>

/**
 * Writes the configuration of production: wrangler.toml, with the operator's settings in place.
 * @param folder of both files, and of the one it writes
 * @returns the path of the configuration
 * @throws CommandError if the operator's file is missing or wrong
 */
export async function writeProduction(folder: string): Promise<string> {
  const path = join(folder, OPERATED)
  if (!existsSync(path)) {
    throw new CommandError(
      `There is no ${OPERATED}. Copy reference/${OPERATED} here and fill it in: see reference/deploy.md.`,
    )
  }
  const operated = Operated.safeParse(readToml(path))
  if (!operated.success) {
    throw new CommandError(`${OPERATED} is wrong.\n${z.prettifyError(operated.error)}`)
  }
  const tracked = Tracked.parse(readToml(join(folder, 'wrangler.toml')))
  const problems = problemsOf(operated.data, tracked)
  if (problems.length > 0) throw new CommandError(`${OPERATED} is wrong.\n${problems.join('\n')}`)
  const generated = join(folder, GENERATED)
  const text = JSON.stringify(overlaid(tracked, operated.data), null, 2)
  await writeFile(
    generated,
    `// Generated from wrangler.toml and ${OPERATED}: change those.\n${text}\n`,
  )
  return generated
}

/** Returns the tracked configuration with the operator's settings. Each setting replaces a whole value. */
function overlaid(tracked: Tracked, operated: Operated): Tracked {
  const { databases, buckets, rate_limits: limits, vars, ...fields } = operated
  const { vars: _, ...inherited } = tracked
  const { production } = tracked.env
  return {
    ...inherited,
    env: {
      production: {
        ...production,
        ...fields,
        d1_databases: production.d1_databases.map((database) => ({
          ...database,
          database_id: databases[database.binding] ?? database['database_id'],
        })),
        r2_buckets: production.r2_buckets.map((bucket) => ({
          ...bucket,
          bucket_name: buckets[bucket.binding] ?? bucket['bucket_name'],
        })),
        ratelimits: production.ratelimits.map((limit) => ({
          ...limit,
          simple: { ...limit.simple, limit: limits[limit.name] ?? limit.simple.limit },
        })),
        vars: { ...production.vars, ...vars },
      },
    },
  }
}

/** Returns the problems that a schema can't see: names that stand for nothing, and secrets. */
function problemsOf(operated: Operated, { env: { production } }: Tracked): string[] {
  const known = {
    databases: production.d1_databases.map(({ binding }) => binding),
    buckets: production.r2_buckets.map(({ binding }) => binding),
    rate_limits: production.ratelimits.map(({ name }) => name),
  }
  const strangers = Object.entries(known).flatMap(([table, names]) =>
    Object.keys(operated[table as keyof typeof known])
      .filter((name) => !names.includes(name))
      .map((name) => `${table}.${name} is unknown. [${table}] takes ${names.join(', ')}.`),
  )
  const vars = Object.keys(operated.vars).map(varProblem)
  return [...strangers, ...vars.filter((problem) => problem !== null)]
}

function varProblem(name: string): string | null {
  if (SECRETS.some((secret) => secret === name) && !MAY_BE_PUBLIC.includes(name)) {
    return `vars.${name} is a secret, which must not be in a file of settings. Remove it, generate a new one, put that into .dev.vars.production, and run: npm run production -- secret bulk .dev.vars.production`
  }
  if (name === 'ENVIRONMENT') return 'vars.ENVIRONMENT is always "production" here. Remove it.'
  if (Object.hasOwn(Environment.shape, name)) return null
  return `vars.${name} is unknown. [env.production.vars] in wrangler.toml lists the variables.`
}

/** @throws CommandError if the file isn't TOML */
function readToml(path: string): unknown {
  try {
    return readRawConfig({ config: path }).rawConfig
  } catch (fault) {
    const reason = messageOf(fault)
    throw new CommandError(`${path} is wrong: ${reason}`, { cause: fault })
  }
}
