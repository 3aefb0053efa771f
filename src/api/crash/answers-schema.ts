import { z } from 'zod'
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
import type { BetAnswer as Bet } from '../../crash/placement.ts'
import type { Me } from '../../ledger/me.ts'
import type { ShownBankroll } from '../../money/bankroll.ts'
import type { DisclosedBet, Disclosure } from '../../crash/disclosure.ts'
import type { StreamMessage } from '../../crash/stream.ts'
import type { movingState, steadyState } from '../../crash/state.ts'
import type { PublicChain } from '../../vault/terms.ts'

const roundId = count("The round's number.")
const seedHash = bytes32('sha256 of the seed, shown from the moment betting opens')
const edgeBps = count("The house's edge, in hundredths of a percent.")
const multiplier = (description: string) => z.number().min(0).meta({ description })

const Chain = describes<PublicChain>()(
  z
    .object({
      chainId: count('The chain.'),
      vault: address('The vault contract'),
      usdg: address('The USDG token'),
      confirmations: count('Blocks until a deposit counts; 1 is the block that it is in.'),
      withdrawalMin: perToken(
        amount('The smallest withdrawal'),
        'The smallest withdrawal in each token, as `config.withdrawal.min`.',
      ),
      isPaused: z.boolean().meta({
        description:
          'Whether the vault was paused when the chain was last looked at, usually within a minute: then it takes no deposits, and withdrawals are refused.',
      }),
    })
    .meta({ id: 'VaultChain' }),
)

export const Bankroll = describes<ShownBankroll>()(
  z
    .object({
      amounts: perToken(amount('What the house has to lose'), 'What the house has to lose.'),
      payoutBps: count('The share of it that one bet or play may win, in hundredths of a percent.'),
      roundBps: count('The share of it that one round may win, in hundredths of a percent.'),
    })
    .meta({ id: 'Bankroll', description: 'The bankroll that the limits keep to.' }),
)

export const bounds = perToken(
  z
    .object({ min: amount('The smallest stake'), max: amount('The largest stake') })
    .meta({ description: 'The smallest and the largest stake.' }),
  'What may be staked in each token.',
)

export const maxPayout = perToken(
  amount('The most one bet is paid'),
  'The most one bet is paid in each token.',
)

/** What moves with the clock. */
const moving = {
  roundId,
  phase: z.enum(['betting', 'flight', 'results']).meta({ description: 'Where the round stands.' }),
  msLeft: count('Milliseconds to the end of the phase; 0 in flight, whose end nobody knows.'),
  multiplier: multiplier('1 in betting, the present one in flight, the crash point in results.'),
  crashPoint: multiplier('The crash point; null until the round is over.').nullable().meta({
    description: 'The crash point; null until the round is over, and where it was voided.',
  }),
  serverTime: unixMs('When all this was true'),
}

/** What is fixed before betting opens, but for a late take-off. */
const planned = {
  edgeBps,
  seedHash,
  pepperSource: Pepper,
  betsCloseAt: unixMs('When the last bet is taken'),
  flightAt: unixMs('When the round takes off; a late pepper moves it'),
  growthPerMs: z.number().meta({
    description:
      'The multiplier after t milliseconds of flight is e^(growthPerMs · t), cut to hundredths.',
  }),
  config: z
    .object({
      bounds,
      depositFeeBps: count('The fee of a deposit, in hundredths of a percent, rounded up.'),
      maxPayout,
      maxRoundPayout: perToken(
        amount('The most one round pays'),
        'The most one round pays in each token, all bets together.',
      ),
      minForcedMultiplier: multiplier(
        'The limits cash nobody out below this multiplier. All stakes times it stay within `maxRoundPayout`, and one wallet stakes at most a quarter of what that leaves.',
      ),
      chain: Chain.nullable().meta({
        description: 'Where to deposit and withdraw; null where there is no vault.',
      }),
      withdrawal: z
        .object({
          min: perToken(
            amount('The smallest withdrawal'),
            'The smallest withdrawal in each token. It follows the price of gas, as seen usually within a minute; a whole balance below it may leave once a day.',
          ),
        })
        .nullable()
        .meta({ description: 'What a withdrawal has to be; null where there is no vault.' }),
      bankroll: Bankroll.nullable().meta({
        description: 'The bankroll that the limits keep to; null where there is no vault.',
      }),
    })
    .meta({ description: 'The limits of this round.' }),
}

const HistoryEntry = z.object({ roundId, crash: multiplier('Its crash point.') })

