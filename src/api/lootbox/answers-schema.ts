import { z } from 'zod'
import type { newestWins, openingsOf } from '../../history/openings.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import type { AwaitedSpin } from '../../lootbox/spin.ts'
import { MODES } from '../../operator/modes.ts'
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
  record,
  records,
  text,
  txHash,
  unixMs,
  variant,
} from '../http/answers-schema.ts'
import { TermsAnswer } from '../receipts/answers-schema.ts'

const day = z.iso.date().describe('A UTC day, as YYYY-MM-DD.')
const bps = count('The chance, in basis points.')

/** An opening's win. */
const won = {
  tier: count("The tier's index in `prizes`, from 0."),
  label: text("The tier's name."),
  prize: amount('The prize'),
  asset: text(
    "The prize's asset: `ETH` (the chain's native coin), `REWARD` (the reward token), or a stock's symbol.",
  ),
}

const payment = orNull('The payment; null for a free opening.', txHash('The payment'))

const prizeTxHash = orNull(
  'The transaction that pays the prize; null until it is sent.',
  txHash('The transaction that pays the prize'),
)

const status = oneOf('The status of the prize. A prize that cannot be paid yet remains owed.', [
  'paying',
  'paid',
])

const prizes = records('The tiers.', {
  bps,
  chance: z.number().describe('bps / 10000.'),
  prize: won.prize,
  label: won.label,
  asset: won.asset,
  decimals: count('The decimals of one whole unit of the asset.'),
})

const expectedValue = z
  .record(z.string(), z.string())
  .describe("The exact average win in each asset, in the asset's smallest unit.")

const prices = z
  .record(
    z.string(),
    record('A price.', {
      weiPerUnit: amount("One whole unit of the asset, in the chain's native coin, rounded down"),
      feed: address('The price feed'),
      at: unixMs('When the feed last changed the price'),
    }),
  )
  .describe(
    'What a price feed says of the prizes that have one, by asset; read at most a minute ago.',
  )

const SpinPepper = z
  .discriminatedUnion('kind', [
    variant('drand-quicknet', {
      kind: z.literal('drand-quicknet').describe('A public beacon.'),
    }),
    variant('committed', {
      kind: z.literal('committed').describe('Local play only.'),
      pepperHash: bytes32("The sha256 of the day's pepper"),
    }),
  ])
  .describe("The source of a free spin's pepper.")

const config = {
  ok,
  terms: TermsAnswer,
  mode: oneOf(
    'As the operator has set it: while it is not `open`, pay for no opening and take no free spin. A payment that was made is honoured.',
    MODES,
  ),
  price: amount("The price of an opening, in the chain's native coin"),
  pool: address('The recipient of payments'),
  prizes,
  expectedValue,
  prices,
  day,
  seedHash: bytes32("The sha256 of today's seed"),
  nextSeedHash: bytes32("The sha256 of tomorrow's seed"),
  spin: record('The prizes and terms of free spins.', {
    prizes,
    expectedValue,
    dailyLimit: count('The number of free spins per UTC day, for all wallets together.'),
    hosts: list(
      'The sites with eligible posts. If empty, free spins are off.',
      text('A host, with its port if it has one.'),
    ),
    pepperSource: SpinPepper,
  }),
  recentWins: describes<Awaited<ReturnType<typeof newestWins>>>()(
    records('The newest 20 openings, newest first; empty while the history cannot be read.', {
      wallet: address('The winner'),
      ...won,
      txHash: payment,
      at: unixMs('The time of the opening'),
    }),
  ),
}

export const ConfigAnswer = component('LootboxConfig', config)

const openings = describes<Awaited<ReturnType<typeof openingsOf>>>()(
  records(
    "The wallet's newest 20 openings, newest first; empty while the history cannot be read.",
    {
      id: text("The payment's hash, or the free spin's id."),
      txHash: payment,
      ...won,
      status,
      prizeTxHash,
      at: unixMs('The time of the opening'),
    },
  ),
)

export const WalletConfigAnswer = component('LootboxWalletConfig', {
  ...config,
  shareCode: text('The code that a post must contain for a free spin of this wallet.'),
  hasSpun: flag('Whether the wallet has used its free spin today.'),
  openings,
})

export const OpenAnswer = describes<OpeningAnswer>()(
  component('OpenAnswer', {
    ok,
    open: record('The opening and its prize.', {
      id: text("The payment's hash, or the free spin's id."),
      txHash: payment,
      ...won,
      status,
      prizeTxHash,
      day,
      seedHash: bytes32("The sha256 of the day's seed"),
      seed: orNull("The day's seed; null until the day has ended.", bytes32("The day's seed")),
      blockHash: orNull(
        "The payment's block; null for a free opening.",
        txHash("The payment's block"),
      ),
      roll: count('The 52-bit roll that determines the tier.'),
      odds: list('The odds of every tier at the time.', bps),
      acceptedAt: unixMs('When a free spin was taken').exactOptional(),
      pepper: bytes32('The pepper of a free spin').exactOptional(),
      pepperSource: Pepper.exactOptional(),
      signature: text("The beacon's BLS signature, in hex.").exactOptional(),
    }),
  }),
)

export const AwaitedAnswer = describes<AwaitedSpin>()(
  describedComponent('SpinPending', 'The free spin has been taken and is waiting for its pepper.', {
    ok,
    status: z.literal('pending').describe('Repeat the same call.'),
    acceptedAt: unixMs(
      'When the spin was taken. Its beacon is the first one published strictly after this time',
    ),
    pepperSource: Pepper,
    expectedAt: unixMs("The pepper's time of publication"),
  }),
)

export const DisclosureAnswer = component('LootboxDisclosure', {
  ok,
  days: records('Today and the seven days before it, as far as they have a seed.', {
    day,
    seedHash: bytes32("The sha256 of the day's seed"),
    pepperHash: bytes32(
      "The sha256 of the day's pepper, used by free spins with a committed pepper",
    ),
    committedAt: unixMs('When the seed was drawn'),
    seed: orNull("The day's seed; null until the day has ended.", bytes32("The day's seed")),
  }),
})
