/** Every reason the service can give for not doing what was asked. A code never changes its meaning. */
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

/** What a program needs to mend its call: values by name, or what is wrong where. */
export type RefusalDetails = Record<string, string | number> | { path: string; message: string }[]

/**
 * "No", as a value: what the caller gets instead of a result. Faults are exceptions; a refusal
 * crosses object calls and the wire unchanged.
 */
export interface Refusal {
  ok: false
  error: { code: ErrorCode; message: string; details?: RefusalDetails }
}

/** Builds a refusal. `message` tells a person what to do; `details` is for the program. */
export function refuse(code: ErrorCode, message: string, details?: RefusalDetails): Refusal {
  return {
    ok: false,
    error: details === undefined ? { code, message } : { code, message, details },
  }
}

export function isRefusal(answer: object): answer is Refusal {
  return 'ok' in answer && answer.ok === false
}
