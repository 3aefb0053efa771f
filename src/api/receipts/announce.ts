import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { retried, transparencyLog } from '../../objects.ts'
import { keyEntry, termsEntry } from '../../receipts/log-entries.ts'
import { termsOfPlay } from '../../receipts/terms.ts'
import { publishedKeys } from './sign.ts'
import { currentTerms } from './terms.ts'

const announced = new WeakMap<Config, Promise<void>>()

/**
 * Makes sure that the public log has the terms of play and the keys of receipts, which plans and receipts
 * refer to. Asks the log once per isolate. Without a log it does nothing.
 * @throws if the log can't be reached
 */
export function announceTerms(env: Env): Promise<void> {
  const config = loadConfig(env)
  const known = announced.get(config)
  if (known) return known
  const announcing = announce(env, config)
  announced.set(config, announcing)
  announcing.catch(() => announced.delete(config))
  return announcing
}

async function announce(env: Env, config: Config): Promise<void> {
  if (!config.log) return
  const at = Date.now()
  const { hash } = currentTerms(config)
  const keys = await publishedKeys(config)
  const entries = [
    termsEntry(termsOfPlay(config), hash, at),
    ...keys.map((key) => keyEntry(key, at)),
  ]
  for (const entry of entries) await retried(async () => transparencyLog(env).append(entry))
}
