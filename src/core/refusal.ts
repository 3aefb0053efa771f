/** Every reason for refusing a request. A code's meaning never changes. */
export type ErrorCode =
  | 'invalid_request'
  | 'unknown_action'
  | 'auth_required'
  | 'auth_invalid'
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'token_lifetime'
  | 'token_replayed'
  | 'insufficient_chips'
  | 'not_vault_owner'
  | 'permission_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'betting_closed'
  | 'bet_exists'
  | 'no_open_bet'
  | 'not_in_flight'
  | 'already_crashed'
  | 'nonce_mismatch'
  | 'withdrawal_pending'
  | 'idempotency_conflict'
  | 'transaction_rolled_back'
  | 'payment_used'
  | 'spin_used'
  | 'slot_taken'
  | 'box_state'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'amount_out_of_bounds'
  | 'payout_limit'
  | 'payment_mismatch'
  | 'post_unverified'
  | 'signature_invalid'
  | 'rate_limited'
  | 'upstream_failed'
  | 'chain_unavailable'
  | 'not_configured'
  | 'ledger_full'
  | 'closed'
  | 'internal'

/** Data that helps a program correct its call: named values, or a list of problems by path. */
export type RefusalDetails = Record<string, string | number> | { path: string; message: string }[]

/**
 * A refusal, returned to the caller in place of a result. Unlike faults, which are exceptions,
 * refusals cross object calls and the wire unchanged.
 */
export interface Refusal {
  ok: false
  error: { code: ErrorCode; message: string; details?: RefusalDetails }
}

/** Builds a refusal. `message` tells a person what happened and what to do; `details` is for programs. */
export function refuse(code: ErrorCode, message: string, details?: RefusalDetails): Refusal {
  return {
    ok: false,
    error: details === undefined ? { code, message } : { code, message, details },
  }
}

export function isRefusal(answer: object): answer is Refusal {
  return 'ok' in answer && answer.ok === false
}
