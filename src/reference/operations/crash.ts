import {
  BeaconAnswer,
  BetAnswer,
  CashoutAnswer,
  StateAnswer,
  StreamAnswer,
  WatchAnswer,
} from '../../api/crash/answers-schema.ts'
import { BeaconBody, BetBody, CashoutBody, SeedsQuery } from '../../api/crash/schema.ts'
import { Credentials } from '../../api/http/schema.ts'
import { HouseTopupAnswer, WithdrawAnswer } from '../../api/vault/answers-schema.ts'
import { HouseTopupBody, WithdrawBody } from '../../api/vault/schema.ts'
import { GROWTH_PER_MS } from '../../crash/curve.ts'
import { firstBeaconAfter } from '../../fairness/drand.ts'
import { action, signedAction } from '../bodies.ts'
import {
  AUTH_SIG,
  CONTRACT,
  CRASH,
  EDGE_BPS,
  ME,
  NEXT_SEED_HASH,
  NOW,
  OTHER_CONTRACT,
  OTHER_WALLET,
  PEPPER_SIGNATURE,
  ROUND_ID,
  SIGNED,
  STAKE,
  TERMS,
} from '../examples.ts'
import type { Call, TagOperation } from '../operation.ts'
import { bet, round, verifySeeds } from './crash-disclosures.ts'
import { bets, history } from './crash-table.ts'

const table = {
  roundId: ROUND_ID + 1,
  phase: 'betting',
  msLeft: 6000,
  multiplier: 1,
  crashPoint: null,
  serverTime: NOW,
  betsRoot: null,
  betCount: null,
  edgeBps: EDGE_BPS,
  seedHash: NEXT_SEED_HASH,
  pepperSource: { kind: 'drand-quicknet', round: firstBeaconAfter(NOW + 3_210) },
  betsCloseAt: NOW + 3_210,
  flightAt: NOW + 6_000,
  growthPerMs: GROWTH_PER_MS,
  history: [{ roundId: ROUND_ID, crash: CRASH }],
  recentWins: [
    { wallet: OTHER_WALLET, token: 'USDG', amount: '1000000', mult: 1.2, payout: '1200000' },
  ],
  mode: 'open',
  config: {
    bounds: {
      ETH: { min: '50000000000000', max: '200000000000000000' },
      USDG: { min: '10000', max: '500000000' },
    },
    terms: TERMS,
    depositFeeBps: 0,
    maxPayout: { ETH: '200000000000000000000', USDG: '500000000000' },
    maxRoundPayout: { ETH: '500000000000000000000', USDG: '1250000000000' },
    minForcedMultiplier: 2,
    chain: {
      chainId: 1,
      vault: CONTRACT,
      usdg: OTHER_CONTRACT,
      confirmations: 12,
      withdrawalMin: { ETH: '2000000000000000', USDG: '5000000' },
      isPaused: false,
      nextRelayer: null,
    },
    withdrawal: { min: { ETH: '2000000000000000', USDG: '5000000' } },
    bankroll: {
      amounts: { ETH: '20000000000000000000000', USDG: '50000000000000' },
      payoutBps: 100,
      roundBps: 250,
    },
  },
}

const state: Call = {
  name: 'state',
  summary: "The state of the table and of the caller's wallet",
  description:
    'First brings the wallet up to date: its ended bets, its withdrawals and its confirmed deposits. The state lags its round by at most 250 ms.',
  caller: 'wallet',
  limit: 'reads',
  query: Credentials,
  answers: { 200: StateAnswer },
  example: { query: SIGNED, answer: { ...table, me: ME } },
}

const watch: Call = {
  name: 'watch',
  summary: 'The state of the table, without a wallet',
  limit: 'reads',
  query: action('watch'),
  answers: { 200: WatchAnswer },
  refusals: ['unknown_action'],
  example: { query: { action: 'watch' }, answer: table },
}

