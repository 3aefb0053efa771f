import { z } from 'zod'
import type { DisclosedBet, Disclosure } from '../../crash/disclosure.ts'
import type { BetAnswer as Bet } from '../../crash/placement.ts'
import type { movingState, steadyState } from '../../crash/state.ts'
import type { StreamMessage } from '../../crash/stream.ts'
import type { Me } from '../../ledger/me.ts'
import type { ShownBankroll } from '../../money/bankroll.ts'
import type { PublicChain } from '../../vault/terms.ts'
import { Pepper } from '../fairness/answers-schema.ts'
import {
  address,
  amount,
  bytes32,
  count,
  describes,
  ok,
  perToken,
  text,
  token,
  unixMs,
} from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'

const roundId = count("The round's number.")
const seedHash = bytes32('The sha256 of the seed, published when betting opens')
const edgeBps = count('The house edge, in basis points.')
const multiplier = (description: string) => z.number().min(0).meta({ description })

const Chain = describes<PublicChain>()(
  z
    .object({
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
      isPaused: z.boolean().meta({
        description:
          'Whether the vault was paused when the chain was last read, usually within the last minute. A paused vault takes no deposits, and withdrawals are refused.',
      }),
    })
    .meta({ id: 'VaultChain' }),
)

export const Bankroll = describes<ShownBankroll>()(
  z
    .object({
      amounts: perToken(amount("The house's funds"), "The house's funds in each token."),
      payoutBps: count('The share of the funds that one bet or play may win, in basis points.'),
      roundBps: count('The share of the funds that one round may win, in basis points.'),
    })
    .meta({ id: 'Bankroll', description: 'The bankroll that the limits follow.' }),
)

export const bounds = perToken(
  z
    .object({ min: amount('The smallest stake'), max: amount('The largest stake') })
    .meta({ description: 'The smallest and largest stake.' }),
  'The bounds of a stake in each token.',
)

export const maxPayout = perToken(
  amount('The largest payout of one bet'),
  'The largest payout of one bet in each token.',
)

/** The fields that change with the clock. */
const moving = {
  roundId,
  phase: z.enum(['betting', 'flight', 'results']).meta({ description: "The round's phase." }),
  msLeft: count('Milliseconds to the end of the phase; 0 in flight, which ends unpredictably.'),
  multiplier: multiplier(
    'The multiplier: 1 in betting, the current one in flight, the crash point in results.',
  ),
  crashPoint: multiplier('The crash point; null until the round has ended.').nullable().meta({
    description: 'The crash point; null until the round has ended, and for a voided round.',
  }),
  serverTime: unixMs('The time of this state'),
}

/** The fields that are fixed before betting opens, except for a delayed take-off. */
const planned = {
  edgeBps,
  seedHash,
  pepperSource: Pepper,
  betsCloseAt: unixMs('When bets close'),
  flightAt: unixMs('When the round takes off; a late pepper delays it'),
  growthPerMs: z.number().meta({
    description:
      'The multiplier after t milliseconds of flight is e^(growthPerMs · t), rounded down to hundredths.',
  }),
  config: z
    .object({
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
      chain: Chain.nullable().meta({
        description: 'The chain for deposits and withdrawals; null without a vault.',
      }),
      withdrawal: z
        .object({
          min: perToken(
            amount('The smallest withdrawal'),
            'The smallest withdrawal in each token. It follows the gas price, usually within a minute. A whole balance below it can be withdrawn once a day.',
          ),
        })
        .nullable()
        .meta({ description: 'The terms of withdrawals; null without a vault.' }),
      bankroll: Bankroll.nullable().meta({
        description: 'The bankroll that the limits follow; null without a vault.',
      }),
    })
    .meta({ description: 'The limits of this round.' }),
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
  history: z.array(HistoryEntry).meta({ description: 'The newest 20 rounds, newest first.' }),
  recentWins: z.array(Win).meta({ description: 'The newest 20 cash-outs, newest first.' }),
}

type State = ReturnType<typeof movingState> & ReturnType<typeof steadyState>

export const WatchAnswer = describes<State>()(
  z.object(state).meta({ id: 'CrashTable', description: 'The public state of the table.' }),
)

export const StateAnswer = describes<State & { me: Me }>()(
  z
    .object({ ...state, me: MeAnswer })
    .meta({ id: 'CrashState', description: "The state of the table and the caller's wallet." }),
)

export const StreamAnswer = describes<StreamMessage>()(
  z
    .discriminatedUnion('type', [
      z
        .object({
          type: z.literal('snapshot').meta({ description: 'The first message to a viewer.' }),
          state: WatchAnswer,
        })
        .meta({ id: 'StreamSnapshot' }),
      z
        .object({
          type: z.literal('phase').meta({ description: 'A phase has begun.' }),
          ...moving,
          ...planned,
        })
        .meta({ id: 'StreamPhase' }),
      z
        .object({
          type: z.literal('win').meta({ description: 'A player has cashed out.' }),
          roundId,
          win: Win.meta({ description: 'The cash-out.' }),
        })
        .meta({ id: 'StreamWin' }),
      z
        .object({
          type: z.literal('history').meta({ description: 'A round has ended.' }),
          entry: HistoryEntry.meta({ description: 'The round.' }),
        })
        .meta({ id: 'StreamHistory' }),
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
  z
    .object({
      ok,
      rounds: z
        .array(z.object(settledRound))
        .meta({ description: 'Settled rounds, newest first.' }),
      voided: z.array(z.object(voidedRound)).meta({
        description:
          'Voided rounds: the pepper did not arrive in time, and every bet was refunded.',
      }),
    })
    .meta({ id: 'CrashDisclosure', description: 'Everything needed to verify the rounds.' }),
)

const endedBet = {
  ok,
  wallet: address('The player'),
  token,
  amountWei: amount('The stake'),
  autoCashout: z
    .number()
    .nullable()
    .meta({ description: 'The multiplier of the automatic cash-out; null if none was set.' }),
  placedAt: unixMs('When the ledger held the stake'),
  multiplier: multiplier('The payout divided by the stake: 0 if lost, 1 if refunded.'),
  payout: amount('The payout'),
}

export const BetDisclosureAnswer = describes<DisclosedBet>()(
  z
    .discriminatedUnion('outcome', [
      z
        .object({
          ...endedBet,
          outcome: z.enum(['won', 'lost']).meta({ description: "The bet's outcome." }),
          ...settledRound,
        })
        .meta({ title: 'settled' }),
      z
        .object({
          ...endedBet,
          outcome: z.literal('voided').meta({ description: 'The stake was refunded.' }),
          ...voidedRound,
        })
        .meta({ title: 'voided' }),
    ])
    .meta({ id: 'DisclosedBet', description: 'An ended bet, with the disclosure of its round.' }),
)

export const BetAnswer = describes<Bet>()(
  z.object({ ok, roundId, me: MeAnswer }).meta({ id: 'BetAnswer' }),
)

export const BeaconAnswer = z
  .object({
    ok,
    roundId,
    accepted: z.boolean().meta({
      description: 'Whether the round takes off with this beacon; false if it already had one.',
    }),
  })
  .meta({ id: 'BeaconAnswer' })

export const CashoutAnswer = z
  .object({
    ok,
    roundId,
    multiplier: multiplier('The multiplier of the cash-out.'),
    payout: amount('The payout'),
    me: MeAnswer,
  })
  .meta({ id: 'CashoutAnswer' })
