import { z } from 'zod'
import { Pepper } from '../../api/fairness/answers-schema.ts'
import { Wallet } from '../../api/http/schema.ts'
import type { DisclosedBet, Disclosure } from '../../crash/disclosure.ts'
import { parseAmount } from '../../money/amount.ts'
import { TOKENS } from '../../money/token.ts'
import { readAs } from './read.ts'

export const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
export const RoundId = z.int().min(1)

const Ended = z.object({
  roundId: RoundId,
  seedHash: Hash,
  seed: Hash,
  pepperSource: Pepper,
  openedAt: z.int(),
  betsCloseAt: z.int(),
})

export const Settled = Ended.extend({
  pepper: Hash,
  crash: z.number(),
  edgeBps: z.int().min(0).max(10_000),
  signature: z.string().exactOptional(),
})

export const Voided = Ended.extend({ reason: z.string() })

const Disclosed = z.object({
  ok: z.literal(true),
  rounds: z.array(Settled),
  voided: z.array(Voided),
})

export const Amount = z.string().refine((text) => parseAmount(text) !== null, 'must be an amount')

const Placed = z.object({
  ok: z.literal(true),
  wallet: Wallet,
  token: z.enum(TOKENS),
  amountWei: Amount,
  autoCashout: z.number().nullable(),
  placedAt: z.int(),
  multiplier: z.number(),
  payout: Amount,
})

const Bet = z.discriminatedUnion('outcome', [
  Placed.extend({ outcome: z.enum(['won', 'lost']), ...Settled.shape }),
  Placed.extend({ outcome: z.literal('voided'), ...Voided.shape }),
])

/**
 * Reads a disclosure from untrusted JSON.
 * @throws CommandError with the problems if it isn't one
 */
export function readDisclosure(value: unknown, source: string): Disclosure {
  return readAs(Disclosed, value, `${source} is not a disclosure (the answer of verify-seeds)`)
}

/**
 * Reads a disclosed bet from untrusted JSON.
 * @throws CommandError with the problems if it isn't one
 */
export function readBet(value: unknown, source: string): DisclosedBet {
  return readAs(Bet, value, `${source} is not an ended bet`)
}
