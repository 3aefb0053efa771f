import { canonicalJson } from '../core/canonical-json.ts'
import { sha256Hex } from '../core/sha256.ts'
import type { CrashRules, RoundPlan } from '../crash/plan.ts'
import { withinTable } from '../crash/stakes.ts'
import type { Check } from '../fairness/check.ts'
import { withinBankroll, type Bankroll, type BankrollShares } from '../money/bankroll.ts'
import { readAmounts } from '../money/token.ts'
import type { LogEntry, LoggedEntry } from '../transparency/entry.ts'

/** The terms of play, as far as they bind a round of crash. */
interface Terms {
  crash: Pick<CrashRules, 'edgeBps' | 'limits' | 'pepper'> & {
    /** A multiplier as on the wire. */
    minForcedMultiplier: number
  }
  bankroll: BankrollShares
}

/** Returns whether an entry of terms has their sha256 as its id. */
export function areNamedByHash({ id, terms }: LogEntry): boolean {
  return sha256Hex(canonicalJson(terms ?? null)) === id
}

/**
 * Checks that a round was planned by the terms of play that it names, whose hash stands in receipts, too.
 * @param named the entry of these terms; null if the log does not have it before the plan
 */
export function verifyTerms(plan: LoggedEntry, named: LoggedEntry | null): Check[] {
  const claim = 'its plan has the edge, the limits and the kind of pepper that its terms say'
  if (!named) return [{ claim: 'its terms were logged before its plan', holds: false }]
  const terms = named.entry['terms'] as unknown as Terms
  return [{ claim, holds: isByTerms(plan.entry as unknown as RoundPlan, terms) }]
}

function isByTerms(plan: RoundPlan, { crash, bankroll: shares }: Terms): boolean {
  const { edgeBps, minForcedMultiplier, pepperSource, bankroll } = plan
  const hasShares =
    bankroll === undefined ||
    (bankroll.payoutBps === shares.payoutBps && bankroll.roundBps === shares.roundBps)
  return (
    edgeBps === crash.edgeBps &&
    minForcedMultiplier === Math.round(crash.minForcedMultiplier * 100) &&
    pepperSource.kind === crash.pepper &&
    hasShares &&
    canonicalJson(plan.limits) === canonicalJson(limitsBy(crash, plan))
  )
}

/** Returns the limits that follow from the terms and from the bankroll that the plan shows. */
function limitsBy(
  { limits }: Terms['crash'],
  { bankroll, minForcedMultiplier }: RoundPlan,
): RoundPlan['limits'] {
  const counted: Bankroll | null = bankroll
    ? { ...bankroll, amounts: readAmounts(bankroll.amounts) }
    : null
  return withinTable(withinBankroll(limits, counted), minForcedMultiplier)
}
