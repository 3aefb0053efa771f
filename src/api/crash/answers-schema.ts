import { z } from 'zod'
import type { DisclosedBet, Disclosure, WholeRound } from '../../crash/disclosure.ts'
import type { BetAnswer as Bet } from '../../crash/placement.ts'
import type { RoundPlan } from '../../crash/plan.ts'
import type { movingState, steadyState } from '../../crash/state.ts'
import type { StreamMessage } from '../../crash/stream.ts'
import type { Me } from '../../ledger/me.ts'
import type { ShownBankroll } from '../../money/bankroll.ts'
import type { PublicChain } from '../../vault/terms.ts'
import { Pepper } from '../fairness/answers-schema.ts'
import {
  address,
  amount,
  component,
  bytes32,
  count,
  describes,
  flag,
  list,
  describedComponent,
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
import { MeAnswer } from '../ledger/answers-schema.ts'
import { receipt, TermsAnswer } from '../receipts/answers-schema.ts'

const roundId = count("The round's number.")
const seedHash = bytes32('The sha256 of the seed, published when betting opens')
const edgeBps = count('The house edge, in basis points.')
const multiplier = (description: string) => z.number().min(0).describe(description)

const Chain = describes<PublicChain>()(
  component('VaultChain', {
    chainId: count('The chain id.'),
    vault: address('The vault contract'),
    usdg: address('The USDG token'),
    confirmations: count(
      "The confirmations a deposit needs; the deposit's own block is the first.",
    ),
    withdrawalMin: perToken(
      amount('The smallest withdrawal'),
      'The smallest withdrawal in each token, equal to `config.withdrawal.min`.',
    ),
    isPaused: flag(
      'Whether the vault was paused when the chain was last read, usually within the last minute. A paused vault takes no deposits, and withdrawals are refused.',
    ),
  }),
)

export const Bankroll = describes<ShownBankroll>()(
  describedComponent('Bankroll', 'The bankroll that the limits follow.', {
    amounts: perToken(amount("The house's funds"), "The house's funds in each token."),
    payoutBps: count('The share of the funds that one bet or play may win, in basis points.'),
    roundBps: count('The share of the funds that one round may win, in basis points.'),
  }),
)

export const bounds = perToken(
  record('The smallest and largest stake.', {
    min: amount('The smallest stake'),
    max: amount('The largest stake'),
  }),
  'The bounds of a stake in each token.',
)

export const maxPayout = perToken(
  amount('The largest payout of one bet'),
  'The largest payout of one bet in each token.',
)

/** The fields that change with the clock. */
const moving = {
  roundId,
  phase: oneOf("The round's phase.", ['betting', 'flight', 'results']),
  msLeft: count('Milliseconds to the end of the phase; 0 in flight, which ends unpredictably.'),
  multiplier: multiplier(
    'The multiplier: 1 in betting, the current one in flight, the crash point in results.',
  ),
  crashPoint: orNull(
    'The crash point; null until the round has ended, and for a voided round.',
    multiplier('The crash point; null until the round has ended.'),
  ),
  serverTime: unixMs('The time of this state'),
}

const betsRoot = bytes32(
  "The RFC 6962 Merkle root over the round's bets, by position. A leaf is a bet's canonical JSON: n, betId, wallet, token, amountWei, autoCashout and salt",
)
const betCount = count("The number of the round's bets.")

/** The fields that are fixed before the round takes off. */
const planned = {
  betsRoot: orNull('The root over the bets; null until bets close.', betsRoot),
  betCount: orNull('The number of bets; null until bets close.', betCount),
  edgeBps,
  seedHash,
  pepperSource: Pepper,
  betsCloseAt: unixMs('When bets close'),
  flightAt: unixMs('When the round takes off; a late pepper delays it'),
  growthPerMs: z
    .number()
    .describe(
      'The multiplier after t milliseconds of flight is e^(growthPerMs · t), rounded down to hundredths.',
    ),
  config: record('The limits of this round.', {
    terms: TermsAnswer,
    bounds,
    depositFeeBps: count(
      'The deposit fee, in basis points; the fee is rounded up to the smallest unit.',
    ),
    maxPayout,
    maxRoundPayout: perToken(
      amount('The largest payout of one round'),
      'The largest payout of all bets in a round together, in each token.',
    ),
    minForcedMultiplier: multiplier(
      'The limits never force a cash-out below this multiplier. The total stakes times this multiplier stay within `maxRoundPayout`, and one wallet may stake at most a quarter of the remaining room.',
    ),
    chain: orNull('The chain for deposits and withdrawals; null without a vault.', Chain),
    withdrawal: orNull(
      'The terms of withdrawals; null without a vault.',
      z.object({
        min: perToken(
          amount('The smallest withdrawal'),
          'The smallest withdrawal in each token. It follows the gas price, usually within a minute. A whole balance below it can be withdrawn once a day.',
        ),
      }),
    ),
    bankroll: orNull('The bankroll that the limits follow; null without a vault.', Bankroll),
  }),
}

const HistoryEntry = z.object({ roundId, crash: multiplier('The crash point.') })

const Win = z.object({
  wallet: address('The winner'),
  token,
  amount: amount('The stake'),
  mult: multiplier('The multiplier of the cash-out.'),
  payout: amount('The payout'),
})

const state = {
  ...moving,
  ...planned,
  history: list('The newest 20 rounds, newest first.', HistoryEntry),
  recentWins: list('The newest 20 cash-outs, newest first.', Win),
}

type State = ReturnType<typeof movingState> & ReturnType<typeof steadyState>

export const WatchAnswer = describes<State>()(
  describedComponent('CrashTable', 'The public state of the table.', state),
)

export const StateAnswer = describes<State & { me: Me }>()(
  describedComponent('CrashState', "The state of the table and the caller's wallet.", {
    ...state,
    me: MeAnswer,
  }),
)

export const StreamAnswer = describes<StreamMessage>()(
  z
    .discriminatedUnion('type', [
      component('StreamSnapshot', {
        type: z.literal('snapshot').describe('The first message to a viewer.'),
        state: WatchAnswer,
      }),
      component('StreamPhase', {
        type: z.literal('phase').describe('A phase has begun.'),
        ...moving,
        ...planned,
      }),
      component('StreamClose', {
        type: z.literal('close').describe('Bets have closed.'),
        roundId,
        betsRoot,
        betCount,
      }),
      component('StreamWin', {
        type: z.literal('win').describe('A player has cashed out.'),
        roundId,
        win: Win.describe('The cash-out.'),
      }),
      component('StreamHistory', {
        type: z.literal('history').describe('A round has ended.'),
        entry: HistoryEntry.describe('The round.'),
      }),
    ])
    .meta({ id: 'StreamMessage', description: 'A message of the live stream, by `type`.' }),
)

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
    ...{ ok, ...ended, edgeBps, betsRoot, betCount },
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

export const BetAnswer = describes<Bet>()(
  component('BetAnswer', { ok, roundId, me: MeAnswer, receipt }),
)

export const BeaconAnswer = component('BeaconAnswer', {
  ok,
  roundId,
  accepted: flag('Whether the round takes off with this beacon; false if it already had one.'),
})

export const CashoutAnswer = component('CashoutAnswer', {
  ok,
  roundId,
  multiplier: multiplier('The multiplier of the cash-out.'),
  payout: amount('The payout'),
  me: MeAnswer,
  receipt,
})
