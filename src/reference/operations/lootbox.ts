import {
  AwaitedAnswer,
  ConfigAnswer,
  DisclosureAnswer,
  OpenAnswer,
  WalletConfigAnswer,
} from '../../api/lootbox/answers-schema.ts'
import { OpenBody, SpinBody, WalletQuery } from '../../api/lootbox/schema.ts'
import { PendingAnswer } from '../../api/payment/answers-schema.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import {
  expectedValue,
  paymentMessage,
  rollOf,
  tierOfRoll,
  type PrizeTier,
} from '../../lootbox/prizes.ts'
import { shareCodeOf } from '../../lootbox/share.ts'
import { spinId, spinMessage } from '../../lootbox/spin.ts'
import { action, signedAction } from '../bodies.ts'
import {
  BEACON_AWAITED_AT,
  BLOCK_HASH,
  CONTRACT,
  DAY,
  NEXT_SEED_HASH,
  NOW,
  PEPPER,
  PEPPER_SIGNATURE,
  PEPPER_SOURCE,
  SEED,
  SEED_HASH,
  SIGNED,
  TERMS,
  TX_HASH,
  WALLET,
} from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const prizes: PrizeTier[] = [
  { bps: 9_700, label: 'Common', asset: 'REWARD', amountWei: '5000000000000000000' },
  { bps: 300, label: 'Legendary', asset: 'ETH', amountWei: '60000000000000000' },
]
const spinPrizes: PrizeTier[] = [
  { bps: 10_000, label: 'Small', asset: 'REWARD', amountWei: '1000000000000000000' },
]

/** Returns a message's roll under the seed, and its prize. */
function rolled(message: string, from: PrizeTier[]) {
  const roll = rollOf(SEED, message)
  const tier = tierOfRoll(roll, from)
  const { label, amountWei: prize, asset } = from[tier] as PrizeTier
  return { roll: Number(roll), won: { tier, label, prize, asset } }
}

const SPIN = spinId(WALLET, DAY)
const paidFor = rolled(paymentMessage(TX_HASH, BLOCK_HASH), prizes)
const spun = rolled(spinMessage(SPIN, PEPPER), spinPrizes)

function shown(tiers: PrizeTier[]) {
  return tiers.map(({ bps, label, asset, amountWei }) => ({
    bps,
    chance: bps / 10_000,
    prize: amountWei,
    label,
    asset,
    decimals: 18,
  }))
}

const config = {
  ok: true,
  terms: TERMS,
  mode: 'open',
  price: '10000000000000000',
  pool: CONTRACT,
  prizes: shown(prizes),
  expectedValue: expectedValue(prizes),
  day: DAY,
  seedHash: SEED_HASH,
  nextSeedHash: NEXT_SEED_HASH,
  spin: {
    prizes: shown(spinPrizes),
    expectedValue: expectedValue(spinPrizes),
    dailyLimit: 1_000,
    hosts: ['posts.example.com'],
    pepperSource: { kind: 'drand-quicknet' },
  },
  recentWins: [{ wallet: WALLET, ...paidFor.won, txHash: TX_HASH, at: NOW }],
}

const opening = {
  id: TX_HASH,
  txHash: TX_HASH,
  ...paidFor.won,
  status: 'paying',
  prizeTxHash: null,
}

export const lootboxOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/lootbox',
    id: 'getLootbox',
    summary: "The offer, a wallet's openings, and the seeds of past days",
    calls: [
      {
        name: 'config',
        summary: 'The price and the prizes',
        limit: 'reads',
        answers: { 200: ConfigAnswer },
        example: { answer: config },
      },
      {
        name: 'openings',
        summary: "The price, the prizes and a wallet's openings",
        limit: 'reads',
        networkLimit: 'openings',
        query: WalletQuery,
        answers: { 200: WalletConfigAnswer },
        refusals: ['invalid_request'],
        example: {
          query: { wallet: WALLET },
          answer: {
            ...config,
            shareCode: shareCodeOf(WALLET),
            hasSpun: false,
            openings: [{ ...opening, at: NOW }],
          },
        },
      },
      {
        name: 'verify-seeds',
        summary: 'Seeds of past days',
        description: 'A seed is published ten minutes after its day (UTC).',
        limit: 'reads',
        query: action('verify-seeds'),
        answers: { 200: DisclosureAnswer },
        refusals: ['unknown_action'],
        example: {
          query: { action: 'verify-seeds' },
          answer: {
            ok: true,
            days: [
              {
                day: DAY,
                seedHash: SEED_HASH,
                pepperHash: commitmentOf(PEPPER),
                committedAt: NOW - 43_200_000,
                seed: SEED,
              },
            ],
          },
        },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/lootbox',
    id: 'postLootbox',
    summary: 'Open the lootbox',
    calls: [
      {
        name: 'open',
        summary: 'Open the lootbox with a payment',
        description:
          "The payment is a plain transfer of exactly `price` from `wallet` to `pool`, no older than 24 hours. The pool is a contract, so estimate the gas: 21,000 is too little. The prize goes to the payer, so no signature is needed. Until the payment is confirmed the answer is 202. Repeating the call returns the same opening with its prize's current status.",
        limit: 'money',
        networkLimit: 'payments',
        body: action('open', OpenBody),
        answers: { 200: OpenAnswer, 202: PendingAnswer },
        refusals: ['payment_mismatch', 'payment_used', 'chain_unavailable'],
        example: {
          body: { action: 'open', wallet: WALLET, txHash: TX_HASH },
          answer: {
            ok: true,
            open: {
              ...opening,
              day: DAY,
              seedHash: SEED_HASH,
              seed: null,
              blockHash: BLOCK_HASH,
              roll: paidFor.roll,
              odds: prizes.map(({ bps }) => bps),
            },
          },
        },
      },
      {
        name: 'share-spin',
        summary: 'Spin for free with a post',
        description:
          "One spin per wallet, post's author and UTC day; each post can be used once. The post must be public, on one of `spin.hosts`, and contain the wallet's `shareCode`. Until the pepper is published the answer is 202. Repeating the call returns the same spin.",
        caller: 'wallet',
        limit: 'money',
        networkLimit: 'sharedPosts',
        body: signedAction('share-spin', SpinBody),
        answers: { 200: OpenAnswer, 202: AwaitedAnswer },
        refusals: ['post_unverified', 'spin_used', 'closed', 'upstream_failed'],
        example: {
          body: {
            action: 'share-spin',
            ...SIGNED,
            postUrl: 'https://posts.example.com/alice/status/100',
          },
          answer: {
            ok: true,
            open: {
              id: SPIN,
              txHash: null,
              ...spun.won,
              status: 'paying',
              prizeTxHash: null,
              day: DAY,
              seedHash: SEED_HASH,
              seed: null,
              blockHash: null,
              roll: spun.roll,
              odds: spinPrizes.map(({ bps }) => bps),
              acceptedAt: BEACON_AWAITED_AT,
              pepper: PEPPER,
              pepperSource: PEPPER_SOURCE,
              signature: PEPPER_SIGNATURE,
            },
          },
        },
      },
    ],
  },
]
