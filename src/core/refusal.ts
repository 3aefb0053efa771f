/** Every reason for refusing a request, with its HTTP status. A code's meaning never changes. */
export const STATUS = {
  invalid_request: 400,
  unknown_action: 400,
  auth_required: 401,
  auth_invalid: 401,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  token_lifetime: 401,
  token_replayed: 401,
  insufficient_chips: 402,
  not_vault_owner: 403,
  role_required: 403,
  permission_required: 403,
  excluded: 403,
  limit_reached: 403,
  wallet_frozen: 403,
  not_found: 404,
  method_not_allowed: 405,
  betting_closed: 409,
  bet_exists: 409,
  no_open_bet: 409,
  game_open: 409,
  no_open_game: 409,
  not_in_flight: 409,
  already_crashed: 409,
  nonce_mismatch: 409,
  withdrawal_pending: 409,
  idempotency_conflict: 409,
  transaction_rolled_back: 409,
  payment_used: 409,
  spin_used: 409,
  slot_taken: 409,
  box_state: 409,
  too_early: 409,
  terms_changed: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  amount_out_of_bounds: 422,
  payout_limit: 422,
  payment_mismatch: 422,
  post_unverified: 422,
  signature_invalid: 422,
  rate_limited: 429,
  internal: 500,
  upstream_failed: 502,
  chain_unavailable: 503,
  not_configured: 503,
  ledger_full: 503,
  archive_unavailable: 503,
  closed: 503,
} as const

export type ErrorCode = keyof typeof STATUS

/** Data that helps a program correct its call: named values, or a list of problems by path. */
export type RefusalDetails =
  | Record<string, string | number | null>
  | { path: string; message: string }[]

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
