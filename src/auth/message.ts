/** The length of a signing window, in milliseconds. */
export const WINDOW_MS = 86_400_000

/** The site that players sign in to, from configuration. */
export interface Site {
  domain: string
  origin: string
  chainId: number
}

/** Returns the window that contains a time in unix milliseconds. */
export function windowAt(unixMs: number): number {
  return Math.floor(unixMs / WINDOW_MS)
}

/** Returns when a window's message expires, in unix milliseconds. */
export function windowExpiresAt(window: number): number {
  return (window + 2) * WINDOW_MS
}

/**
 * Builds the EIP-4361 message that a wallet signs once a day. It is the same all day, so verifying it
 * needs no server state.
 * @param wallet in EIP-55 form
 */
export function signInMessage(site: Site, wallet: string, window: number): string {
  return [
    `${site.domain} wants you to sign in with your Ethereum account:`,
    wallet,
    '',
    'Lets this site place bets with your chips for up to 48 hours. It cannot withdraw.',
    '',
    `URI: ${site.origin}`,
    'Version: 1',
    `Chain ID: ${site.chainId}`,
    `Nonce: day${String(window).padStart(8, '0')}`,
    `Issued At: ${new Date(window * WINDOW_MS).toISOString()}`,
    `Expiration Time: ${new Date(windowExpiresAt(window)).toISOString()}`,
  ].join('\n')
}
