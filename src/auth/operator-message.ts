import { signInText } from './eip-4361.ts'
import type { Site } from './message.ts'

/** How long an operator's sign-in is valid. */
export const OPERATOR_SIGN_IN_MS = 900_000

/** How far the clock of the isolate that issued the message may be ahead. */
const MAX_AHEAD_MS = 5_000

/**
 * Builds the EIP-4361 message that an operator's wallet signs. It follows from its time, so verifying it needs no
 * server state.
 * @param site the one that operators sign in to
 * @param wallet in EIP-55 form
 * @param issuedAt unix milliseconds
 */
export function operatorMessage(site: Site, wallet: string, issuedAt: number): string {
  return signInText({
    domain: site.domain,
    wallet,
    statement: 'Lets you see how this site is run, for 15 minutes. It orders nothing.',
    uri: `${site.origin}/operate`,
    chainId: site.chainId,
    nonce: `operate${issuedAt}`,
    issuedAt,
    expiresAt: issuedAt + OPERATOR_SIGN_IN_MS,
  })
}

/** Returns whether a message of this time is valid now. */
export function isOperatorMessageValid(issuedAt: number, now: number): boolean {
  return issuedAt <= now + MAX_AHEAD_MS && now < issuedAt + OPERATOR_SIGN_IN_MS
}
