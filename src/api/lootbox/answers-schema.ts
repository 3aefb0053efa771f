import { z } from 'zod'
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
import type { newestWins, openingsOf } from '../../history/openings.ts'
import type { AwaitedSpin } from '../../lootbox/spin.ts'
import type { OpeningAnswer } from '../../lootbox/opening.ts'

const day = z.iso.date().meta({ description: 'A UTC day, as YYYY-MM-DD.' })
const bps = count('The chance, of 10000.')

/** What an opening has won. */
const won = {
  tier: count('The place of the tier in `prizes`, from 0.'),
  label: text("The tier's name."),
  prize: amount('What it wins'),
  asset: text("`ETH` (the chain's own coin), `REWARD` (the reward token), or a stock's symbol."),
}

const payment = txHash('The payment')
  .nullable()
  .meta({ description: 'The payment; null where the opening was free.' })

const prizeTxHash = txHash('The transaction that pays the prize')
  .nullable()
  .meta({ description: 'The transaction that pays the prize; null until it is sent.' })

const status = z
  .enum(['paying', 'paid'])
  .meta({ description: 'How far the prize is: what cannot be paid now stays owed.' })

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
  description: 'What is won on average of each asset, in its smallest unit, exactly.',
})

const SpinPepper = z
  .discriminatedUnion('kind', [
    z
      .object({ kind: z.literal('drand-quicknet').meta({ description: 'A public beacon.' }) })
      .meta({ title: 'drand-quicknet' }),
    z
      .object({
        kind: z.literal('committed').meta({ description: 'Local play only.' }),
        pepperHash: bytes32("sha256 of the day's pepper"),
      })
      .meta({ title: 'committed' }),
  ])
  .meta({ description: 'Where the pepper of a free spin comes from.' })

const config = {
  ok,
  price: amount("What an opening costs, of the chain's own coin"),
  pool: address('Who is to be paid'),
  prizes,
  expectedValue,
  day,
  seedHash: bytes32("sha256 of today's seed"),
  nextSeedHash: bytes32("sha256 of tomorrow's seed"),
  spin: z
    .object({
      prizes,
      expectedValue,
      dailyLimit: count('How many there are a UTC day, of all wallets together.'),
      hosts: z
        .array(text('A host, with a port where there is one.'))
        .meta({ description: 'The sites whose posts count; none, and there are no free spins.' }),
      pepperSource: SpinPepper,
    })
    .meta({ description: 'What a free spin can win, and by which posts.' }),
  recentWins: describes<Awaited<ReturnType<typeof newestWins>>>()(
    z
      .array(
        z.object({
          wallet: address('Who won'),
          ...won,
          txHash: payment,
          at: unixMs('When it was opened'),
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
      id: text('The payment, or what else it was opened with.'),
      txHash: payment,
      ...won,
      status,
      prizeTxHash,
      at: unixMs('When it was opened'),
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
    shareCode: text('What a post has to carry for a free spin of this wallet.'),
    hasSpun: z.boolean().meta({ description: 'Whether the wallet has had its free spin today.' }),
    openings,
  })
  .meta({ id: 'LootboxWalletConfig' })

export const OpenAnswer = describes<OpeningAnswer>()(
  z
    .object({
      ok,
      open: z
        .object({
          id: text('The payment, or what else it was opened with.'),
          txHash: payment,
          ...won,
          status,
          prizeTxHash,
          day,
          seedHash: bytes32("sha256 of the day's seed"),
          seed: bytes32("The day's seed")
            .nullable()
            .meta({ description: "The day's seed; null until the day is over." }),
          blockHash: txHash("The payment's block")
            .nullable()
            .meta({ description: "The payment's block; null where the opening was free." }),
          roll: count('The 52 bits that the tier follows from.'),
          odds: z.array(bps).meta({ description: 'The bps of every tier, as they were.' }),
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
      status: z.literal('pending').meta({ description: 'Ask again with the same call.' }),
      acceptedAt: unixMs(
        'When the spin was taken; a beacon is the first one published strictly after that',
      ),
      pepperSource: Pepper,
      expectedAt: unixMs('When the pepper is published'),
    })
    .meta({
      id: 'SpinPending',
      description: 'The free spin is taken; its pepper is not there yet.',
    }),
)

export const DisclosureAnswer = z
  .object({
    ok,
    days: z
      .array(
        z.object({
          day,
          seedHash: bytes32("sha256 of the day's seed"),
          pepperHash: bytes32("sha256 of the day's pepper, where free spins take it from there"),
          committedAt: unixMs('When the seed was drawn'),
          seed: bytes32("The day's seed")
            .nullable()
            .meta({ description: "The day's seed; null until the day is over." }),
        }),
      )
      .meta({ description: 'Today and the seven days before, where a seed was drawn.' }),
  })
  .meta({ id: 'LootboxDisclosure' })
