import { z } from 'zod'
import type { CrashRules } from './crash/plan.ts'
import type { EntropyRules } from './entropy/play.ts'
import { parseAmount } from './money/amount.ts'
import { perToken } from './money/token.ts'

/** Everything an operator may set, validated once. */
export interface Config {
  environment: 'local' | 'production'
  /** What players sign in to: never taken from a request. */
  domain: string
  origin: string
  chainId: number
  /** Null where no chain is configured. */
  rpcUrl: string | null
  depositFeeBps: number
  crash: CrashRules
  drandRelays: string[]
  entropy: EntropyRules
}

const amount = z
  .string()
  .refine((text) => parseAmount(text) !== null, 'an amount in smallest units')
const bounds = z.object({ min: amount, max: amount, maxPayout: amount })
const areBounds = ({ min, max, maxPayout }: z.infer<typeof bounds>) =>
  0n < BigInt(min) && BigInt(min) <= BigInt(max) && BigInt(max) <= BigInt(maxPayout)
const NEEDS_BOUNDS = 'needs 0 < min <= max <= maxPayout'
const entropyLimits = bounds.refine(areBounds, NEEDS_BOUNDS)
const crashLimits = bounds
  .extend({ maxRoundPayout: amount })
  .refine(areBounds, NEEDS_BOUNDS)
  .refine(
    ({ max, maxPayout, maxRoundPayout }) =>
      BigInt(max) * 101n <= BigInt(maxPayout) * 100n && BigInt(maxPayout) <= BigInt(maxRoundPayout),
    'needs 1.01 * max <= maxPayout <= maxRoundPayout',
  )
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

const Environment = z
  .object({
    ENVIRONMENT: z.enum(['local', 'production']),
    SITE_DOMAIN: z.string().min(1),
    SITE_ORIGIN: z.url(),
    CHAIN_ID: integer(1, Number.MAX_SAFE_INTEGER),
    CHAIN_RPC_URL: z.union([z.literal(''), z.url()]).optional(),
    DEPOSIT_FEE_BPS: integer(0, 10_000),
    CRASH_BETTING_MS: integer(1_000, 600_000),
    CRASH_RESULTS_MS: integer(500, 600_000),
    CRASH_EDGE_BPS: integer(0, 5_000),
    CRASH_PEPPER: z.enum(['drand-quicknet', 'committed']),
    CRASH_LIMITS: z.object({ ETH: crashLimits, USDG: crashLimits }),
    DRAND_RELAYS: z.array(z.url()),
    ENTROPY_EDGE_BPS: integer(0, 5_000),
    ENTROPY_LIMITS: z.object({ ETH: entropyLimits, USDG: entropyLimits }),
  })
  .refine(
    ({ ENVIRONMENT, CRASH_PEPPER }) => ENVIRONMENT === 'local' || CRASH_PEPPER !== 'committed',
    'production needs a pepper that the house cannot choose: CRASH_PEPPER must be drand-quicknet',
  )
  .refine(
    ({ CRASH_PEPPER, DRAND_RELAYS }) => CRASH_PEPPER === 'committed' || DRAND_RELAYS.length > 0,
    'drand-quicknet needs at least one relay in DRAND_RELAYS',
  )

/** Thrown when the service is set up wrongly. Its message is for the operator's log alone. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const loaded = new WeakMap<object, Config>()

/**
 * The configuration of an environment, validated once for each isolate.
 * @throws ConfigError if it is not one this service may run with
 */
export function loadConfig(env: Env): Config {
  const known = loaded.get(env)
  if (known) return known
  const parsed = Environment.safeParse(env)
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error))
  const vars = parsed.data
  const config: Config = {
    environment: vars.ENVIRONMENT,
    domain: vars.SITE_DOMAIN,
    origin: vars.SITE_ORIGIN,
    chainId: vars.CHAIN_ID,
    rpcUrl: vars.CHAIN_RPC_URL || null,
    depositFeeBps: vars.DEPOSIT_FEE_BPS,
    crash: {
      bettingMs: vars.CRASH_BETTING_MS,
      resultsMs: vars.CRASH_RESULTS_MS,
      edgeBps: vars.CRASH_EDGE_BPS,
      pepper: vars.CRASH_PEPPER,
      limits: perToken((token) => vars.CRASH_LIMITS[token]),
    },
    drandRelays: vars.DRAND_RELAYS,
    entropy: {
      edgeBps: vars.ENTROPY_EDGE_BPS,
      limits: perToken((token) => vars.ENTROPY_LIMITS[token]),
    },
  }
  loaded.set(env, config)
  return config
}
