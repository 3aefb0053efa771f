import type { Config } from '../../src/config/config.ts'
import { listed } from '../../src/core/words.ts'
import { GAME_NAMES } from '../../src/games/games.ts'
import { TOKENS } from '../../src/money/token.ts'
import {
  BOXES,
  CRASH,
  EVERYTHING,
  LOOTBOX,
  partnerSwitch,
  tokenSwitch,
  WITHDRAWALS,
  type Modes,
} from '../../src/operator/modes.ts'

/** Returns the names of everything that can be closed, and of what is not open. */
export function switchNames({ partners }: Pick<Config, 'partners'>, current: Modes): string[] {
  const names = [
    ...[EVERYTHING, CRASH, ...GAME_NAMES, LOOTBOX, BOXES, WITHDRAWALS],
    ...TOKENS.map(tokenSwitch),
    ...[...partners.keys()].map(partnerSwitch),
  ]
  return [...new Set([...names, ...Object.keys(current)])]
}

/**
 * Returns what is wrong with the switches that an order names; null if each is known and named once.
 * @param current the switches that aren't open: even a partner removed from the configuration can be reopened
 */
export function wrongSwitch(
  names: readonly string[],
  { partners }: Pick<Config, 'partners'>,
  current: Modes,
): string | null {
  if (new Set(names).size < names.length) return 'Name each switch once.'
  const known = switchNames({ partners }, {})
  const unknown = names.find((name) => !known.includes(name) && !Object.hasOwn(current, name))
  return unknown === undefined ? null : `There is no switch ${unknown}. Use ${listed(known)}.`
}
