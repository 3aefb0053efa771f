import { z } from 'zod'
import type { DaybookLine } from '../../daybook/lines.ts'
import type { CountedDay, Row } from '../../daybook/report.ts'
import { ACCOUNTS } from '../../ledger/accounts.ts'
import { ACTS, type ActName } from '../../operator/act.ts'
import type { ActRecord } from '../../operator/approval.ts'
import type { OperatorJournalEntry } from '../../operator/journal.ts'
import { ROLES } from '../../operator/roles.ts'
import type { ActScope } from '../../operator/typed-data.ts'
import type { ModesVersion } from '../../operator/versions.ts'
import { HealthAnswer } from '../health/answers-schema.ts'
import {
  address,
  amount,
  bytes32,
  component,
  count,
  describedComponent,
  describes,
  flag,
  hex,
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
import type { JournalPage, JournalProblem, Operator, ServiceState } from './answers.ts'
import type { shownReconciliation, Texts } from './shown.ts'

const Scope = describes<ActScope>()(
  record('What acts are signed for.', {
    site: text('The origin of the page that operators sign in to.'),
    chainId: count('The chain id.'),
    verifyingContract: describes<`0x${string}`>()(
      z.templateLiteral(['0x', z.string()]).describe('The vault; the zero address without one.'),
    ),
  }),
)

const role = (description: string) => oneOf(description, ROLES)

export const OperatorMessageAnswer = component('OperatorSignIn', {
  ok,
  message: text('The exact text for the wallet to sign (EIP-191 personal_sign).'),
  issuedAt: unixMs('The time of the message, which goes into the header'),
  expiresAt: unixMs('When signatures of this message expire'),
  scope: Scope,
})

const Version = describes<ModesVersion | null>()(
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
).describe('The newest version; null if nothing has ever been set.')

export const ModesAnswer = component('ModesAnswer', { ok, version: Version })

const orderedFields = {
  act: oneOf('The kind of act.', Object.keys(ACTS) as ActName[]),
  target: text('The target of the act.'),
  reason: text('The reason.'),
  expiresAt: count('When the act expires, in unix seconds.'),
}

const approvalFields = {
  operator: address('The wallet of the operator who signed'),
  role: role('Their role at the time.'),
  at: unixMs('When the signature arrived'),
}

const Act = describes<ActRecord>()(
  describedComponent('OperatorAct', 'An act and who has signed it.', {
    ...orderedFields,
    hash: txHash('The EIP-712 hash of the act, which operators sign and which names it'),
    needs: record('What the act takes.', {
      role: role('The lowest role.'),
      operators: z.union([z.literal(1), z.literal(2)]).describe('The number of operators.'),
    }),
    approvals: records('The signatures, in the order in which they arrived.', approvalFields),
    decidedAt: orNull(
      'When the last signature that it needs arrived; null while it waits for another operator.',
      unixMs('When it was decided'),
    ),
    result: orNull(
      'The result; null while the act waits or is in progress.',
      record('The result.', {
        isDone: flag('Whether the act was carried out.'),
        message: text('The result, for the operator.'),
      }),
    ),
  }),
)

export const ActAnswer = component('ActAnswer', { ok, act: Act })

export const JournalAnswer = component('JournalAnswer', {
  ok,
  entries: describes<OperatorJournalEntry[]>()(
    records('At most a hundred entries.', {
      ...approvalFields,
      number: count('The number of the entry, from 1.'),
      act: record('What was signed.', orderedFields),
      actHash: txHash('The hash of the act'),
      signature: hex("The operator's EIP-712 signature of the act"),
      prevHash: text('The hash of the entry before it; 64 zeros for the first.'),
      hash: text(
        'The sha256 of the canonical JSON of the other fields. So it commits to all entries before it.',
      ),
    }),
  ),
})

export const VerificationAnswer = component('Verification', {
  ok,
  wallets: count('The ledgers that this call has verified.'),
  segments: count('The archived segments of journals that it has verified.'),
  failures: describes<JournalProblem[]>()(
    records('The journals that are not right.', {
      wallet: text('The wallet, or `house`.'),
      segment: orNull(
        'Null for the entries that are not in the archive.',
        count('The number of the segment in the archive.'),
      ),
      problem: text('What is wrong.'),
    }),
  ),
  next: orNull('Null after the last journal.', text('The `after` of the next call.')),
})

export const EntriesAnswer = describes<{ ok: true } & JournalPage>()(
  component('JournalEntries', {
    ok,
    wallet: orNull('Null if there are no more journals.', text('The wallet, or `house`.')),
    entries: records('Its next entries, at most 500.', {
      seq: count('The number of the entry, from 1.'),
      operationId: text('The operation, such as `bet:12:0` or `entropy:7`.'),
      request: text('The request in canonical form.'),
      postings: records('What it moved.', {
        token,
        from: oneOf('The account it was taken from.', ACCOUNTS),
        to: oneOf('The account it went to.', ACCOUNTS),
        amountWei: amount('The amount'),
      }),
      result: text('The stored answer, as JSON text.'),
      at: unixMs('When it was made'),
      headDigest: bytes32(
        'The sha256 of the state after it. That has the seed of the next play, so it is not shown',
      ),
      previousHash: bytes32('The hash of the entry before it; zeros for the first'),
      hash: bytes32(
        'The sha256 of the JSON array of these fields, in this order without `hash`, each posting as an array',
      ),
    }),
    problem: orNull(
      'Null unless the rest of the journal cannot be read.',
      text('Why it cannot be read. The next call continues with the next wallet.'),
    ),
    next: orNull('Null after the last journal.', text('The `after` of the next call.')),
  }),
)

const BOOKS = {
  holdings: amount("What the vault's own books have, or its actual balance if that is less"),
  unbooked: amount('Tokens in the vault beyond that, which somebody sent to it past its books'),
  owed: amount('Owed to players'),
  partners: signedAmount(
    'Owed to all partners together after what was settled outside the service; negative if they owe the house',
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

type ShownReconciliation = ReturnType<typeof shownReconciliation>

export const ReconciliationAnswer = describes<{
  ok: true
  reconciliation: ShownReconciliation | null
}>()(
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
        drifts: records('The current drifts.', DRIFT),
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
  losses: signedAmount('Deposits written off, and withdrawals that an operators’ act ended'),
  restored: signedAmount('What restored ledgers moved to the house'),
}

export const BooksAnswer = describes<{
  ok: true
  days: CountedDay[]
  rows: Texts<Row>[]
  lines: (Texts<DaybookLine> & { day: string })[]
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

export const StateAnswer = describes<{ ok: true; operator: Operator } & ServiceState>()(
  component('OperatorState', {
    ok,
    operator: record('The operator who asks.', {
      wallet: address('The wallet'),
      role: role('Their role.'),
    }),
    health: HealthAnswer.omit({ ok: true, version: true, mode: true }).describe(
      'As in GET /api/health.',
    ),
    stuck: records("The objects with messages that they can't deliver, at most a hundred.", {
      class: text('The class of the object.'),
      name: text('The name of the object: of a ledger, its wallet.'),
      messages: count('The number of messages.'),
      since: unixMs('Since when the oldest has been stuck'),
    }),
    reserve: orNull(
      'What pays withdrawals and prizes; null without a vault, or if it does not answer.',
      record('The relayer.', {
        balanceWei: orNull('Null before the chain was read.', amount('Its ether')),
        reserveWei: amount('The least ether that it should hold'),
        poolWei: orNull(
          'Null without a lootbox, or before the chain was read.',
          record('What the prize pool has. Stocks are bought when they are won.', {
            ETH: amount('The chain’s native coin'),
            REWARD: amount('The reward token'),
          }),
        ),
        isVaultPaused: flag('Whether the vault is paused.'),
        withdrawalsWaiting: count('Withdrawals that are not confirmed.'),
        prizesWaiting: count('Prizes that are not confirmed.'),
      }),
    ),
    walletsInPlay: orNull(
      'Null while `all` is open, or if `DB` does not answer.',
      count('The wallets with something in play, by positions that are at most ten minutes old.'),
    ),
    switches: list('Everything that can be closed, by name.', z.string()),
    version: Version,
    acts: record('Each list the newest first.', {
      waiting: list('Acts that wait for another operator.', Act),
      decided: list('At most thirty acts with all their signatures.', Act),
    }),
  }),
)
