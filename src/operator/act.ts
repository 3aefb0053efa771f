import { refuse, type Refusal } from '../core/refusal.ts'

/** What the vault's owner can order, each with the form of its target. */
export const ACTS = {
  /** A wallet: withdrawals go on, and deposits that left the chain are the house's loss. */
  unfreeze: /^0x[0-9a-fA-F]{40}$/,
  /** A wallet and a nonce: the vault paid something else with it, and the chips are gone. */
  'confirm-withdrawal': /^0x[0-9a-fA-F]{40}:\d{1,15}$/,
  /** A wallet and a nonce: the withdrawal can never be paid, and the chips come back. */
  'release-withdrawal': /^0x[0-9a-fA-F]{40}:\d{1,15}$/,
  /** What D1 lost is sent again by the objects that own it. */
  reproject: /^(positions|everything)$/,
} as const

export type ActName = keyof typeof ACTS

/** An order that the vault's owner has signed. */
export interface Act {
  act: ActName
  target: string
  /** Why, for the journal. */
  reason: string
  /** Counts the owner's acts on a vault from 0, so that none is carried out twice. */
  nonce: number
  /** Unix seconds. */
  expiresAt: number
}

/** An act as the journal keeps it. */
export interface KeptAct extends Act {
  /** When it was accepted, in unix milliseconds. */
  at: number
  /** What came of it; null while it is being carried out. */
  result: ActResult | null
}

/** What an act came to, for the person who ordered it. */
export interface ActResult {
  isDone: boolean
  message: string
}

/** An act as canonical text: the same nonce with another text is another act. */
export function actText({ act, target, reason, expiresAt }: Act): string {
  return JSON.stringify([act, target, reason, expiresAt])
}

/** Refuses an act whose nonce is not the next one, or that has expired. */
export function checkAct({ nonce, expiresAt }: Act, next: number, now: number): Refusal | null {
  if (nonce !== next) {
    return refuse('nonce_mismatch', `The next act has the nonce ${next}.`, { expected: next })
  }
  if (expiresAt * 1_000 <= now) {
    return refuse('signature_invalid', 'The act has expired. Sign it again with a later expiresAt.')
  }
  return null
}
