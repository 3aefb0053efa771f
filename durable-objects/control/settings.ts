import type { Config } from '../../src/config/config.ts'
import { parseSetTerms } from '../../src/config/set-terms.ts'
import { sha256Hex } from '../../src/core/sha256.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { modeSettings, type Act } from '../../src/operator/act.ts'
import {
  EVERYTHING,
  isAdSwitch,
  isWalletSwitch,
  walletSwitch,
  WITHDRAWALS,
  type Modes,
} from '../../src/operator/modes.ts'
import type { Settings } from '../../src/operator/versions.ts'
import { wrongSwitch } from './switches.ts'

/** The number of closed wallets from which operators can't close more. The house still can. */
export const MAX_OF_OPERATORS = 100

/**
 * The most wallets that can be closed at once. Each version lists all modes, and with this many wallets it takes less
 * than a third of the longest entry of the public log. Without a bound, a version too long for the log would block all
 * later ones.
 */
export const MAX_CLOSED_WALLETS = 200

/** The most advertisements that can be closed at once, because each version lists them, too. */
export const MAX_CLOSED_ADS = 50

/**
 * Returns the modes or terms that an act sets, or why it can't be carried out: other acts may have been carried out
 * since it was signed, and a newer release may allow less.
 * @param current the switches that aren't open
 */
export function settingsOf(
  { act, target }: Act,
  config: Config,
  current: Modes,
): Settings | string {
  if (act === 'terms') {
    const terms = parseSetTerms(target, config)
    return typeof terms === 'string' ? terms : { terms }
  }
  const settings = modeSettings(target)
  const wrong = wrongSwitch(
    settings.map(([name]) => name),
    config,
    current,
  )
  if (wrong !== null) return wrong
  const modes = Object.fromEntries(settings)
  const merged = { ...current, ...modes }
  const before = countOf(current, isWalletSwitch)
  const after = countOf(merged, isWalletSwitch)
  if (after > before && after > MAX_OF_OPERATORS) {
    return `At most ${MAX_OF_OPERATORS} wallets can be closed by operators, and ${before} are closed now. Have two treasurers open some of them, or freeze the wallet.`
  }
  const ads = countOf(merged, isAdSwitch)
  if (ads > countOf(current, isAdSwitch) && ads > MAX_CLOSED_ADS) {
    return `At most ${MAX_CLOSED_ADS} advertisements can be closed. Open those that have ended.`
  }
  return { modes }
}

/**
 * Returns the target of the house's act that closes a wallet. Once too many are closed, it closes everything, which
 * stops the wallet's stakes and withdrawals, too.
 * @param wallet in EIP-55 form
 */
export function houseClosure(wallet: string, current: Modes): string {
  const name = walletSwitch(wallet)
  const fits = countOf({ ...current, [name]: 'closed' }, isWalletSwitch) <= MAX_CLOSED_WALLETS
  return fits ? `${name}=closed` : `${EVERYTHING}=closed,${WITHDRAWALS}=closed`
}

/** Returns the hash that names an act of the house's own, which nobody signs. */
export function houseActHash(reason: string): string {
  return `0x${sha256Hex(`${HOUSE}: ${reason}`)}`
}

/** Returns how many switches of a kind are not open. */
function countOf(
  modes: Readonly<Record<string, string>>,
  isOfKind: (name: string) => boolean,
): number {
  return Object.entries(modes).filter(([name, mode]) => isOfKind(name) && mode !== 'open').length
}
