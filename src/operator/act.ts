import { refuse, type Refusal } from '../core/refusal.ts'
import type { Mode } from './modes.ts'

/** The acts that the vault's owner can order, each with the form of its target. */
export const ACTS = {
  /**
   * Target: a wallet. Ends the operator's freeze. Without one it ends the freeze for lost deposits, whose loss the
   * house then bears.
   */
  unfreeze: /^0x[0-9a-fA-F]{40}$/,
  /** Target: a wallet and a nonce. The vault paid something else with the nonce, and the chips are gone. */
  'confirm-withdrawal': /^0x[0-9a-fA-F]{40}:\d{1,15}$/,
  /** Target: a wallet and a nonce. The withdrawal can never be paid, and the chips are refunded. */
  'release-withdrawal': /^0x[0-9a-fA-F]{40}:\d{1,15}$/,
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

/** An act signed by the vault's owner. */
export interface Act {
  act: ActName
  target: string
  /** The reason, for the journal. */
  reason: string
  /** The act's number on this vault, from 0, so that no act is carried out twice. */
  nonce: number
  /** Unix seconds. */
  expiresAt: number
}

/** An act as stored in the journal. */
export interface KeptAct extends Act {
  /** When it was accepted, in unix milliseconds. */
  at: number
  /** The result; null while the act is in progress. */
  result: ActResult | null
}

/** An act's result, for the person who ordered it. */
export interface ActResult {
  isDone: boolean
  message: string
}

/** Returns the settings of a `mode` act's target. The last setting of a switch counts. */
export function modeSettings(target: string): Record<string, Mode> {
  return Object.fromEntries(
    target.split(',').map((setting) => setting.split('=') as [string, Mode]),
  )
}

/** Returns an act's canonical text; the same nonce with another text is another act. */
export function actText({ act, target, reason, expiresAt }: Act): string {
  return JSON.stringify([act, target, reason, expiresAt])
}

/** Refuses an act with a nonce other than the next one, or that has expired. */
export function checkAct({ nonce, expiresAt }: Act, next: number, now: number): Refusal | null {
  if (nonce !== next) {
    return refuse('nonce_mismatch', `The nonce does not match. Sign the act with nonce ${next}.`, {
      expected: next,
    })
  }
  if (expiresAt * 1_000 <= now) {
    return refuse('signature_invalid', 'The act has expired. Sign it again with a later expiresAt.')
  }
  return null
}