const actions: Call[] = [
  {
    name: 'bet',
    summary: 'Bet in the current round',
    description:
      'One bet per wallet and round. Repeating the same bet in its round returns the same answer and moves nothing. If the bet fails for any reason, its chips are refunded.',
    caller: 'wallet',
    limit: 'money',
    body: signedAction('bet', BetBody),
    answers: { 200: BetAnswer },
    refusals: [
      'betting_closed',
      'bet_exists',
      'amount_out_of_bounds',
      'payout_limit',
      'insufficient_chips',
      'ledger_full',
      'excluded',
      'limit_reached',
      'wallet_frozen',
      'closed',
      'archive_unavailable',
    ],
    example: {
      body: { action: 'bet', ...SIGNED, token: 'USDG', amountWei: STAKE, autoCashout: 2.5 },
      answer: {
        ok: true,
        roundId: ROUND_ID,
        me: {
          ...ME,
          openBet: {
            roundId: ROUND_ID,
            token: 'USDG',
            amountWei: STAKE,
            autoCashout: 2.5,
            placedAt: NOW,
          },
        },
      },
    },
  },
  {
    name: 'cashout',
    summary: 'Cash out the bet at the current multiplier',
    description:
      "Only in flight. The round's clock counts, at the time the call reaches it; a tie pays the player. For a bet already cashed out, the answer is its earlier result.",
    caller: 'wallet',
    limit: 'money',
    networkLimit: 'betless',
    body: signedAction('cashout', CashoutBody),
    answers: { 200: CashoutAnswer },
    refusals: ['no_open_bet', 'not_in_flight', 'already_crashed', 'archive_unavailable'],
    example: {
      body: { action: 'cashout', ...SIGNED },
      answer: { ok: true, roundId: ROUND_ID, multiplier: 1.5, payout: '3750000', me: ME },
    },
  },
  {
    name: 'withdraw',
    summary: 'Withdraw chips as tokens',
    description:
      'The player signs EIP-712: domain `{name: "FairhouseVault", version: "1", chainId, verifyingContract: vault}`, type `Withdraw(address player,address token,uint256 amount,uint256 nonce)`, where ETH is the zero address. A relayer sends the transaction, so the player pays no gas. Repeating the call returns the current status.',
    caller: 'wallet',
    limit: 'money',
    body: signedAction('withdraw', WithdrawBody),
    answers: { 200: WithdrawAnswer },
    refusals: [
      'nonce_mismatch',
      'amount_out_of_bounds',
      'signature_invalid',
      'withdrawal_pending',
      'insufficient_chips',
      'wallet_frozen',
      'closed',
      'chain_unavailable',
    ],
    example: {
      body: {
        action: 'withdraw',
        ...SIGNED,
        token: 'USDG',
        amountWei: STAKE,
        nonce: 0,
        signature: AUTH_SIG,
      },
      answer: {
        ok: true,
        withdrawal: {
          nonce: 0,
          token: 'USDG',
          amountWei: STAKE,
          status: 'pending',
          txHash: null,
        },
        me: { ...ME, nonce: 1 },
      },
    },
  },
  {
    name: 'beacon',
    summary: 'Submit a late beacon',
    description:
      "Anyone can call this, without a wallet. After its bets have closed, the current round accepts the signature of the drand round named in its `pepperSource`, as returned by drand's relays, and takes off. A round without its beacon one minute after the close is voided. Signatures are verified only while the beacon is missing: later ones get `accepted: false`.",
    limit: 'money',
    networkLimit: 'beacons',
    body: action('beacon', BeaconBody),
    answers: { 200: BeaconAnswer },
    refusals: ['not_found', 'signature_invalid'],
    example: {
      body: { action: 'beacon', roundId: ROUND_ID, signature: PEPPER_SIGNATURE },
      answer: { ok: true, roundId: ROUND_ID, accepted: true },
    },
  },
  {
    name: 'house-topup',
    summary: "Credit the house's funding, and count the bankroll",
    description:
      "For the vault's owner. Reports whether the relayer's gas is running low. With `record: false` it sends nothing to the chain.",
    caller: 'wallet',
    limit: 'money',
    body: signedAction('house-topup', HouseTopupBody),
    answers: { 200: HouseTopupAnswer },
    refusals: ['not_vault_owner', 'chain_unavailable', 'closed'],
    example: {
      body: { action: 'house-topup', ...SIGNED },
      answer: {
        ok: true,
        houseNeedsFunding: false,
        house: { ETH: '5000000000000000000', USDG: '25000000000' },
        relayer: {
          address: CONTRACT,
          balanceWei: '1000000000000000000',
          reserveWei: '100000000000000000',
        },
      },
    },
  },
]

export const crashOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/crash',
    id: 'getCrash',
    summary: 'The table and its bets, seeds of ended rounds, and ended bets',
    calls: [
      state,
      watch,
      {
        ...verifySeeds,
        query: action('verify-seeds', SeedsQuery),
        example: {
          ...verifySeeds.example,
          query: { action: 'verify-seeds', ...verifySeeds.example.query },
        },
      },
      bets,
      history,
      bet,
      round,
    ],
  },
  {
    method: 'get',
    path: '/api/crash/verify-seeds',
    id: 'getCrashSeeds',
    summary: 'Seeds of ended rounds',
    calls: [verifySeeds],
  },
  {
    method: 'get',
    path: '/api/crash/stream',
    id: 'getCrashStream',
    summary: 'The live stream of the table',
    name: 'stream',
    description:
      'A WebSocket: connect with `Upgrade: websocket`. The first message is a snapshot; the following ones report changes: a phase, new bets, a cash-out, the end of a round. `ping` is answered with `pong`; a few other messages are ignored, more or a long one close the connection. After a disconnect, reconnect after a pause and start from the new snapshot.',
    limit: 'reads',
    answers: { 101: StreamAnswer },
    refusals: ['invalid_request'],
    example: { answer: { type: 'history', entry: { roundId: ROUND_ID, crash: CRASH } } },
  },
  {
    method: 'post',
    path: '/api/crash',
    id: 'postCrash',
    summary: 'Bet, cash out, withdraw, or submit a late beacon',
    calls: actions,
  },
]
