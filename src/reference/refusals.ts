import { z } from 'zod'
import {
  amount,
  count,
  describes,
  oneOf,
  orNull,
  text,
  token,
  unixMs,
} from '../api/http/answers-schema.ts'
import type { ErrorCode } from '../core/refusal.ts'
import type { PostReason } from '../lootbox/share.ts'
import type { SpinUsed } from '../lootbox/spin.ts'
import { MODES } from '../operator/modes.ts'
import { ROLES } from '../operator/roles.ts'
import { REASONS, type PaymentReason } from '../payment/judge.ts'
import { LIMIT_WINDOWS } from '../protection/limit.ts'

interface Described {
  /** The code's meaning, for a person. */
  means: string
  details?: z.ZodType
  /** An example of the details. */
  example?: object
}

const reasons = Object.keys(REASONS) as PaymentReason[]

/** The meaning and `details` of every code. The type makes the compiler demand one for each new code. */
export const REFUSALS: Record<ErrorCode, Described> = {
  invalid_request: {
    means: 'The request does not have the documented form.',
    details: z
      .array(
        z.object({
          path: text('The path of the field, with dots.'),
          message: text("The field's requirement."),
        }),
      )
      .exactOptional()
      .meta({ description: 'The problems by field.' }),
    example: [{ path: 'amountWei', message: 'must be a whole number of smallest units' }],
  },
  unknown_action: { means: 'The action is not known.' },
  auth_required: { means: "`wallet` or `authSig` is missing, or the operator isn't signed in." },
  auth_invalid: {
    means:
      "`authSig` is not the wallet's signature of today's or yesterday's message, or an operator's sign-in is not valid or has expired.",
  },
  token_missing: { means: 'The `Authorization` header has no token.' },
  token_invalid: { means: 'The token is not valid, or lacks a claim that this call needs.' },
  token_expired: { means: 'The token has expired. Sign a new one.' },
  token_lifetime: {
    means: "The token's lifetime is too long.",
    details: z.object({ maxSeconds: count('The maximum lifetime of a token, in seconds.') }),
    example: { maxSeconds: 30 },
  },
  token_replayed: { means: 'The token has already been used for another call.' },
  insufficient_chips: {
    means: 'The wallet does not have enough chips.',
    details: z.object({
      available: amount('The available chips'),
      required: amount('The chips that the call needs'),
    }),
    example: { available: '1000000', required: '2500000' },
  },
  not_vault_owner: { means: "The wallet is not the vault's owner." },
  role_required: {
    means: "The wallet isn't an operator's, or the operator's role does not allow this.",
    details: z.object({ role: oneOf('The lowest role that allows it.', ROLES) }),
    example: { role: 'treasurer' },
  },
  permission_required: {
    means: "The player's permission for this partner and token is missing or has expired.",
  },
  excluded: {
    means: 'The player has excluded themselves from play.',
    details: z.object({
      until: orNull(
        'When the exclusion ends; null if its player has to ask for its end.',
        unixMs('When it ends'),
      ),
    }),
    example: { until: 1_767_225_600_000 },
  },
  limit_reached: {
    means: "The stake or debit would pass one of the player's own limits.",
    details: z.object({
      resetsAt: orNull(
        'When the stake fits if nothing else is staked; null if it exceeds the limit itself.',
        unixMs('When the stake fits'),
      ),
      kind: oneOf('What is limited.', ['loss', 'wager', 'session']),
      window: oneOf('The rolling window.', LIMIT_WINDOWS),
      token: orNull('The token; null for playing time.', token),
      left: text('What is left of the limit: smallest units, or whole minutes of playing time.'),
    }),
    example: {
      resetsAt: 1_767_225_600_000,
      kind: 'loss',
      window: 'day',
      token: 'USDG',
      left: '1500000',
    },
  },
  wallet_frozen: { means: 'The operator has frozen the wallet.' },
  not_found: { means: 'Nothing has this path, number or id.' },
  method_not_allowed: {
    means: 'The path does not take this method. The header `Allow` lists its methods.',
  },
  betting_closed: { means: 'Betting for this round has closed, or waits for the public log.' },
  bet_exists: { means: 'The wallet already has a different bet in this round.' },
  no_open_bet: { means: 'The wallet has no bet to cash out.' },
  game_open: {
    means: 'The wallet has an open game of mines, which must end first.',
    details: z.object({ nonce: count("The number of the open game's play.") }),
    example: { nonce: 7 },
  },
  no_open_game: { means: 'The wallet has no open game of mines with this number.' },
  not_in_flight: { means: 'The round has not taken off yet.' },
  already_crashed: { means: 'The cash-out arrived after the crash.' },
  nonce_mismatch: {
    means: 'The nonce is not the next one.',
    details: z.object({ expected: count('The next nonce.') }),
    example: { expected: 7 },
  },
  withdrawal_pending: { means: 'Another withdrawal is in progress.' },
  idempotency_conflict: {
    means: 'The id or nonce has already been used for something else, or its answer was lost.',
    details: z
      .object({
        reason: z.literal('answer_lost').meta({
          description:
            "The player's ledger was restored to an earlier time. Whether the transaction was carried out before is unknown, and the id stays used.",
        }),
      })
      .exactOptional(),
    example: { reason: 'answer_lost' },
  },
  transaction_rolled_back: { means: 'The transaction was rolled back before it arrived.' },
  payment_used: { means: 'The payment has already been used for something else.' },
  spin_used: {
    means: 'No free spin is available now.',
    details: z.object({
      reason: describes<SpinUsed>()(z.enum(['wallet', 'author', 'post', 'day'])).meta({
        description:
          'Whose free spin of the day is used up, or `post` if the post has already been used.',
      }),
    }),
    example: { reason: 'wallet' },
  },
  slot_taken: { means: 'Another payer was first. The payment remains valid for another date.' },
  box_state: {
    means: 'The box or its kind is not in the required state.',
    details: z.object({
      state: z
        .enum(['not_for_sale', 'closed', 'claimed'])
        .meta({ description: 'The current state.' }),
    }),
    example: { state: 'closed' },
  },
  too_early: {
    means: 'The time for this has not come yet.',
    details: z.object({ from: unixMs('When the call can succeed') }),
    example: { from: 1_767_225_600_000 },
  },
  terms_changed: {
    means: 'The current terms of play differ from those that the call names.',
    details: z.object({ terms: text('The hash of the terms that hold now.') }),
    example: { terms: '7e'.repeat(32) },
  },
  body_too_large: { means: 'The body is larger than 64 KiB.' },
  unsupported_media_type: { means: 'The content type is not `application/json`.' },
  amount_out_of_bounds: {
    means: 'The amount is below the minimum or above the maximum.',
    details: z.object({ min: amount('The minimum'), max: amount('The maximum') }),
    example: { min: '10000', max: '500000000' },
  },
  payout_limit: {
    means: 'The possible payout, the credit or the debit exceeds the limit.',
    details: z.object({
      maxPayout: amount('The limit'),
      maxAmountWei: amount('For a bet or play, the largest stake within the limit').exactOptional(),
      maxPicks: count(
        'For a game of mines, the largest number of picks within the limit.',
      ).exactOptional(),
    }),
    example: { maxPayout: '500000000000', maxAmountWei: '500000' },
  },
  payment_mismatch: {
    means: 'The transaction is not the required payment.',
    details: z.object({
      reason: z.enum(reasons as [PaymentReason, ...PaymentReason[]]).meta({
        description: reasons.map((reason) => `${reason}: ${REASONS[reason]}`).join(' '),
      }),
    }),
    example: { reason: 'underpaid' },
  },
  post_unverified: {
    means: 'The post is not eligible.',
    details: z.object({
      reason: describes<PostReason>()(
        z.enum(['unknown_provider', 'not_a_post', 'not_found', 'no_author', 'code_missing']),
      ).meta({ description: 'The problem with the post.' }),
    }),
    example: { reason: 'code_missing' },
  },
  signature_invalid: {
    means:
      "The signature does not match: the player's over a withdrawal or permission, an operator's over an act, or the beacon's of a round.",
  },
  rate_limited: {
    means: 'Too many calls. Wait for the time in `Retry-After`.',
    details: z
      .object({ retryAfterSeconds: count('The period of the limit, in seconds.') })
      .exactOptional()
      .meta({ description: 'Only for a limit of calls in a period.' }),
    example: { retryAfterSeconds: 10 },
  },
  internal: {
    means: 'A fault in the service. Calls with an id, a nonce or a round are safe to repeat.',
  },
  upstream_failed: { means: 'Another site did not answer. Try again.' },
  chain_unavailable: {
    means:
      'The chain, or the vault on it, can’t serve this call now; `message` says why. Unless it says otherwise, send the same call again later.',
  },
  closed: {
    means: 'Closed for now; `message` gives the reason. Send the same call again later.',
    details: z
      .object({
        name: text('The switch that is not open, such as `crash` or `token:ETH`.'),
        mode: oneOf('Its mode.', MODES),
      })
      .exactOptional()
      .meta({ description: 'What the operator has closed.' }),
    example: { name: 'crash', mode: 'draining' },
  },
  not_configured: { means: 'The service or this feature is not configured on this site.' },
  archive_unavailable: {
    means:
      "The call needs older entries of the wallet's journal, and their archive does not answer, or too many calls read from it. Nothing has changed. Send the same call again later.",
  },
  ledger_full: {
    means:
      "The wallet's journal is full, so it takes no more bets, plays or debits. Settlements, deposits and withdrawals still work, and so do credits and rollbacks, until its last gigabyte.",
  },
}
