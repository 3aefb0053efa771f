import { fail, type Failure } from '../api.ts'

/** EIP-712 data, without the type of its domain. */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: string }
  types: Record<string, readonly { name: string; type: string }[]>
  primaryType: string
  message: Record<string, string | number | bigint>
}

export interface TransactionRequest {
  to: string
  data: string
  /** In wei. */
  value: bigint
}

/** The part of EIP-1193 that the page uses. */
export interface Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
}

/** A player's wallet. A refusal is a WalletError. */
export interface Wallet {
  /** In EIP-55 form. */
  readonly address: string
  /** For features that only some wallets have. The development wallet has none. */
  readonly provider?: Provider
  /** EIP-191 `personal_sign`. */
  signMessage(text: string): Promise<string>
  /** EIP-712. */
  signTypedData(typed: TypedData): Promise<string>
  /** @returns the hash of the sent transaction */
  sendTransaction(transaction: TransactionRequest, beforeAsked?: () => void): Promise<string>
}

export type WalletKind = 'injected' | 'development'

/** An error whose message is written for the player. */
export class WalletError extends Error {
  override name = 'WalletError'
}

/** Returns an exception of a wallet or chain as a value. */
export function walletFailure(fault: unknown): Failure {
  if (fault instanceof WalletError) return fail('wallet', fault.message)
  console.error(fault)
  return fail('wallet', 'Something went wrong in your wallet. Try again.')
}
