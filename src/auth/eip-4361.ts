/** The message that a site asks a wallet to sign. Times in unix milliseconds. */
export interface SignIn {
  /** The host that asks, with its port if it isn't the scheme's own. */
  domain: string
  /** In EIP-55 form. */
  wallet: string
  /** One line that states the purpose of the signature. */
  statement: string
  uri: string
  chainId: number
  /** At least eight letters and digits. */
  nonce: string
  issuedAt: number
  expiresAt: number
}

/** Builds the text that a wallet signs to sign in (EIP-4361). */
export function signInText(signIn: SignIn): string {
  const { domain, wallet, statement, uri, chainId, nonce, issuedAt, expiresAt } = signIn
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    wallet,
    '',
    statement,
    '',
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(expiresAt).toISOString()}`,
  ].join('\n')
}
