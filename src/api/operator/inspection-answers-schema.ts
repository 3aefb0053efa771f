import { z } from 'zod'
import { ACCOUNTS } from '../../ledger/accounts.ts'
import { TOTALS } from '../../ledger/totals.ts'
import { ACTS, type ActName } from '../../operator/act.ts'
import {
  address,
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
import { LimitsAnswer } from '../protection/answers-schema.ts'
import type {
  ComparedRound,
  InspectedPlayer,
  ShownPartners,
  ShownRounds,
  StuckMoney,
  VerifiedPlayer,
} from './answers.ts'

export const StuckAnswer = describes<{ ok: true; stuck: StuckMoney[] }>()(
  component('StuckMoney', {
    ok,
    stuck: records('Money that does not move, the oldest first.', {
      kind: oneOf(
        'What it is: a withdrawal or prize that is not known to be paid, a deposit that the chain has dropped, a wallet that an operator has frozen, one that is closed, or messages that an object can’t deliver.',
        ['withdrawal', 'prize', 'deposit', 'freeze', 'closed', 'messages'],
      ),
      name: text('Its name: a wallet and a nonce, the id of a prize, a wallet, or an object.'),
      wallet: orNull('Null if it concerns no wallet.', address('The wallet that it concerns')),
      asset: orNull('Null without an amount.', text('`ETH`, `USDG`, or the asset of a prize.')),
      amountWei: orNull('Null if it has none.', amount('The amount')),
      since: unixMs('Since when'),
      isStuck: flag('Whether it has taken longer than usual, or needs an operator.'),
      cause: text('Why it does not move.'),
      remedy: text('What to do.'),
      acts: records('The acts that end it.', {
        act: oneOf('The kind of act.', Object.keys(ACTS) as ActName[]),
        target: text('Its target.'),
      }),
    }),
  }),
)

const amounts = <Name extends string>(names: readonly Name[], description: string) =>
  perToken(
    record(
      description,
      Object.fromEntries(
        names.map((name) => [name, signedAmount(`What \`${name}\` has come to`)]),
      ) as Record<Name, ReturnType<typeof signedAmount>>,
    ),
    'By token.',
  )

export const PlayerAnswer = describes<InspectedPlayer>()(
  component('InspectedPlayer', {
    ok,
    wallet: address('The wallet'),
    entries: count('The number of entries in its journal.'),
    balances: amounts(ACCOUNTS, 'The balances of its accounts.'),
    totals: amounts(TOTALS, 'Cumulative amounts; `bets` is a number.'),
    openBets: count('Bets whose rounds have not reported how they ended.'),
    withdrawals: records('Its newest withdrawals, at most ten, the newest first.', {
      nonce: count('The nonce.'),
      token,
      amountWei: amount('The amount'),
      status: oneOf('The status.', ['pending', 'submitted', 'confirmed', 'failed']),
      txHash: orNull('Null until it is sent.', txHash('The transaction that pays')),
    }),
    isFrozen: flag('Whether an operator has frozen it.'),
    missingDeposits: count(
      'Credited transactions that the chain has dropped. Withdrawals wait for them.',
    ),
    journal: records('A page of its journal, the newest first, without requests and answers.', {
      seq: count('The number of the entry, from 1.'),
      at: unixMs('When it was written'),
      operationId: text('The id of the operation.'),
      postings: records('What it moved.', {
        token,
        from: oneOf('The account that is debited.', ACCOUNTS),
        to: oneOf('The account that is credited.', ACCOUNTS),
        amountWei: amount('The amount'),
      }),
      hash: text('The hash of the entry, which commits to all entries before it.'),
    }),
    next: orNull('Null on the last page.', count('The `before` of the next page.')),
    protection: LimitsAnswer.omit({ ok: true }).describe('As in GET /api/limits.'),
  }),
)

export const VerifiedPlayerAnswer = describes<VerifiedPlayer>()(
  component('VerifiedPlayer', {
    ok,
    isRight: flag(
      'Whether the journal’s entries add up to the balances and everything that is open.',
    ),
    problem: orNull('Null if it is right.', text('What is wrong.')),
    entries: count('The number of entries in the journal.'),
    archived: orNull(
      'Null if something is wrong.',
      count('Those in the archive, which were not replayed.'),
    ),
  }),
)

export const PartnersAnswer = describes<ShownPartners>()(
  component('Partners', {
    ok,
    countedTo: orNull(
      'Null before the first day.',
      text('The newest day that was counted, as YYYY-MM-DD.'),
    ),
    partners: records('The partners.', {
      id: text('The id.'),
      mode: oneOf('What its own switch is set to.', ['open', 'draining', 'closed']),
      keys: count('The number of its keys. Without a key it can’t sign in.'),
      consent: oneOf('Whether a debit needs the player’s permission.', ['required', 'implied']),
      requireBodyHash: flag('Whether its tokens must contain the hash of the body.'),
      tokens: perToken(
        record('Its limits and its books.', {
          creditLimitWei: amount('The most that one credit may be'),
          dayLimitWei: amount('The most by which credits may exceed debits in a UTC day'),
          maxDebtWei: orNull(
            'Null if unlimited.',
            amount('The most that it may owe the house in all'),
          ),
          debitHourWei: amount('The most that it may debit one player within an hour'),
          creditedWei: amount('Its credits of today'),
          debitedWei: amount('Its debits of today, as far as ledgers have reported them'),
          wagered: amount('Debits and rolled-back credits of the days that were counted'),
          returned: amount('Credits and rolled-back debits of those days'),
          settledWei: signedAmount(
            'What it was paid outside the service less what it paid, as configured',
          ),
          owedWei: signedAmount('What the house owes it; negative if it owes the house'),
        }),
        'By token.',
      ),
    }),
    unlisted: list(
      'Partners with a balance in the books that the configuration lacks, so that what was settled counts as owed.',
      text('The id.'),
    ),
  }),
)

const Rounds = (description: string) =>
  records(description, {
    roundId: count('The number of the round.'),
    kind: oneOf('How it ended.', ['settled', 'voided']),
    endedAt: unixMs('When it ended'),
    betCount: count('The number of its bets.'),
    crash: orNull('Null for a voided round.', z.number().describe('The crash point.')),
    reason: orNull('Null for a settled round.', text('Why it was voided.')),
    beacon: orNull(
      'Null for a round without one.',
      count('The number of the drand beacon that it took its pepper from, or waited for.'),
    ),
  })

export const RoundsAnswer = describes<ShownRounds>()(
  component('Rounds', {
    ok,
    newest: Rounds('The newest rounds, the newest first.'),
    voided: Rounds('The newest rounds that were voided, the newest first.'),
  }),
)

export const ComparedRoundAnswer = describes<ComparedRound>()(
  component('ComparedRound', {
    ok,
    roundId: count('The number of the round.'),
    kind: oneOf('How it ended.', ['settled', 'voided']),
    beacon: count('The number of its beacon.'),
    publishedAt: unixMs('When drand publishes that beacon'),
    signature: orNull(
      "Null if none of drand's relays has the beacon.",
      text("The beacon's signature by the relays, which was verified."),
    ),
    isSame: orNull(
      'Null for a voided round, and if no relay has the beacon.',
      flag('Whether the round was settled with this signature.'),
    ),
  }),
)