const Win = z.object({
  wallet: address('Who won'),
  token,
  amount: amount('The stake'),
  mult: multiplier('The multiplier cashed out at.'),
  payout: amount('What was paid'),
})

const state = {
  ...moving,
  ...planned,
  history: z.array(HistoryEntry).meta({ description: 'The newest 20 rounds, the newest first.' }),
  recentWins: z.array(Win).meta({ description: 'The newest 20 cash-outs, the newest first.' }),
}

type State = ReturnType<typeof movingState> & ReturnType<typeof steadyState>

export const WatchAnswer = describes<State>()(
  z.object(state).meta({ id: 'CrashTable', description: 'The table as anybody sees it.' }),
)

export const StateAnswer = describes<State & { me: Me }>()(
  z
    .object({ ...state, me: MeAnswer })
    .meta({ id: 'CrashState', description: 'The table and the wallet that asks.' }),
)

export const StreamAnswer = describes<StreamMessage>()(
  z
    .discriminatedUnion('type', [
      z
        .object({
          type: z.literal('snapshot').meta({ description: 'What a viewer is told first.' }),
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
          type: z.literal('win').meta({ description: 'Somebody has cashed out.' }),
          roundId,
          win: Win.meta({ description: 'The cash-out.' }),
        })
        .meta({ id: 'StreamWin' }),
      z
        .object({
          type: z.literal('history').meta({ description: 'A round is over.' }),
          entry: HistoryEntry.meta({ description: 'The round.' }),
        })
        .meta({ id: 'StreamHistory' }),
    ])
    .meta({ id: 'StreamMessage', description: 'A message of the live stream, by `type`.' }),
)

/** The fields that every ended round discloses. */
const ended = {
  roundId,
  seedHash,
  seed: bytes32('The seed'),
  pepperSource: Pepper,
  openedAt: unixMs('When betting opened'),
  betsCloseAt: unixMs(
    'When bets closed; a beacon is the first one published strictly after that, or does not verify',
  ),
}

const settledRound = {
  ...ended,
  pepper: bytes32('The pepper'),
  crash: multiplier('The crash point that follows from seed and pepper.'),
  edgeBps,
  signature: text("The beacon's BLS signature, in hex.").exactOptional(),
}

const voidedRound = { ...ended, reason: text('Why it was voided.') }

export const DisclosureAnswer = describes<Disclosure>()(
  z
    .object({
      ok,
      rounds: z
        .array(z.object(settledRound))
        .meta({ description: 'Settled rounds, the newest first.' }),
      voided: z
        .array(z.object(voidedRound))
        .meta({ description: 'Rounds whose pepper never came: every bet was refunded.' }),
    })
    .meta({ id: 'CrashDisclosure', description: 'Everything needed to check the rounds.' }),
)

const endedBet = {
  ok,
  wallet: address('Who bet'),
  token,
  amountWei: amount('The stake'),
  autoCashout: z
    .number()
    .nullable()
    .meta({ description: 'The multiplier set to be cashed out at; null if none was.' }),
  placedAt: unixMs('When the ledger set the stake aside'),
  multiplier: multiplier('What the stake was multiplied by: 0 if lost, 1 if given back.'),
  payout: amount('What was paid'),
}

export const BetDisclosureAnswer = describes<DisclosedBet>()(
  z
    .discriminatedUnion('outcome', [
      z
        .object({
          ...endedBet,
          outcome: z.enum(['won', 'lost']).meta({ description: 'How the bet ended.' }),
          ...settledRound,
        })
        .meta({ title: 'settled' }),
      z
        .object({
          ...endedBet,
          outcome: z.literal('voided').meta({ description: 'The stake was given back.' }),
          ...voidedRound,
        })
        .meta({ title: 'voided' }),
    ])
    .meta({ id: 'DisclosedBet', description: 'An ended bet, with what decided its round.' }),
)

export const BetAnswer = describes<Bet>()(
  z.object({ ok, roundId, me: MeAnswer }).meta({ id: 'BetAnswer' }),
)

export const BeaconAnswer = z
  .object({
    ok,
    roundId,
    accepted: z.boolean().meta({
      description: 'Whether the round takes off with it; false where a beacon was there already.',
    }),
  })
  .meta({ id: 'BeaconAnswer' })

export const CashoutAnswer = z
  .object({
    ok,
    roundId,
    multiplier: multiplier('The multiplier the bet was cashed out at.'),
    payout: amount('What was paid'),
    me: MeAnswer,
  })
  .meta({ id: 'CashoutAnswer' })
