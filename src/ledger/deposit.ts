import type { Token } from '../money/token.ts'
import type { Account, Posting } from './accounts.ts'

/** A log of the vault that moves chips: a player's deposit, or the house's own funds. */
export interface VaultMovement {
  kind: 'deposited' | 'funded' | 'house-withdrawn'
  /** Its place among the vault's logs of its transaction, from 0. */
  position: number
  token: Token
  amountWei: bigint
}

/** All movements of one transaction that concern one ledger. Crosses object calls. */
export interface VaultTransaction {
  /** The chain and contract they belong to. */
  vaultId: string
  txHash: string
  /** Rises with each change of what follows: a ledger ignores an older word. */
  version: number
  /** Whether the chain has the transaction now. */
  isOnChain: boolean
  movements: VaultMovement[]
}

/** The fee of a deposit: amount · feeBps / 10000, rounded up. Smallest units. */
export function depositFee(amountWei: bigint, feeBps: number): bigint {
  return (amountWei * BigInt(feeBps) + 9_999n) / 10_000n
}

/** Returns the chips that a deposit credits: the amount less its fee. Smallest units. */
export function creditOf(amountWei: bigint, feeBps: number): bigint {
  return amountWei - depositFee(amountWei, feeBps)
}

/** What a movement changes in the books of the wallet it belongs to, or in the house's own. */
export function movementPostings(movement: VaultMovement, feeBps: number): Posting[] {
  const { kind, token, amountWei } = movement
  switch (kind) {
    case 'deposited': {
      return moved(token, [
        ['vault', 'chips', creditOf(amountWei, feeBps)],
        ['vault', 'fees', depositFee(amountWei, feeBps)],
      ])
    }
    case 'funded':
      return moved(token, [['vault', 'house', amountWei]])
    case 'house-withdrawn':
      return moved(token, [['house', 'vault', amountWei]])
  }
}

/**
 * What the house takes over when the vault's owner declares that a credited transaction will not
 * return to the chain: its player keeps the chips, and the vault account says again what is there.
 */
export function writeOffPostings({ kind, token, amountWei }: VaultMovement): Posting[] {
  return kind === 'house-withdrawn'
    ? moved(token, [['vault', 'house', amountWei]])
    : moved(token, [['house', 'vault', amountWei]])
}

/** Reverses {@link writeOffPostings}: the transaction has returned to the chain after all. */
export function writeBackPostings(movement: VaultMovement): Posting[] {
  return writeOffPostings(movement).map(({ from, to, ...posting }) => ({
    ...posting,
    from: to,
    to: from,
  }))
}

function moved(token: Token, moves: [Account, Account, bigint][]): Posting[] {
  return moves
    .filter(([, , amountWei]) => amountWei > 0n)
    .map(([from, to, amountWei]) => ({ token, from, to, amountWei: amountWei.toString() }))
}
