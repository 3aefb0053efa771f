import { parseAmount } from '../money/amount.ts'
import type { PerToken, Token } from '../money/token.ts'

/** The service's published statement on an epoch. Amounts as decimal text, in smallest units. */
export interface Statement {
  /** 1, 2, 3, … */
  epoch: number
  /** When the ledgers' positions were read, in unix milliseconds. */
  at: number
  /** In hex, as all hashes here. */
  root: string
  /** Owed to all players. */
  owed: PerToken<string>
  /**
   * Owed to partners: for each, its players' debits less credits, less payments outside the service. A partner's debt
   * to the house reduces nothing, so no partner counts below zero.
   */
  partners: PerToken<string>
  vault: {
    holdings: PerToken<string>
    blockNumber: number
    /** With 0x. */
    blockHash: string
  }
  /** The vault whose holdings are above. */
  contract: CountedVault
  /** The number of wallets in the tree. */
  leaves: number
  /** Holdings divided by all debts, rounded down; "1" where there are none. */
  ratio: PerToken<string>
}

/** The vault whose holdings are set against the debts: its chain, its address and that of its USDG. */
export type CountedVault = {
  chainId: number
  address: string
  usdg: string
}

/** A node beside the way from a leaf to the top. */
export interface Sibling extends PerToken<string> {
  hash: string
}

/** The data that a player needs to find the wallet's chips in the root. */
export interface SolvencyProof {
  /** The leaf's salt, and the wallet's secret that the salts of all epochs follow from. */
  salt: string
  walletSalt: string
  leaf: {
    seq: number
    owed: PerToken<string>
    deposited: PerToken<string>
    withdrawn: PerToken<string>
  }
  index: number
  top: string
  /** From the leaf up. */
  siblings: Sibling[]
}

/** How long a leaf's entry may have been superseded when the positions were read. */
export const LEAF_AGE_MS = 600_000

const RATIO_DECIMALS = 6

/** Returns how much of some debts is held, rounded down. Amounts in smallest units. */
export function ratioOf(heldWei: bigint, owedWei: bigint): string {
  if (owedWei === 0n) return '1'
  const scaled = ((heldWei * 10n ** BigInt(RATIO_DECIMALS)) / owedWei).toString()
  const digits = scaled.padStart(RATIO_DECIMALS + 1, '0')
  return `${digits.slice(0, -RATIO_DECIMALS)}.${digits.slice(-RATIO_DECIMALS)}`
}

/**
 * Returns the debts to players and partners, in smallest units; null if either isn't an amount. Partners' debts to the
 * house cover no other debt, so they count as zero. A negative amount is invalid.
 */
export function debtsOf({ owed, partners }: Statement, token: Token): bigint | null {
  const [players, others] = [parseAmount(owed[token]), parseAmount(partners[token])]
  return players === null || others === null ? null : players + others
}
