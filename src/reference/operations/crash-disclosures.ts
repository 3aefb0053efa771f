import {
  BetDisclosureAnswer,
  DisclosureAnswer,
  WholeRoundAnswer,
} from '../../api/crash/disclosures-schema.ts'
import { BetQuery, RoundQuery, SeedsQuery } from '../../api/crash/schema.ts'
import { betLeaf, betsRootOf } from '../../crash/bets-root.ts'
import { macOf } from '../../fairness/seed.ts'
import { action } from '../bodies.ts'
import {
  BEACON_AWAITED_AT,
  CRASH,
  EDGE_BPS,
  NOW,
  PEPPER,
  PEPPER_SIGNATURE,
  PEPPER_SOURCE,
  ROUND_ID,
  SEED,
  SEED_HASH,
  STAKE,
  WALLET,
} from '../examples.ts'
import type { Call } from '../operation.ts'

const disclosed = {
  ok: true,
  rounds: [
    {
      roundId: ROUND_ID,
      seedHash: SEED_HASH,
      seed: SEED,
      pepper: PEPPER,
      crash: CRASH,
      pepperSource: PEPPER_SOURCE,
      openedAt: BEACON_AWAITED_AT - 8_000,
      betsCloseAt: BEACON_AWAITED_AT,
      edgeBps: EDGE_BPS,
      signature: PEPPER_SIGNATURE,
    },
  ],
  voided: [],
}

/** Seeds of ended rounds. */
export const verifySeeds: Call = {
  name: 'verify-seeds',
  summary: 'Seeds of ended rounds',
  description:
    'The newest 12 settled rounds with bets, or any ended round by its number, with everything that determines their crash points.',
  limit: 'reads',
  query: SeedsQuery,
  answers: { 200: DisclosureAnswer },
  refusals: ['invalid_request', 'not_found'],
  example: { query: { roundId: String(ROUND_ID) }, answer: disclosed },
}

/** An ended bet. */
export const bet: Call = {
  name: 'bet',
  summary: 'An ended bet',
  description:
    "A wallet's bet by its round, however old, with everything that determines the round's crash point. Answers `not_found` until the round has ended.",
  limit: 'reads',
  networkLimit: 'walletReads',
  query: action('bet', BetQuery),
  answers: { 200: BetDisclosureAnswer },
  refusals: ['invalid_request', 'not_found', 'unknown_action', 'archive_unavailable'],
  example: {
    query: { action: 'bet', wallet: WALLET, roundId: String(ROUND_ID) },
    answer: {
      ok: true,
      wallet: WALLET,
      token: 'USDG',
      amountWei: STAKE,
      autoCashout: null,
      placedAt: NOW,
      outcome: 'lost',
      multiplier: 0,
      payout: '0',
      ...disclosed.rounds[0],
    },
  },
}

const betId = `${ROUND_ID}:${WALLET}:0`
const leaf = betLeaf(
  { betId, wallet: WALLET, token: 'USDG', amountWei: BigInt(STAKE), autoCashout: null },
  0,
  macOf(SEED),
)

/** The whole of an ended round. */
export const round: Call = {
  name: 'round',
  summary: 'The whole of an ended round',
  description:
    'Everything about an ended round, however old: its plan, its secrets and its bets, 1,000 a page. The bets, the payouts and the forced cash-outs can be computed again from it.',
  limit: 'reads',
  query: action('round', RoundQuery),
  answers: { 200: WholeRoundAnswer },
  refusals: ['invalid_request', 'not_found', 'unknown_action'],
  example: {
    query: { action: 'round', roundId: String(ROUND_ID) },
    answer: {
      ok: true,
      roundId: ROUND_ID,
      plan: null,
      openedAt: BEACON_AWAITED_AT - 8_000,
      betsCloseAt: BEACON_AWAITED_AT,
      endedAt: NOW,
      edgeBps: EDGE_BPS,
      seedHash: SEED_HASH,
      seed: SEED,
      pepperSource: PEPPER_SOURCE,
      betsRoot: betsRootOf([leaf]),
      betCount: 1,
      pepper: PEPPER,
      crash: CRASH,
      takeoffAt: BEACON_AWAITED_AT + 3_000,
      signature: PEPPER_SIGNATURE,
      reason: null,
      bets: [
        {
          ...leaf,
          placedAt: BEACON_AWAITED_AT - 3_000,
          outcome: 'lost',
          multiplier: 0,
          payout: '0',
          cashedOutAt: null,
        },
      ],
      next: null,
    },
  },
}
