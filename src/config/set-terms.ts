import { z } from 'zod'
import { setBounded } from '../core/bounded-map.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { parseJson } from '../core/json.ts'
import { tooTight } from '../crash/stakes.ts'
import type { SetTerms } from '../operator/modes.ts'
import type { Settings } from '../operator/versions.ts'
import type { Config } from './config.ts'
import { crashLimits, entropyLimits, LONGEST_MIN_PLAY_MS, MAX_EDGE_BPS } from './environment.ts'
import { worded } from './wording.ts'

/** A whole number from 0. */
const upTo = (max: number) => {
  const form = `must be a whole number from 0 to ${max}`
  return z
    .number(form)
    .refine((number) => Number.isInteger(number) && number >= 0 && number <= max, form)
}
const edgeBps = upTo(MAX_EDGE_BPS)
const minPlayMs = upTo(LONGEST_MIN_PLAY_MS)

/** The terms of play that operators can set, by name; null for a term that holds as configured again. */
const shape = {
  'crash.edgeBps': edgeBps.nullable(),
  'crash.limits.ETH': crashLimits.nullable(),
  'crash.limits.USDG': crashLimits.nullable(),
  'entropy.edgeBps': edgeBps.nullable(),
  'entropy.limits.ETH': entropyLimits.nullable(),
  'entropy.limits.USDG': entropyLimits.nullable(),
  autoplay: z.boolean().nullable(),
  minPlayMs: minPlayMs.nullable(),
}
const SetTermsInput = z
  .strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `unknown: ${keys.join(', ')}. The terms are ${Object.keys(shape).join(', ')}.`
        : 'Write the terms as an object, such as {"crash.edgeBps": 150}.',
  })
  .partial()

type SetTermsInput = z.infer<typeof SetTermsInput>

/**
 * Parses the target of a `terms` act.
 * @param text JSON, such as `{"crash.edgeBps": 150, "entropy.edgeBps": null}`
 * @returns a text with the reason if it can't be carried out
 */
export function parseSetTerms(
  text: string,
  config: Config,
): NonNullable<Settings['terms']> | string {
  if (parseJson(text) === undefined) return 'Write the terms as JSON, each of them once.'
  const parsed = SetTermsInput.safeParse(JSON.parse(text), { error: worded })
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ')
  }
  const named = Object.entries(parsed.data).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  if (named.length === 0) return 'Name at least one term.'
  // Limits are set per token as a whole, so those set before can't make these tighter.
  const { crash } = apply(config, parsed.data)
  const tight = tooTight(crash.limits, crash.minForcedMultiplier)
  if (tight === null) return Object.fromEntries(named)
  const { token, largestWei } = tight
  return `crash.limits.${token}: with these limits an empty table accepts at most ${largestWei}, which is below min. Raise maxPayout and maxRoundPayout, or lower min.`
}

/** The configurations that were in force last, so that an isolate hashes the terms of each once. */
const KEPT = 4
const applied = new WeakMap<Config, Map<string, Config>>()

/** Returns the configuration with the terms that operators have set, the same object for the same terms. */
export function withTerms(config: Config, set: SetTerms): Config {
  if (Object.keys(set).length === 0) return config
  const known = applied.get(config) ?? new Map<string, Config>()
  applied.set(config, known)
  const key = canonicalJson(set)
  const kept = known.get(key)
  if (kept) return kept
  const made = apply(config, set)
  setBounded(known, key, made, KEPT)
  return made
}

function apply(config: Config, set: SetTermsInput): Config {
  const { crash, entropy } = config
  return {
    ...config,
    crash: {
      ...crash,
      edgeBps: set['crash.edgeBps'] ?? crash.edgeBps,
      limits: {
        ETH: set['crash.limits.ETH'] ?? crash.limits.ETH,
        USDG: set['crash.limits.USDG'] ?? crash.limits.USDG,
      },
    },
    entropy: {
      edgeBps: set['entropy.edgeBps'] ?? entropy.edgeBps,
      limits: {
        ETH: set['entropy.limits.ETH'] ?? entropy.limits.ETH,
        USDG: set['entropy.limits.USDG'] ?? entropy.limits.USDG,
      },
    },
    autoplay: set.autoplay ?? config.autoplay,
    minPlayMs: set.minPlayMs ?? config.minPlayMs,
  }
}
