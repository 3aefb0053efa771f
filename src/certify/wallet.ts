import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { PERMISSION_TYPES } from '../ledger/permission.ts'

/** What a permission is signed for, as GET /api/wallet/permissions says it. */
export interface PermissionScope {
  domain: { name: string; version: string; chainId: number; verifyingContract: Address }
  tokens: Record<string, Address>
}

/** A permission as it is signed. */
export interface Permit {
  partner: string
  token: string
  maxPerDayWei: string
  /** Unix seconds. */
  expiresAt: number
  nonce: number
}

/** The wallet of a player that nobody has seen before: its key is drawn here and never leaves. */
export class PlayerWallet {
  readonly #account = privateKeyToAccount(generatePrivateKey())
  #authSig: Promise<Hex> | null = null

  /** In lower case. */
  get address(): string {
    return this.#account.address.toLowerCase()
  }

  /** The signature of the day's message. @param message asks the service for it */
  authSig(message: () => Promise<string>): Promise<Hex> {
    this.#authSig ??= message().then((text) => this.#account.signMessage({ message: text }))
    return this.#authSig
  }

  /** @param player who permits; the wallet itself, or somebody whose signature it cannot give */
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
