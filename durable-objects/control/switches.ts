import { getAddress, isAddress } from 'viem'
import type { Config } from '../../src/config/config.ts'
import { GAME_NAMES } from '../../src/games/games.ts'
import { TOKENS } from '../../src/money/token.ts'
import {
  adSwitch,
  BOXES,
  CRASH,
  EVERYTHING,
  LOOTBOX,
  partnerSwitch,
  tokenSwitch,
  walletSwitch,
  WITHDRAWALS,
  type Modes,
} from '../../src/operator/modes.ts'

/** Returns the names of all configured switches, and of any others that aren't open. */
export function switchNames({ partners }: Pick<Config, 'partners'>, current: Modes): string[] {
  const names = [
    EVERYTHING,
    CRASH,
    ...GAME_NAMES,
    LOOTBOX,
    BOXES,
    WITHDRAWALS,
    ...TOKENS.map(tokenSwitch),
    ...[...partners.keys()].map(partnerSwitch),
  ]
  return [...new Set([...names, ...Object.keys(current)])]
}

/**
 * Returns the problem with the switches that an act names; null if each is known and named once.
 * @param current the switches that aren't open: even a partner removed from the configuration can be reopened
 */
export function wrongSwitch(
  names: readonly string[],
  { partners }: Pick<Config, 'partners'>,
  current: Modes,
): string | null {
  if (new Set(names).size < names.length) return 'Name each switch once.'
  const known = switchNames({ partners }, {})
  const isKnown = (name: string) =>
    known.includes(name) || Object.hasOwn(current, name) || isOfWallet(name) || isOfAd(name)
  const unknown = names.find((name) => !isKnown(name))
  return unknown === undefined
    ? null
    : `There is no switch ${unknown}. Use ${known.join(', ')}, wallet: and a wallet in EIP-55 form, or ad: and the id of a rental.`
}

function isOfWallet(name: string): boolean {
  const wallet = name.slice(name.indexOf(':') + 1)
  return name === walletSwitch(wallet) && isAddress(wallet) && getAddress(wallet) === wallet
}

function isOfAd(name: string): boolean {
  const id = name.slice(name.indexOf(':') + 1)
  return name === adSwitch(id) && /^0x[0-9a-f]{64}$/.test(id)
}
