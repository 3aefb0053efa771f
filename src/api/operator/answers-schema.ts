import { z } from 'zod'
import type { Line } from '../../daybook/lines.ts'
import type { CountedDay, Row } from '../../daybook/report.ts'
import { ACTS, type ActName, type KeptAct } from '../../operator/act.ts'
import type { ModesVersion } from '../../operator/modes.ts'
import {
  amount,
  component,
  count,
  describes,
  flag,
  list,
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
import type { shownReconciliation, Texts } from './shown.ts'

export const NextActAnswer = component('NextActAnswer', {
  ok,
  nonce: count("The nonce of the owner's next act."),
})

export const ModesAnswer = component('ModesAnswer', {
  ok,
  version: describes<ModesVersion | null>()(
    z
      .object({
        number: count('The number of the version, from 1.'),
        at: unixMs('When it was set'),
        takesEffectAt: unixMs('When it takes effect'),
        modes: z
          .record(z.string(), z.enum(['draining', 'closed']))
          .describe('What is not open, by the name of its switch.'),
        terms: z
          .record(z.string(), z.union([z.number(), z.boolean(), z.record(z.string(), z.string())]))
          .describe(
            'The terms of play that operators have set, by name. The others hold as configured.',
          ),
        prevHash: text('The hash of the version before it; 64 zeros for the first.'),
        hash: text(
          'The sha256 of the canonical JSON of the other fields. So it commits to all versions before it.',
        ),
      })
      .nullable(),
  ).describe('The newest version; null if nothing has ever been set.'),
})

export const ActAnswer = component('ActAnswer', {
  ok,
  act: describes<KeptAct>()(
    z.object({
      act: oneOf('The kind of act.', Object.keys(ACTS) as ActName[]),
      target: text('The target of the act.'),
      reason: text('The reason.'),
      nonce: count("The act's nonce."),
      expiresAt: count('When the act expires, in unix seconds.'),
      at: unixMs('When the act was accepted'),
      result: z
        .object({
          isDone: flag('Whether the act was carried out.'),
          message: text('The result, for the operator.'),
        })
        .nullable()
        .describe('The result; null while the act is in progress.'),
    }),
  ).describe('The act as stored in the journal.'),
})

const BOOKS = {
  holdings: amount("What the vault's own books have, or its actual balance if that is less"),
  unbooked: amount('Tokens in the vault beyond that, which somebody sent to it past its books'),
  owed: amount('Owed to players'),
  partners: signedAmount(
    'Owed to partners after what was settled outside the service; negative if they owe the house',
  ),
  house: signedAmount("The house's results, fees and funds"),
  faucet: signedAmount('Chips of the faucet, in local play: negative'),
  inFlight: signedAmount('Deposits less payouts that are on the chain and not yet in a position'),
  drift: signedAmount('What nothing explains; negative if the vault has less than the ledgers say'),
  driftingSince: orNull('Null without a drift.', unixMs('Since when there has been a drift')),
}

const DRIFT = {
  token,
  place: text(
    'Where it is: `vault` (the chain itself), `ledgers` (their own accounts), a wallet, `house`, or `others` (all other wallets together).',
  ),
  amountWei: signedAmount('The drift; negative if the vault has less'),
  since: unixMs('When it was first found with this amount'),
  until: orNull('Null while it has it.', unixMs('When it ended or changed')),
}

type Shown = ReturnType<typeof shownReconciliation>

export const ReconciliationAnswer = describes<{ ok: true; reconciliation: Shown | null }>()(
  component('Reconciliation', {
    ok,
    reconciliation: orNull(
      'The newest comparison; null before the first.',
      record('The vault against the ledgers.', {
        at: unixMs('When they were compared'),
        block: count('The block after which the vault was read.'),
        blockHash: txHash('Its hash'),
        books: perToken(
          record(
            'Holdings = owed + partners + house + faucet + in flight + drift, as decimal text in smallest units.',
            BOOKS,
          ),
          'By token.',
        ),
        drifts: records('The present drifts.', DRIFT),
        ended: records('Those that have ended, newest first.', DRIFT),
      }),
    ),
  }),
)

const ROW = {
  day: text('The UTC day, as YYYY-MM-DD.'),
  asset: text('`ETH` (the chain’s native coin), `USDG`, or the asset of a prize.'),
  kind: oneOf('What the row is about.', ['game', 'partner', 'house']),
  name: text('The game or partner; `house` for the house itself.'),
  wagered: amount("A game's stakes, or a partner's debits and rolled-back credits"),
  returned: amount("A game's payouts, or a partner's credits and rolled-back debits"),
  ggr: signedAmount("Wagered less returned. A partner's is what the house owes it more"),
  fees: signedAmount('Deposit fees'),
  prizes: amount('Prizes that were won'),
  gas: amount("The relayer's gas"),
}

export const BooksAnswer = describes<{
  ok: true
  days: CountedDay[]
  rows: Texts<Row>[]
  lines: (Texts<Line> & { day: string })[]
}>()(
  component('Books', {
    ok,
    days: records('The days that were counted, in order.', {
      day: ROW.day,
      countedAt: unixMs('When it was counted'),
      isClosed: flag('Whether the day had ended, so that it has all of it.'),
      wallets: count('The wallets that moved anything.'),
      entries: count('The entries of their journals.'),
      problems: list(
        'Wallets whose journals do not amount to their lines.',
        text('The wallet, and what differs.'),
      ),
    }),
    rows: records('The report: each game, partner and the house, by day and asset.', ROW),
    lines: records(
      'The lines that the report follows from: what one account is debited, another is credited.',
      {
        day: ROW.day,
        asset: ROW.asset,
        debit: text('The account that is debited.'),
        credit: text('The account that is credited.'),
        amountWei: amount('The amount'),
      },
    ),
  }),
)
