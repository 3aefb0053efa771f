import { z } from 'zod'
import type { newestWins, openingsOf } from '../../history/openings.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import type { AwaitedSpin } from '../../lootbox/spin.ts'
import { Pepper } from '../fairness/answers-schema.ts'
import {
  address,
  amount,
  bytes32,
  count,
  describes,
  ok,
  text,
  txHash,
  unixMs,
} from '../http/answers-schema.ts'

const day = z.iso.date().meta({ description: 'A UTC day, as YYYY-MM-DD.' })
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

const payment = txHash('The payment')
  .nullable()
  .meta({ description: 'The payment; null for a free opening.' })

const prizeTxHash = txHash('The transaction that pays the prize')
  .nullable()
  .meta({ description: 'The transaction that pays the prize; null until it is sent.' })

const status = z
  .enum(['paying', 'paid'])
  .meta({ description: 'The status of the prize. A prize that cannot be paid yet remains owed.' })

const prizes = z
  .array(
    z.object({
      bps,
      chance: z.number().meta({ description: 'bps / 10000.' }),
      prize: won.prize,
      label: won.label,
      asset: won.asset,
      decimals: count('The decimals of one whole unit of the asset.'),
    }),
  )
  .meta({ description: 'The tiers.' })

const expectedValue = z.record(z.string(), z.string()).meta({
  description: "The exact average win in each asset, in the asset's smallest unit.",
})

const SpinPepper = z
  .discriminatedUnion('kind', [
    z
      .object({ kind: z.literal('drand-quicknet').meta({ description: 'A public beacon.' }) })
      .meta({ title: 'drand-quicknet' }),
    z
      .object({
        kind: z.literal('committed').meta({ description: 'Local play only.' }),
        pepperHash: bytes32("The sha256 of the day's pepper"),
      })
      .meta({ title: 'committed' }),
  ])
  .meta({ description: "The source of a free spin's pepper." })

const config = {
  ok,
  price: amount("The price of an opening, in the chain's native coin"),
  pool: address('The recipient of payments'),
  prizes,
  expectedValue,
  day,
  seedHash: bytes32("The sha256 of today's seed"),
  nextSeedHash: bytes32("The sha256 of tomorrow's seed"),
  spin: z
    .object({
      prizes,
      expectedValue,
      dailyLimit: count('The number of free spins per UTC day, for all wallets together.'),
      hosts: z
        .array(text('A host, with its port if it has one.'))
        .meta({ description: 'The sites with eligible posts. If empty, free spins are off.' }),
      pepperSource: SpinPepper,
    })
    .meta({ description: 'The prizes and terms of free spins.' }),
  recentWins: describes<Awaited<ReturnType<typeof newestWins>>>()(
    z
      .array(
        z.object({
          wallet: address('The winner'),
          ...won,
          txHash: payment,
          at: unixMs('The time of the opening'),
        }),
      )
      .meta({
        description:
          'The newest 20 openings, newest first; empty while the history cannot be read.',
      }),
  ),
}

export const ConfigAnswer = z.object(config).meta({ id: 'LootboxConfig' })

const openings = z
  .array(
    z.object({
      id: text("The payment's hash, or the free spin's id."),
      txHash: payment,
      ...won,
      status,
      prizeTxHash,
      at: unixMs('The time of the opening'),
    }),
  )
  .meta({
    description:
      "The wallet's newest 20 openings, newest first; empty while the history cannot be read.",
  })

type Openings = Awaited<ReturnType<typeof openingsOf>>
describes<(Omit<Openings[number], 'status'> & { status: 'paying' | 'paid' })[]>()(openings)

export const WalletConfigAnswer = z
  .object({
    ...config,
    shareCode: text('The code that a post must contain for a free spin of this wallet.'),
    hasSpun: z.boolean().meta({ description: 'Whether the wallet has used its free spin today.' }),
    openings,
  })
  .meta({ id: 'LootboxWalletConfig' })

export const OpenAnswer = describes<OpeningAnswer>()(
  z
    .object({
      ok,
      open: z
        .object({
          id: text("The payment's hash, or the free spin's id."),
          txHash: payment,
          ...won,
          status,
          prizeTxHash,
          day,
          seedHash: bytes32("The sha256 of the day's seed"),
          seed: bytes32("The day's seed")
            .nullable()
            .meta({ description: "The day's seed; null until the day has ended." }),
          blockHash: txHash("The payment's block")
            .nullable()
            .meta({ description: "The payment's block; null for a free opening." }),
          roll: count('The 52-bit roll that determines the tier.'),
          odds: z.array(bps).meta({ description: 'The odds of every tier at the time.' }),
          acceptedAt: unixMs('When a free spin was taken').exactOptional(),
          pepper: bytes32('The pepper of a free spin').exactOptional(),
          pepperSource: Pepper.exactOptional(),
          signature: text("The beacon's BLS signature, in hex.").exactOptional(),
        })
        .meta({ description: 'The opening and its prize.' }),
    })
    .meta({ id: 'OpenAnswer' }),
)

export const AwaitedAnswer = describes<AwaitedSpin>()(
  z
    .object({
      ok,
      status: z.literal('pending').meta({ description: 'Repeat the same call.' }),
      acceptedAt: unixMs(
        'When the spin was taken. Its beacon is the first one published strictly after this time',
      ),
      pepperSource: Pepper,
      expectedAt: unixMs("The pepper's time of publication"),
    })
    .meta({
      id: 'SpinPending',
      description: 'The free spin has been taken and is waiting for its pepper.',
    }),
)

export const DisclosureAnswer = z
  .object({
    ok,
    days: z
      .array(
        z.object({
          day,
          seedHash: bytes32("The sha256 of the day's seed"),
          pepperHash: bytes32(
            "The sha256 of the day's pepper, used by free spins with a committed pepper",
          ),
          committedAt: unixMs('When the seed was drawn'),
          seed: bytes32("The day's seed")
            .nullable()
            .meta({ description: "The day's seed; null until the day has ended." }),
        }),
      )
      .meta({ description: 'Today and the seven days before it, as far as they have a seed.' }),
  })
  .meta({ id: 'LootboxDisclosure' })
