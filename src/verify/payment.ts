import type { Check } from '../fairness/check.ts'
import { wholeUnits } from '../money/whole-units.ts'
import { isSameAddress, type PaymentFacts } from '../payment/judge.ts'

/** A mined payment, as reported by a node of the reader's choice. */
export interface PaymentOnChain extends Omit<
  PaymentFacts,
  'chainId' | 'isInBlock' | 'mined' | 'head'
> {
  mined: NonNullable<PaymentFacts['mined']>
}

/**
 * Checks an opening's payment against the chain. The house knows the seed, so it could name a block that gives the roll
 * that suits it. The required amount is not in an opening, so the claim names the amount paid and the recipient.
 * @param blockHash as the opening names it @param wallet that the opening is said to be of
 */
export function verifyPayment(
  blockHash: string,
  { from, to, valueWei, input, mined }: PaymentOnChain,
  wallet?: string,
): Check[] {
  return [
    {
      claim: `its block is the one in which the chain has the payment, ${mined.blockHash}`,
      holds: blockHash === mined.blockHash,
    },
    {
      claim: `the payment is a plain transfer that succeeded, of ${wholeUnits(valueWei, 'ETH')} ETH to ${to}`,
      holds: mined.isSuccess && input === '0x',
    },
    ...(wallet === undefined
      ? []
      : [{ claim: `its wallet ${wallet} sent the payment`, holds: isSameAddress(from, wallet) }]),
  ]
}
