import type { Token } from '../money/token.ts'

/** A withdrawal that the relayer is asked to pay. Crosses object calls, so all of it is plain. */
export interface PayoutOrder {
  /** Chain and vault contract: what the player's signature is for. */
  vaultId: string
  player: string
  token: Token
  amountWei: string
  nonce: number
  signature: string
}

/** What the next transaction of a payout does: pay, or make sure that nobody ever can. */
export type PayoutStep = 'withdraw' | 'burn'

/** How a transaction ended on chain, as far as it is confirmed. */
export interface Mined {
  hash: string
  isSuccess: boolean
}

/** Where a payout goes after one of its transactions has ended for good. */
export type AfterMined =
  | { kind: 'confirmed' }
  | { kind: 'failed' }
  /** Another transaction is needed. */
  | { kind: 'again'; step: PayoutStep }

/**
 * What follows from an ended transaction. A payment that the contract refused leaves the player's
 * signature alive, so its nonce is burned before the chips may come back. A burn that the contract
 * refused says nothing yet: it is tried again, and the contract's nonce is looked at before.
 */
export function afterMined(step: PayoutStep, { isSuccess }: Pick<Mined, 'isSuccess'>): AfterMined {
  if (step === 'withdraw')
    return isSuccess ? { kind: 'confirmed' } : { kind: 'again', step: 'burn' }
  return isSuccess ? { kind: 'failed' } : { kind: 'again', step: 'burn' }
}
