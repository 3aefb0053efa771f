import { invariant } from '../core/invariant.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import type { Unit } from '../money/token.ts'

/** The bounds of a stake, in smallest units. */
export interface StakeBounds {
  min: bigint
  max: bigint
}

export function checkBounds(amountWei: bigint, { min, max }: StakeBounds): Refusal | null {
  if (min <= amountWei && amountWei <= max) return null
  const message = 'The amount is out of bounds. Bet an amount between min and max.'
  return refuse('amount_out_of_bounds', message, { min: min.toString(), max: max.toString() })
}

/** Refuses a stake or withdrawal above the player's available chips. */
export function checkAvailable(unit: Unit, amountWei: bigint, available: bigint): Refusal | null {
  if (amountWei <= available) return null
  const details = { available: available.toString(), required: amountWei.toString() }
  return refuse(
    'insufficient_chips',
    `You do not have enough ${unit} chips. Deposit more, or choose a smaller amount.`,
    details,
  )
}

/**
 * Returns the refusal of a request that was checked as if its wallet had no chips.
 * @throws InvariantError if the check has let it pass
 */
export function refusedWithoutChips(refusal: Refusal | null): Refusal {
  invariant(refusal, 'a wallet without chips can do nothing')
  return refusal
}

export const CHAIN_UNREACHABLE = refuse(
  'chain_unavailable',
  'The chain cannot be reached. Try again later.',
)

/** Refuses a request whose signature only the chain can check, while the chain doesn't answer. */
export const SIGNATURE_UNCHECKED = refuse(
  'chain_unavailable',
  'The chain did not answer, so the signature of this wallet could not be checked. Try again.',
)
