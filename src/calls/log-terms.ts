import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { withTerms } from '../config/set-terms.ts'
import type { SetTerms } from '../operator/modes.ts'
import { keyEntry, termsEntry } from '../receipts/log-entries.ts'
import { termsOfPlay } from '../receipts/terms.ts'
import { appendToLog } from './public-log.ts'
import { publishedKeys } from './receipt-keys.ts'
import { currentTerms } from './terms.ts'

const announced = new WeakSet<Config>()

/**
 * Makes sure that the public log has the terms of play and the keys of receipts, which plans and receipts
 * refer to. Once the log has them, an isolate does not ask again. Without a log it does nothing.
 * @param set the terms that operators have set over the configured ones
 * @throws if the log can't be reached
 */
export async function announceTerms(env: Env, set: SetTerms): Promise<void> {
  const config = withTerms(loadConfig(env), set)
  // Calls don't share a promise: one that belongs to a cancelled call never settles.
  if (!config.log || announced.has(config)) return
  const at = Date.now()
  const terms = termsEntry(termsOfPlay(config), currentTerms(config).hash, at)
  const keys = (await publishedKeys(config)).map((key) => keyEntry(key, at))
  for (const entry of [terms, ...keys]) await appendToLog(env, entry)
  announced.add(config)
}
