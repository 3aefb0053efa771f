import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { withTerms } from '../config/set-terms.ts'
import { isWithin } from '../core/age.ts'
import { logFault } from '../log.ts'
import type { SetTerms } from '../operator/modes.ts'
import { keyEntry, termsEntry } from '../receipts/log-entries.ts'
import { termsOfPlay } from '../receipts/terms.ts'
import type { TermsSummary } from '../transparency/terms.ts'
import { answerWithin } from './call.ts'
import { appendToLog } from './public-log.ts'
import { publishedKeys } from './receipt-keys.ts'
import { currentTerms } from './terms.ts'

/** How long an answer waits for the log, and for how long the next ones then don't ask it. */
const WAIT_MS = 1_000
const PAUSE_MS = 10_000

const announced = new WeakSet<Config>()
const triedAt = new WeakMap<Config, number>()

/**
 * Returns the terms that an answer names, and has the public log take them with an isolate's first answer: during a
 * gradual deployment, the objects that log them may run another version. If the log doesn't take them within a second,
 * a later answer tries again.
 * @param config with the terms of play that hold now
 */
export async function namedTerms(env: Env, config: Config): Promise<TermsSummary> {
  const terms = currentTerms(config)
  if (!config.log || announced.has(config)) return terms
  const now = Date.now()
  if (isWithin(PAUSE_MS, triedAt.get(config) ?? -Infinity, now)) return terms
  triedAt.set(config, now)
  try {
    await answerWithin(WAIT_MS, announce(env, config))
  } catch (fault) {
    logFault('terms_not_logged', fault)
  }
  return terms
}

/**
 * Makes sure that the public log has the terms of play and the keys of receipts, which plans and receipts
 * refer to. Once the log has them, an isolate does not ask again. Without a log it does nothing.
 * @param set the terms that operators have set over the configured ones
 * @throws if the log can't be reached
 */
export async function announceTerms(env: Env, set: SetTerms): Promise<void> {
  await announce(env, withTerms(loadConfig(env), set))
}

async function announce(env: Env, config: Config): Promise<void> {
  // Calls don't share a promise, because a cancelled call's promise never settles.
  if (!config.log || announced.has(config)) return
  const at = Date.now()
  const terms = termsEntry(termsOfPlay(config), currentTerms(config).hash, at)
  const keys = (await publishedKeys(config)).map((key) => keyEntry(key, at))
  for (const entry of [terms, ...keys]) await appendToLog(env, entry)
  announced.add(config)
}
