import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'

/** The box contracts, and what the house needs to open boxes. */
export interface BoxConfig extends ChainConfig {
  contract: Address
  award: Address
  /** Signs what boxes open to. */
  signerKey: Hex
  /** The pepper of each batch by its number: 32 bytes in hex, secret until the batch has ended. */
  peppers: ReadonlyMap<number, string>
  /** What the tiers of each kind are called. */
  labels: readonly (readonly string[])[]
}
