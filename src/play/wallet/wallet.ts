import { fail, type Failure } from '../api.ts'

/** EIP-712 data, without the type of its domain. */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: string }
  types: Record<string, readonly { name: string; type: string }[]>
  primaryType: string
  message: Record<string, string | number | bigint>
}

export interface Transaction {
  to: string
  data: string
  /** In wei. */
  value: bigint
}

/** A player's wallet. What it refuses is a WalletError. */
export interface Wallet {
  /** In EIP-55 form. */
  readonly address: string
  /** EIP-191 `personal_sign`. */
  signMessage(text: string): Promise<string>
  /** EIP-712. */
  signTypedData(typed: TypedData): Promise<string>
  /** @returns the hash of a transaction that is on its way */
  sendTransaction(transaction: Transaction): Promise<string>
}

export type WalletKind = 'injected' | 'development'

/** Its message is for the player. */
export class WalletError extends Error {
  override name = 'WalletError'
}

/** What a wallet's or chain's exception is, as a value. */
export function walletFailure(fault: unknown): Failure {
  if (fault instanceof WalletError) return fail('wallet', fault.message)
  console.error(fault)
  return fail('wallet', 'The wallet could not do this. Try again.')
}
