import { isChecksumRight } from '../core/checksum.ts'
import { isWalletSwitch, type Mode } from './modes.ts'

/** The acts that operators can sign, each with its target's form. `roles.ts` says who may sign them. */
export const ACTS = {
  /** Target: a wallet. Ends the operator's freeze. */
  unfreeze: /^0x[0-9a-fA-F]{40}$/,
  /**
   * Target: a wallet whose withdrawals wait for deposits that the chain has dropped, or `house`, if the chain has
   * dropped funds of its own. The house bears the loss.
   */
  'write-off': /^(0x[0-9a-fA-F]{40}|house)$/,
  /**
   * Target: a wallet and a nonce. The vault paid something else with the nonce, and the chips are gone; or it made a
   * payment that the ledger doesn't know or has refunded, and the house bears that payment.
   */
  'confirm-withdrawal': /^0x[0-9a-fA-F]{40}:\d{1,15}$/,
  /** Target: a wallet and a nonce. The withdrawal can never be paid, and the chips are refunded. */
  'release-withdrawal': /^0x[0-9a-fA-F]{40}:\d{1,15}$/,
  /**
   * Target: a closed wallet, and a time to which its ledger goes back first; without one, it has gone back already. The
   * lost state is taken from the objects that know it.
   */
  restore: /^0x[0-9a-fA-F]{40}(@\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)?$/,
  /** Has the objects resend their data to D1, or the books of a day counted again from the journals. */
  reproject: /^(positions|everything|books:\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))$/,
  /** Target: switches and their modes, such as `crash=draining,token:ETH=closed`. */
  mode: /^[\w:-]+=(open|draining|closed)(,[\w:-]+=(open|draining|closed))*$/,
  /** Target: terms of play as JSON, such as `{"crash.edgeBps": 150}`; null for one that holds as configured again. */
  terms: /^\{.{1,2000}\}$/,
  /** Target: a wallet. It can't stake, be debited or withdraw until it is unfrozen. */
  freeze: /^0x[0-9a-fA-F]{40}$/,
} as const

export type ActName = keyof typeof ACTS

/** Returns whether a target has its act's form, and its wallet in mixed case the right EIP-55 checksum. */
export function isTargetOf(act: ActName, target: string): boolean {
  const [wallet] = /^0x[0-9a-fA-F]{40}/.exec(target) ?? []
  return ACTS[act].test(target) && (wallet === undefined || isChecksumRight(wallet))
}

/** An act as operators sign it. Its EIP-712 hash names it: the same act is carried out once. */
export interface Act {
  act: ActName
  target: string
  /** The reason, for the journal. */
  reason: string
  /** Unix seconds. */
  expiresAt: number
}

/** An act's result, for the person who signed it. */
export interface ActResult {
  isDone: boolean
  message: string
}

export function done(message: string): ActResult {
  return { isDone: true, message }
}

export function notDone(message: string): ActResult {
  return { isDone: false, message }
}

/** Returns the settings of a `mode` act's target, in its order. */
export function modeSettings(target: string): [name: string, mode: Mode][] {
  return target.split(',').map((setting) => setting.split('=') as [string, Mode])
}

/** Returns how many acts an act counts as: each wallet that it closes or drains is one. */
export function weightOf({ act, target }: Pick<Act, 'act' | 'target'>): number {
  if (act !== 'mode') return 1
  const stopped = modeSettings(target).filter(
    ([name, mode]) => isWalletSwitch(name) && mode !== 'open',
  )
  return Math.max(1, stopped.length)
}
