import { z } from 'zod'
import type { DisclosedBet, Disclosure, WholeRound } from '../../crash/disclosure.ts'
import type { RoundPlan } from '../../crash/plan.ts'
import { Pepper } from '../fairness/answers-schema.ts'
import {
  address,
  amount,
  bytes32,
  count,
  describedComponent,
  describes,
  ok,
  oneOf,
  orNull,
  perToken,
  record,
  records,
  text,
  token,
  unixMs,
  variant,
} from '../http/answers-schema.ts'
import {
  Bankroll,
  betCount,
  betsRoot,
  edgeBps,
  multiplier,
  roundId,
  seedHash,
} from './answers-schema.ts'

/** The disclosed fields of every ended round. */
const ended = {
  roundId,
  seedHash,
  seed: bytes32('The seed'),
  pepperSource: Pepper,
  openedAt: unixMs('When betting opened'),
  betsCloseAt: unixMs(
    'When bets closed. A beacon verifies only if it is the first one published strictly after this time',
  ),
}

const settledRound = {
  ...ended,
  pepper: bytes32('The pepper'),
  crash: multiplier('The crash point that follows from seed and pepper.'),
  edgeBps,
  signature: text("The beacon's BLS signature, in hex.").exactOptional(),
}

const voidedRound = { ...ended, reason: text('Why the round was voided.') }

export const DisclosureAnswer = describes<Disclosure>()(
  describedComponent('CrashDisclosure', 'Everything needed to verify the rounds.', {
    ok,
    rounds: records('Settled rounds, newest first.', settledRound),
    voided: records(
      'Voided rounds: the pepper did not arrive in time, and every bet was refunded.',
      voidedRound,
    ),
  }),
)

const endedBet = {
  ok,
  wallet: address('The player'),
  token,
  amountWei: amount('The stake'),
  autoCashout: orNull(
    'The multiplier of the automatic cash-out; null if none was set.',
    z.number(),
  ),
  placedAt: unixMs('When the ledger held the stake'),
  multiplier: multiplier('The payout divided by the stake: 0 if lost, 1 if refunded.'),
  payout: amount('The payout'),
}

export const BetDisclosureAnswer = describes<DisclosedBet>()(
  z
    .discriminatedUnion('outcome', [
      variant('settled', {
        ...endedBet,
        outcome: oneOf("The bet's outcome.", ['won', 'lost']),
        ...settledRound,
      }),
      variant('voided', {
        ...endedBet,
        outcome: z.literal('voided').describe('The stake was refunded.'),
        ...voidedRound,
      }),
    ])
    .meta({ id: 'DisclosedBet', description: 'An ended bet, with the disclosure of its round.' }),
)

const Plan = describes<RoundPlan>()(
  describedComponent('RoundPlan', 'What was fixed before the first bet of a round.', {
    roundId,
    openedAt: unixMs('When betting opened'),
    betsCloseAt: unixMs('When bets close'),
    flightAt: unixMs('The planned take-off; a late pepper delays it'),
    voidAt: unixMs('The deadline for the pepper; without one the round is voided'),
    resultsMs: count('How long the results are shown, in milliseconds.'),
    edgeBps,
    terms: bytes32('The hash of the terms of play that it follows'),
    seedHash,
    pepperSource: Pepper,
    minForcedMultiplier: count(
      'The limits never force a cash-out below this multiplier, in hundredths.',
    ),
    limits: perToken(
      record('The limits in a token.', {
        min: amount('The smallest stake'),
        max: amount('The largest stake'),
        maxPayout: amount('The largest payout of one bet'),
        maxRoundPayout: amount('The largest payout of all bets in this token together'),
      }),
      'The limits in each token.',
    ),
    bankroll: Bankroll.exactOptional(),
  }),
)

export const WholeRoundAnswer = describes<WholeRound>()(
  describedComponent('WholeRound', 'Everything about an ended round, with a page of its bets.', {
    ok,
    ...ended,
    edgeBps,
    betsRoot,
    betCount,
    plan: orNull(
      'What was fixed before the first bet; null for a round without bets on a site without a public log.',
      Plan,
    ),
    endedAt: unixMs('When the round crashed or was voided'),
    pepper: orNull('The pepper; null for a voided round.', bytes32('The pepper')),
    crash: orNull('The crash point; null for a voided round.', z.number()),
    takeoffAt: orNull('The take-off; null for a voided round.', unixMs('The take-off')),
    signature: orNull(
      "The beacon's BLS signature, in hex; null without a beacon.",
      text("The beacon's BLS signature, in hex."),
    ),
    reason: orNull(
      'Why the round was voided; null for a settled round.',
      text('Why the round was voided.'),
    ),
    bets: records('A page of the bets, by position.', {
      n: count("The bet's position in the round, from 0."),
      betId: text("The bet's id."),
      wallet: address('The player'),
      token,
      amountWei: amount('The stake'),
      autoCashout: orNull(
        'The multiplier of the automatic cash-out; null if none was set.',
        z.number(),
      ),
      salt: text(
        'The first 16 bytes of HMAC-SHA256 of "bet:" and the betId, keyed with the seed, in hex.',
      ),
      placedAt: unixMs('When the round accepted the bet'),
      outcome: oneOf("The bet's outcome.", ['won', 'lost', 'voided']),
      multiplier: multiplier('The payout divided by the stake: 0 if lost, 1 if refunded.'),
      payout: amount('The payout'),
      cashedOutAt: orNull('When the bet was cashed out; null unless it won.', unixMs('The time')),
    }),
    next: orNull(
      'The position from which the next page begins; null on the last page.',
      count('The position.'),
    ),
  }),
)
