import type { Config } from '../../config/config.ts'
import { termsOfPlay } from '../../receipts/terms.ts'
import { shownTerms, type ShownTerms } from '../../transparency/terms.ts'

const known = new WeakMap<Config, ShownTerms>()

/** Returns the deployment's terms of play, as shown to players. Hashed once per isolate. */
export function currentTerms(config: Config): ShownTerms {
  const shown = known.get(config) ?? shownTerms(termsOfPlay(config))
  known.set(config, shown)
  return shown
}
