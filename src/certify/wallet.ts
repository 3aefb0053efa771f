import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { PERMISSION_TYPES } from '../ledger/permission.ts'

/** The scope of a signed permission, from GET /api/wallet/permissions. */
export interface PermissionScope {
  domain: { name: string; version: string; chainId: number; verifyingContract: Address }
  tokens: Record<string, Address>
}

/** A permission as signed. */
export interface Permit {
  partner: string
  token: string
  maxPerDayWei: string
  /** Unix seconds. */
  expiresAt: number
  nonce: number
}

/** The wallet of a new player. Its key is generated here and never leaves this object. */
export class PlayerWallet {
  readonly #account = privateKeyToAccount(generatePrivateKey())
  #authSig: Promise<Hex> | null = null

  /** In lower case. */
  get address(): string {
    return this.#account.address.toLowerCase()
  }

  /** Signs the day's message, once. @param message reads it from the service */
  authSig(message: () => Promise<string>): Promise<Hex> {
    this.#authSig ??= message().then((text) => this.#account.signMessage({ message: text }))
    return this.#authSig
  }

  /** Signs a permission. @param player the permitting player: this wallet or, for a forgery, another */
  signPermission(
    { domain, tokens }: PermissionScope,
    player: string,
    { partner, token, maxPerDayWei, expiresAt, nonce }: Permit,
  ): Promise<Hex> {
    return this.#account.signTypedData({
      domain,
      types: PERMISSION_TYPES,
      primaryType: 'PartnerPermission',
      message: {
        player: player as Address,
        partner,
        token: tokens[token] as Address,
        maxPerDayWei: BigInt(maxPerDayWei),
        expiresAt: BigInt(expiresAt),
        nonce: BigInt(nonce),
      },
    })
  }
}
