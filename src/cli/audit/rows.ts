import { z } from 'zod'
import { Wallet } from '../../api/http/schema.ts'
import type { ExportedBox } from '../../audit/boxes.ts'
import type { ExportedOpening } from '../../audit/openings.ts'
import type { BetRow, PlayRow, RoundRow } from '../../exports/rows.ts'
import { parseAmount } from '../../money/amount.ts'
import { TOKENS } from '../../money/token.ts'
import { Amount, Hash, Settled, Voided } from '../verify/disclosure.ts'
import { From, Opening as OpeningForm } from '../verify/openings.ts'
import { Play } from '../verify/plays.ts'

const MAX_WEI = 2n ** 256n

const Time = z.int().min(0)
const Bps = z.int().min(0).max(10_000)

const Limits = z.object({ min: Amount, max: Amount, maxPayout: Amount, maxRoundPayout: Amount })

const Bankroll = z.object({
  payoutBps: Bps,
  roundBps: Bps,
  amounts: z.object({ ETH: Amount, USDG: Amount }),
})

const Plan = z
  .object({
    roundId: z.int(),
    openedAt: Time,
    betsCloseAt: Time,
    flightAt: Time,
    voidAt: Time,
    resultsMs: Time,
    edgeBps: Bps,
    terms: Hash,
    seedHash: Hash,
    minForcedMultiplier: z.int(),
    pepperSource: Settled.shape.pepperSource,
    limits: z.object({ ETH: Limits, USDG: Limits }),
    bankroll: Bankroll.exactOptional(),
  })
  .nullable()

const ended = { endedAt: Time, betCount: z.int().min(0), betsRoot: Hash, plan: Plan }

const Round = z.discriminatedUnion('kind', [
  z.object({ ...Settled.shape, ...ended, kind: z.literal('settled'), takeoffAt: Time }),
  z.object({ ...Voided.shape, ...ended, kind: z.literal('voided'), edgeBps: Bps }),
])

/** A number with at most two decimals, so that it is a whole number of hundredths. */
const Multiplier = z
  .number()
  .min(0)
  .refine((multiplier) => Math.round(multiplier * 100) / 100 === multiplier, 'two decimals')

const Bet = z.object({
  roundId: z.int(),
  n: z.int().min(0),
  betId: z.string().max(200),
  wallet: Wallet,
  token: z.enum(TOKENS),
  amountWei: Amount.refine((text) => isStake(text), 'must be an amount above 0'),
  autoCashout: Multiplier.nullable(),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  outcome: z.enum(['won', 'lost', 'voided']),
  multiplier: Multiplier,
  payout: Amount,
  placedAt: Time,
  at: Time.nullable(),
})

function isStake(text: string): boolean {
  const amount = parseAmount(text)
  return amount !== null && amount > 0n && amount < MAX_WEI
}

/** The further fields of an exported play. */
const Exported = z.object({
  wallet: Wallet,
  nextSeedHash: Hash,
  settledAt: Time,
  terms: Hash.nullable(),
})

const Spun = z.object({
  ...OpeningForm.shape,
  wallet: Wallet,
  day: z.iso.date(),
  seed: Hash,
  prize: Amount,
  asset: z.string(),
  openedAt: Time,
})

const Place = z.object({ block: z.int().min(0), txHash: z.string() })

const WholeAmount = Amount.transform(BigInt)

const Box = z
  .object({
    boxId: WholeAmount,
    chainId: z.int(),
    contract: Wallet,
    wallet: Wallet,
    n: z.int().min(0),
    kind: z.int().min(0),
    batch: z.int().min(1),
    pepperHash: Hash,
    pepper: Hash,
    bought: Place,
    opened: Place.nullable(),
    at: Time,
    tiers: z
      .array(z.object({ bps: Bps, prize: WholeAmount }))
      .transform((tiers) => tiers.map((tier, n) => ({ ...tier, label: `Tier ${n + 1}` }))),
    tier: z.int().min(0).nullable(),
    prize: WholeAmount.nullable(),
  })
  .refine(
    ({ tier, prize, opened }) =>
      new Set([tier, prize, opened].map((part) => part === null)).size === 1,
    'an opened box has its tier, its prize and its opening, a closed one has none of them',
  )

/** A row, or the problem with its form. */
export type ReadRow<T> = { row: T } | { problem: string }

export const readRound = (line: string) => readRow(Round, line) as ReadRow<RoundRow>

export const readBet = (line: string) => readRow(Bet, line) as ReadRow<BetRow>

/** Reads a settled play as answered, with its wallet and the commitment of its wallet's next play. */
export function readPlay(line: string): ReadRow<PlayRow> {
  const play = readRow(Play, line)
  const exported = readRow(Exported, line)
  if ('problem' in play) return play
  if ('problem' in exported) return exported
  return { row: { ...play.row, ...exported.row } }
}

/** Reads an opening. Either its payment or its pepper decides the source of its draw. */
export function readOpening(line: string): ReadRow<ExportedOpening> {
  const opening = readRow(Spun, line)
  const from = readRow(From, line)
  if ('problem' in opening) return opening
  if ('problem' in from) return from
  return { row: { ...opening.row, from: from.row } }
}

export const readBox = (line: string) => readRow(Box, line) as ReadRow<ExportedBox>

function readRow<T>(schema: z.ZodType<T>, line: string): ReadRow<T> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { problem: 'it is not JSON' }
  }
  const parsed = schema.safeParse(value)
  return parsed.success
    ? { row: parsed.data }
    : { problem: z.prettifyError(parsed.error).replaceAll('\n', ' ') }
}
