import type { Token } from '../money/token.ts'
import type { Account, Posting } from './accounts.ts'

/** Something that came into the vault or left it, as one log of the chain says. */
export interface VaultMovement {
  kind: 'deposited' | 'funded' | 'house-withdrawn'
  txHash: string
  logIndex: number
  block: number
  token: Token
  amountWei: bigint
}

/** The fee of a deposit: amount · feeBps / 10000, rounded up. Smallest units. */
export function depositFee(amountWei: bigint, feeBps: number): bigint {
  return (amountWei * BigInt(feeBps) + 9_999n) / 10_000n
}

/** What a movement changes in the books of the wallet it belongs to, or in the house's own. */
export function movementPostings(movement: VaultMovement, feeBps: number): Posting[] {
  const { kind, token, amountWei } = movement
  switch (kind) {
    case 'deposited': {
      const feeWei = depositFee(amountWei, feeBps)
      return moved(token, [
        ['vault', 'chips', amountWei - feeWei],
        ['vault', 'fees', feeWei],
      ])
    }
    case 'funded':
      return moved(token, [['vault', 'house', amountWei]])
    case 'house-withdrawn':
      return moved(token, [['house', 'vault', amountWei]])
  }
}

function moved(token: Token, moves: [Account, Account, bigint][]): Posting[] {
  return moves
    .filter(([, , amountWei]) => amountWei > 0n)
    .map(([from, to, amountWei]) => ({ token, from, to, amountWei: amountWei.toString() }))
}
