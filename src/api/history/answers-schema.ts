import { z } from 'zod'
import { ACTIVITY_KINDS, type Activity } from '../../activity/activity.ts'
import type { ExportedDay } from '../../exports/manifest.ts'
import type { PerToken } from '../../money/token.ts'
import {
  amount,
  bytes32,
  component,
  count,
  describes,
  ok,
  oneOf,
  orNull,
  perToken,
  record,
  records,
  signedAmount,
  text,
  token,
  txHash,
  unixMs,
} from '../http/answers-schema.ts'

const day = {
  day: text('The UTC day, as YYYY-MM-DD.'),
  manifest: text('The path of its manifest, which lists its files.'),
  sha256: bytes32("The sha256 of the manifest's bytes"),
}

export const ExportsAnswer = describes<{ ok: true; days: ExportedDay[] }>()(
  component('Exports', { ok, days: records('The exported days, newest first.', day) }),
)

const entry = {
  seq: count("The number of its entry in the wallet's journal, as in receipts."),
  at: unixMs('When it was recorded'),
  kind: oneOf('What moved the chips.', ACTIVITY_KINDS),
  token,
  amountWei: signedAmount(
    "The stake, or the amount moved; negative for a partner's debit, and for a withdrawal whose chips came back",
  ),
  payout: orNull('The payout of a bet or play; null for anything else.', amount('The payout')),
  roundId: count('The round of a crash bet.').exactOptional(),
  outcome: oneOf(
    'How a crash bet ended. A game of mines that ended without a pick is `voided`, too: it returned its stake, and counts in no total.',
    ['won', 'lost', 'voided'],
  ).exactOptional(),
  multiplier: z
    .number()
    .min(0)
    .describe('Of a crash bet: the payout divided by the stake.')
    .exactOptional(),
  nonce: count('The number of a play or withdrawal.').exactOptional(),
  txHash: txHash("A deposit's transaction").exactOptional(),
  partner: text("The partner's id.").exactOptional(),
  partnerTransactionId: text("The partner's id of its transaction.").exactOptional(),
}

export const ActivityAnswer = describes<{
  ok: true
  entries: Activity[]
  next: number | null
  totals: PerToken<
    Record<'wagered' | 'returned' | 'deposited' | 'withdrawn' | 'debited', string> & {
      bets: number
    }
  >
}>()(
  component('Activity', {
    ok,
    entries: records('A page of what moved the chips, newest first.', entry),
    next: orNull(
      'The `before` of the next page; null on the last page. A page may be empty without being the last.',
      count('The number of an entry.'),
    ),
    totals: perToken(
      record("All of the wallet's activity in a token.", {
        wagered: amount('The stakes of ended bets and plays'),
        returned: amount('Their payouts'),
        deposited: amount('Deposits, before their fee'),
        withdrawn: amount('Confirmed withdrawals'),
        debited: amount("Partners' debits, rolled back or not"),
        bets: count('The number of ended bets and plays.'),
      }),
      'All activity in each token, since the first.',
    ),
  }),
)
