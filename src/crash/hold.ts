import { postingsOf, type Posting } from '../ledger/accounts.ts'
import type { Token } from '../money/token.ts'
import type { FinalOutcome } from './bet.ts'

/** Chips held for a bet until its round ends. */
interface Hold {
  token: Token
  amountWei: bigint
}

/** Returns the postings that hold a stake: chips move to `in_play`. */
export function stakePostings({ token, amountWei }: Hold): Posting[] {
  return [{ token, from: 'chips', to: 'in_play', amountWei: amountWei.toString() }]
}

/** Returns the postings that settle a bet: stake to the house and payout from it, or a refund. */
export function settlementPostings({ token, amountWei }: Hold, outcome: FinalOutcome): Posting[] {
  switch (outcome.kind) {
    case 'won':
    case 'lost': {
      const payoutWei = outcome.kind === 'won' ? outcome.payoutWei : 0n
      return postingsOf(token, ['in_play', 'house', amountWei], ['house', 'chips', payoutWei])
    }
    case 'voided':
    case 'never_placed':
      return postingsOf(token, ['in_play', 'chips', amountWei])
  }
}
