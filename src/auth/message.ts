import { DAY_MS } from '../core/utc-day.ts'
import { signInText } from './eip-4361.ts'

/** The site that a wallet signs in to, from configuration. */
export interface Site {
  domain: string
  origin: string
  chainId: number
}

/** Returns when the message of a day expires, in unix milliseconds. @param day since 1970-01-01 */
export function messageExpiresAt(day: number): number {
  return (day + 2) * DAY_MS
}

/**
 * Builds the EIP-4361 message that a wallet signs once a day. It is the same all day, so verifying it
 * needs no server state.
 * @param wallet in EIP-55 form
 * @param day of the message, in days since 1970-01-01
 */
export function signInMessage(site: Site, wallet: string, day: number): string {
  return signInText({
    domain: site.domain,
    wallet,
    statement: 'Lets this site place bets with your chips for up to 48 hours. It cannot withdraw.',
    uri: site.origin,
    chainId: site.chainId,
    nonce: `day${String(day).padStart(8, '0')}`,
    issuedAt: day * DAY_MS,
    expiresAt: messageExpiresAt(day),
  })
}
