import type { Token } from '../money/token.ts'

/** A withdrawal that the relayer is asked to pay. Crosses object calls, so all of it is plain. */
export interface PayoutOrder {
  kind: 'withdrawal'
  /** Chain and vault contract: what the player's signature is for. */
  vaultId: string
  player: string
  token: Token
  amountWei: string
  nonce: number
  signature: string
}

/** What the house has won from players in a token so far: the vault's owner may take no more. */
export interface ResultOrder {
  kind: 'result'
  vaultId: string
  token: Token
  /** Smallest units; below zero where it has lost. */
  resultWei: string
  /** When it was counted, in unix milliseconds. */
  at: number
}

/**
 * What the next transaction of an order does: pay, make sure that nobody ever can, record the house's
 * result, or have the pool pay a prize.
 */
export type OrderStep = 'withdraw' | 'burn' | 'record' | 'prize'

const FIRST_REST_MS = 60_000
const LONGEST_REST_MS = 3_600_000

/** How long a prize, or a player's next withdrawal, waits after so many transactions for nothing. */
export function restMs(wasted: number): number {
  return Math.min(FIRST_REST_MS * 2 ** (wasted - 1), LONGEST_REST_MS)
}

/** What the vault's logs say of a used nonce of a player, as far as a withdrawal's end depends on it. */
export interface UsedNonce {
  kind: 'withdrawn' | 'burned'
  /** Null where nothing was paid, or in a token that the vault does not hold. */
  token: Token | null
  amountWei: bigint | null
}

/**
 * Returns how a withdrawal has ended whose nonce is used up on chain, or null where the vault's logs do not
 * decide it: they do not show the nonce, or show another payment. Then only its owner can.
 */
export function endByLogs(
  { token, amountWei }: Pick<PayoutOrder, 'token' | 'amountWei'>,
  use: UsedNonce | null,
): 'confirmed' | 'failed' | null {
  if (use === null) return null
  if (use.kind === 'burned') return 'failed'
  return use.token === token && use.amountWei === BigInt(amountWei) ? 'confirmed' : null
}

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
  | { kind: 'again'; step: OrderStep }

/**
 * What follows from an ended transaction. A payment that the contract refused leaves the player's
 * signature alive, so its nonce is burned before the chips may come back. A burn that the contract
 * refused says nothing yet: it is tried again, and the contract's nonce is looked at before. A result
 * that was refused is not tried again: the next one says all that it did. A prize that could not be paid
 * is owed until it can be.
 */
export function afterMined(step: OrderStep, { isSuccess }: Pick<Mined, 'isSuccess'>): AfterMined {
  if (step === 'withdraw')
    return isSuccess ? { kind: 'confirmed' } : { kind: 'again', step: 'burn' }
  if (step === 'burn') return isSuccess ? { kind: 'failed' } : { kind: 'again', step: 'burn' }
  if (step === 'prize') return isSuccess ? { kind: 'confirmed' } : { kind: 'again', step: 'prize' }
  return { kind: isSuccess ? 'confirmed' : 'failed' }
}
