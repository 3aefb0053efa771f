import type { z } from 'zod'
import type { LimitsAnswer } from '../../api/protection/answers-schema.ts'
import { exactAmount } from '../amounts.ts'

export type Protection = z.infer<typeof LimitsAnswer>
export type Limit = Protection['limits'][number]

const KINDS: Record<Limit['kind'], string> = {
  loss: 'loss',
  wager: 'betting',
  deposit: 'deposit',
  session: 'time',
}

const WINDOWS: Record<Limit['window'], string> = {
  day: 'Daily',
  week: 'Weekly',
  month: 'Monthly',
}

/** The measure of each kind of limit, for the form. */
export const KIND_OPTIONS: Record<string, Limit['kind']> = {
  'What I lose': 'loss',
  'What I bet': 'wager',
  'What I deposit': 'deposit',
  'How long I play': 'session',
}

export const WINDOW_OPTIONS: Record<string, Limit['window']> = {
  '24 hours': 'day',
  '7 days': 'week',
  '30 days': 'month',
}

/** Names a limit: "Daily loss limit". */
export function nameOf({ kind, window }: Pick<Limit, 'kind' | 'window'>): string {
  return `${WINDOWS[window]} ${KINDS[kind]} limit`
}

/** Formats an amount of a limit's: "5 USDG", "90 minutes". @param amount in smallest units or minutes */
export function amountOf({ token }: Pick<Limit, 'token'>, amount: bigint): string {
  if (token !== null) return `${exactAmount(amount, token)} ${token}`
  return amount === 1n ? '1 minute' : `${amount} minutes`
}

/** Returns the value of a limit or of its pending change; null for its removal. */
export function valueOf(
  limit: Pick<Limit, 'token'>,
  { amountWei, minutes }: Pick<Limit, 'amountWei' | 'minutes'>,
): string | null {
  const value = amountWei ?? minutes
  return value === null ? null : amountOf(limit, BigInt(value))
}
