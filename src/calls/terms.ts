import type { Config } from '../config/config.ts'
import { termsOfPlay } from '../receipts/terms.ts'
import { termsSummary, type TermsSummary } from '../transparency/terms.ts'

const known = new WeakMap<Config, TermsSummary>()

/** Returns the deployment's terms of play, as shown to players. Hashed once per isolate. */
export function currentTerms(config: Config): TermsSummary {
  const shown = known.get(config) ?? termsSummary(termsOfPlay(config))
  known.set(config, shown)
  return shown
}
