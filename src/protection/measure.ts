import { openStakes, type Head } from '../ledger/head.ts'
import { TOKENS, type Token } from '../money/token.ts'
import type { LimitScope } from './limit.ts'

/** The part of a head that measures are read from. */
type Measured = Pick<Head, 'balances' | 'totals' | 'openBets' | 'openGame' | 'guarded'>

/** Returns all stakes and debits so far, open stakes included, in smallest units. */
export function wagered(head: Measured, token: Token): bigint {
  const { wagered: ended, debited } = head.totals[token]
  return ended + openStakes(head, token) + debited
}

/**
 * Returns all stakes and debits so far less payouts and credits, in smallest units. Open stakes count as lost.
 * Negative for a player who has won.
 */
export function lost(head: Measured, token: Token): bigint {
  const { wagered: ended, returned } = head.totals[token]
  return ended - returned + openStakes(head, token) + head.balances[token].partner
}

/** Returns all deposits so far that became chips, before their fee, in smallest units. */
export function deposited({ totals, guarded }: Measured, token: Token): bigint {
  return totals[token].deposited - (guarded?.quarantinedWei[token] ?? 0n)
}

/**
 * Returns the measure that a limit bounds: a window's amount is the difference between its ends. In smallest units, or
 * milliseconds of playing time.
 */
export function measureOf({ kind, token }: LimitScope): (head: Measured) => bigint {
  if (kind === 'session' || token === null) return ({ guarded }) => BigInt(guarded?.playedMs ?? 0)
  const measure = { loss: lost, wager: wagered, deposit: deposited }[kind]
  return (head) => measure(head, token)
}

/** Returns whether something was staked or debited between two heads. */
export function hasStaked(before: Measured, after: Measured): boolean {
  return TOKENS.some((token) => wagered(after, token) > wagered(before, token))
}
