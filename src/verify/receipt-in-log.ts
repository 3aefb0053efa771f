import { canonicalJson, type Json } from '../core/canonical-json.ts'
import type { Check } from '../fairness/check.ts'
import { isPaidByTables } from '../games/games.ts'
import type { SettledPlay } from '../games/play.ts'
import { shownTables } from '../games/shown-tables.ts'
import { parseAmount } from '../money/amount.ts'
import type { PerToken } from '../money/token.ts'
import type { Receipt } from '../receipts/claims.ts'
import type { LogEntry, LoggedEntry } from '../transparency/entry.ts'
import { areNamedByHash, verifyTerms } from './logged-terms.ts'

/** Checks the receipt of a bet or a cash-out against its round's plan in the log. */
export function verifyPlanned(
  receipt: Extract<Receipt, { kind: 'bet' | 'cashout' }>,
  plan: LogEntry,
): Check[] {
  const terms = same('the terms are those of the logged plan', receipt.terms, plan['terms'])
  if (receipt.kind === 'cashout') return [terms]
  const { seedHash, pepperSource } = receipt
  return [
    terms,
    same('the seed hash is that of the logged plan', seedHash, plan['seedHash']),
    same('the source of the pepper is that of the logged plan', pepperSource, plan['pepperSource']),
  ]
}

/** Checks that a round was planned by the terms, which were logged before. */
export function verifyRoundTerms(plan: LoggedEntry, terms: LoggedEntry): Check[] {
  return [isNamedByHash(terms.entry), ...verifyTerms(plan, terms.index < plan.index ? terms : null)]
}

/** Checks a play against the terms: it was paid by their pay tables or their edge, for a stake within their limits. */
export function verifyPlayTerms(
  { game, tables, edgeBps, token, amount }: SettledPlay,
  entry: LogEntry,
): Check[] {
  const { entropy } = termsIn(entry)
  const isPaid = isPaidByTables(game)
    ? same('its pay tables are those of the terms', shownTables(tables), entropy?.['tables'])
    : same('its edge is that of the terms', edgeBps, entropy?.['edgeBps'])
  const { min = '', max = '' } = limitsIn(entropy)[token] ?? {}
  const claim = `its stake of ${amount} is within the limits of the terms, ${min} to ${max}`
  return [isNamedByHash(entry), isPaid, { claim, holds: isWithin(amount, min, max) }]
}

function isWithin(...texts: [amount: string, min: string, max: string]): boolean {
  const [amount, min, max] = texts.map(parseAmount)
  return amount != null && min != null && max != null && min <= amount && amount <= max
}

function limitsIn(entropy: Part): Partial<PerToken<{ min: string; max: string }>> {
  return (entropy?.['limits'] ?? {}) as Partial<PerToken<{ min: string; max: string }>>
}

type Part = Record<string, Json> | undefined

function termsIn({ terms }: LogEntry): { entropy?: Part } {
  return (terms ?? {}) as { entropy?: Part }
}

function isNamedByHash(entry: LogEntry): Check {
  return { claim: `the logged terms have the hash ${entry.id}`, holds: areNamedByHash(entry) }
}

function same(claim: string, own: unknown, logged: unknown): Check {
  const [a, b] = [own, logged].map((value) => canonicalJson(value ?? null))
  return { claim, holds: a === b }
}
