import { z } from 'zod'
import type { BetAnswer as Bet } from '../../crash/bet-request.ts'
import { LONG_HISTORY_LENGTH } from '../../crash/result.ts'
import type { movingState, steadyState } from '../../crash/state.ts'
import type { StreamMessage } from '../../crash/stream.ts'
import { REPORTED_BETS, SHOWN_BETS, type TableBets } from '../../crash/table-bets.ts'
import type { Me } from '../../ledger/me.ts'
import type { ShownBankroll } from '../../money/bankroll.ts'
import { MODES } from '../../operator/modes.ts'
import type { PublicChain } from '../../vault/table-config.ts'
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
  token,
  unixMs,
} from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'
import { receipt, TermsAnswer } from '../receipts/answers-schema.ts'

export const roundId = count("The round's number.")
export const seedHash = bytes32('The sha256 of the seed, published when betting opens')
export const edgeBps = count('The house edge, in basis points.')
export const multiplier = (description: string) => z.number().min(0).describe(description)

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
    nextRelayer: orNull(
      "The account that the vault's owner has announced as its next relayer, read with `isPaused`; null without one. A relayer is trusted with everything in the vault, so withdraw before it takes over unless the house has said why.",
      record('The announced relayer.', {
        address: address('The announced account'),
        from: unixMs('From when it may take over'),
        until: unixMs('Until when it may take over; then its announcement lapses'),
      }),
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

export const betsRoot = bytes32(
  "The RFC 6962 Merkle root over the round's bets, by position. A leaf is a bet's canonical JSON: n, betId, wallet, token, amountWei, autoCashout and salt",
)
export const betCount = count("The number of the round's bets.")

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
  mode: oneOf(
    'As the operator has set it, even if that is yet to take effect: a table that is not `open` takes no bets, and opens no round after the current one.',
    MODES,
  ),
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

const totals = perToken(
  record('The bets in a token.', {
    count: count('The number of bets.'),
    amountWei: amount('The stakes together'),
  }),
  'All bets in each token.',
)

const ShownBet = component('TableBet', {
  wallet: address('The player'),
  token,
  amountWei: amount('The stake'),
  multiplier: orNull(
    'The payout divided by the stake: 0 if lost, 1 if refunded; null while the bet is live.',
    multiplier('The payout divided by the stake.'),
  ),
  payout: orNull('The payout; null while the bet is live.', amount('The payout')),
})

export const BetsAnswer = describes<{ ok: true } & TableBets>()(
  describedComponent('TableBets', 'The bets of a round, as everyone at the table sees them.', {
    ok,
    roundId,
    betsRoot: orNull('The root over the bets; null until bets close.', betsRoot),
    totals,
    bets: list(
      `The ${SHOWN_BETS} largest bets, largest first, by their share of the largest stake in their token. The caller's own comes last if it is not among them.`,
      ShownBet,
    ),
  }),
)

export const HistoryAnswer = component('CrashHistory', {
  ok,
  history: list(`The newest ${LONG_HISTORY_LENGTH} settled rounds, newest first.`, HistoryEntry),
})

export const StreamAnswer = describes<StreamMessage>()(
  z
    .discriminatedUnion('type', [
      component('StreamSnapshot', {
        type: z.literal('snapshot').describe('The first message to a viewer.'),
        state: WatchAnswer,
        totals,
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
      component('StreamBets', {
        type: z.literal('bets').describe('Bets were placed.'),
        roundId,
        totals,
        bets: list(
          `The new bets in the order they were placed, gathered for a quarter of a second. At most the newest ${REPORTED_BETS}; the totals count all. After a restart of the service a bet may come again.`,
          ShownBet,
        ),
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
