import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { withTerms } from '../config/set-terms.ts'
import { termsAt, type ModesChange } from '../operator/modes.ts'
import { currentModes } from './modes.ts'

/** Returns the configuration with the terms of play that hold now. */
export async function currentConfig(env: Env): Promise<Config> {
  const { changes } = await currentModes(env)
  return configNow(env, changes)
}

/** Like {@link currentConfig}, from the modes that a caller has already read. */
export function configNow(env: Env, changes: readonly ModesChange[]): Config {
  return withTerms(loadConfig(env), termsAt(changes, Date.now()))
}
