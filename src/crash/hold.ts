import type { Posting } from '../ledger/accounts.ts'
import type { Token } from '../money/token.ts'
import type { FinalOutcome } from './bet.ts'

/** Chips held for a bet until its round ends. */
export interface Stake {
  token: Token
  amountWei: bigint
}

/** Returns the postings that hold a stake: chips move to `in_play`. */
export function holdPostings({ token, amountWei }: Stake): Posting[] {
  return [{ token, from: 'chips', to: 'in_play', amountWei: amountWei.toString() }]
}

/** Returns the postings that resolve a hold: stake to the house and payout from it, or a refund. */
export function resolutionPostings(stake: Stake, outcome: FinalOutcome): Posting[] {
  const { token } = stake
  const amountWei = stake.amountWei.toString()
  switch (outcome.kind) {
    case 'won': {
      const paid: Posting = { token, from: 'house', to: 'chips', amountWei: outcome.payoutWei }
      const staked: Posting = { token, from: 'in_play', to: 'house', amountWei }
      return outcome.payoutWei === '0' ? [staked] : [staked, paid]
    }
    case 'lost':
      return [{ token, from: 'in_play', to: 'house', amountWei }]
    case 'voided':
    case 'never_placed':
      return [{ token, from: 'in_play', to: 'chips', amountWei }]
  }
}
