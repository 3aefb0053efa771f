import type { ErrorCode } from '../refusal.ts'

/** The HTTP status of every error code. Exhaustive: a new code does not compile without one. */
export const STATUS: Record<ErrorCode, number> = {
  invalid_request: 400,
  unknown_action: 400,
  auth_required: 401,
  auth_invalid: 401,
  insufficient_chips: 402,
  not_found: 404,
  method_not_allowed: 405,
  betting_closed: 409,
  bet_exists: 409,
  no_open_bet: 409,
  not_in_flight: 409,
  already_crashed: 409,
  nonce_mismatch: 409,
  idempotency_conflict: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  amount_out_of_bounds: 422,
  payout_limit: 422,
  rate_limited: 429,
  internal: 500,
  chain_unavailable: 503,
  not_configured: 503,
}
