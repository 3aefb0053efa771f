import { z } from 'zod'
import { amount, count, describes, text } from '../api/http/answers-schema.ts'
import type { PostReason } from '../lootbox/share.ts'
import type { SpinUsed } from '../lootbox/spin.ts'
import { REASONS, type PaymentReason } from '../payment/judge.ts'
import type { ErrorCode } from '../core/refusal.ts'

interface Described {
  /** For a person. */
  means: string
  details?: z.ZodType
  /** Of the details. */
  example?: object
}

const reasons = Object.keys(REASONS) as PaymentReason[]

/** What every code means and what `details` come with it. Exhaustive: a new code does not compile without. */
export const REFUSALS: Record<ErrorCode, Described> = {
  invalid_request: {
    means: 'The request is not of the documented form.',
    details: z
      .array(
        z.object({
          path: text('Where, with dots.'),
          message: text('What it must be.'),
        }),
      )
      .exactOptional()
      .meta({ description: 'What is wrong where.' }),
    example: [{ path: 'amountWei', message: 'must be a whole number of smallest units' }],
  },
  unknown_action: { means: 'There is no such action here.' },
  auth_required: { means: '`wallet` or `authSig` is missing.' },
  auth_invalid: {
    means: "`authSig` is not the wallet's signature of a message of today or yesterday.",
  },
  token_missing: { means: 'There is no token in the `Authorization` header.' },
  token_invalid: { means: 'The token does not verify, or lacks what this call needs.' },
  token_expired: { means: 'The token is over: sign a new one.' },
  token_lifetime: {
    means: 'The token lives for too long.',
    details: z.object({ maxSeconds: count('The longest that a token may live, in seconds.') }),
    example: { maxSeconds: 30 },
  },
  token_replayed: { means: 'The token was used for another call.' },
  insufficient_chips: {
    means: 'There are not that many chips.',
    details: z.object({
      available: amount('The free chips'),
      required: amount('What the call takes'),
    }),
    example: { available: '1000000', required: '2500000' },
  },
  not_vault_owner: { means: "The wallet is not the vault contract's owner." },
  permission_required: {
    means: 'The player has not permitted this partner to debit the token, or it has expired.',
  },
  not_found: { means: 'There is nothing by this path, number or id.' },
  method_not_allowed: { means: 'The path takes other methods: see the header `Allow`.' },
  betting_closed: { means: 'The round takes no bets now.' },
  bet_exists: { means: 'The wallet has another bet in this round.' },
  no_open_bet: { means: 'The wallet has no bet to cash out.' },
  not_in_flight: { means: 'The round has not taken off yet.' },
  already_crashed: { means: 'The cash-out came after the crash.' },
  nonce_mismatch: {
    means: 'The nonce is not the next one.',
    details: z.object({ expected: count('The next nonce.') }),
    example: { expected: 7 },
  },
  withdrawal_pending: { means: 'Another withdrawal is under way.' },
  idempotency_conflict: { means: 'The id or nonce was used for something else.' },
  transaction_rolled_back: { means: 'The transaction was rolled back before it came.' },
  payment_used: { means: 'The payment was spent on something else.' },
  spin_used: {
    means: 'There is no free spin now.',
    details: z.object({
      reason: describes<SpinUsed>()(z.enum(['wallet', 'author', 'post', 'day'])).meta({
        description: 'Whose free spin of the day is used, or that the post is.',
      }),
    }),
    example: { reason: 'wallet' },
  },
  slot_taken: { means: 'Somebody else was first; the payment stays good for another date.' },
  box_state: {
    means: 'The box, or its kind, is not in the state that the call needs.',
    details: z.object({
      state: z
        .enum(['not_for_sale', 'closed', 'claimed'])
        .meta({ description: 'The state that it is in.' }),
    }),
    example: { state: 'closed' },
  },
  body_too_large: { means: 'The body has more than 64 KiB.' },
  unsupported_media_type: { means: 'The body is not sent as `application/json`.' },
  amount_out_of_bounds: {
    means: 'The amount is below the minimum or above the maximum.',
    details: z.object({ min: amount('The least'), max: amount('The most') }),
    example: { min: '10000', max: '500000000' },
  },
  payout_limit: {
    means: 'More could be won, or would be credited or debited, than the limit.',
    details: z.object({
      maxPayout: amount('The limit'),
      maxAmountWei: amount(
        'The largest stake that stays within it, where it is a bet or a play',
      ).exactOptional(),
    }),
    example: { maxPayout: '500000000000', maxAmountWei: '500000' },
  },
  payment_mismatch: {
    means: 'The transaction is not the payment that is asked for.',
    details: z.object({
      reason: z.enum(reasons as [PaymentReason, ...PaymentReason[]]).meta({
        description: reasons.map((reason) => `${reason}: ${REASONS[reason]}`).join(' '),
      }),
    }),
    example: { reason: 'underpaid' },
  },
  post_unverified: {
    means: 'The post does not count.',
    details: z.object({
      reason: describes<PostReason>()(
        z.enum(['unknown_provider', 'not_a_post', 'not_found', 'no_author', 'code_missing']),
      ).meta({ description: 'What is wrong with it.' }),
    }),
    example: { reason: 'code_missing' },
  },
  signature_invalid: {
    means:
      "The signature is not the player's over this withdrawal or permission, the owner's over this act, or the beacon's of this round.",
  },
  rate_limited: { means: 'Too many calls: wait as long as `Retry-After` says.' },
  internal: { means: 'A fault of ours. Everything that has an id or a nonce is safe to repeat.' },
  upstream_failed: { means: 'Another site that was asked did not answer: try again.' },
  chain_unavailable: { means: 'The chain cannot be asked now: send the same call again later.' },
  closed: { means: 'Closed for now; the message says why. Send the same call again later.' },
  not_configured: { means: 'The service, or this part of it, is not set up here.' },
  ledger_full: {
    means:
      "The wallet's journal is full: it takes no more bets, plays and debits. Settlements, credits, rollbacks and withdrawals still work.",
  },
}
