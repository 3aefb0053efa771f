import { z } from 'zod'
import type { Disclosure } from '../crash/disclosure.ts'
import { CommandError } from './terminal.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')
const RoundId = z.int().min(1)

const PepperSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('drand-quicknet'), round: z.int().min(1) }),
  z.object({ kind: z.literal('committed'), pepperHash: Hash }),
])

const Disclosed = z.object({
  ok: z.literal(true),
  rounds: z.array(
    z.object({
      roundId: RoundId,
      seedHash: Hash,
      seed: Hash,
      pepper: Hash,
      crash: z.number(),
      pepperSource: PepperSource,
      edgeBps: z.int().min(0).max(10_000),
      signature: z.string().exactOptional(),
    }),
  ),
  voided: z.array(
    z.object({
      roundId: RoundId,
      seedHash: Hash,
      seed: Hash,
      pepperSource: PepperSource,
      reason: z.string(),
    }),
  ),
})

/**
 * Reads a disclosure from what came from outside.
 * @throws CommandError if it is not one, saying what is wrong where
 */
export function readDisclosure(value: unknown, source: string): Disclosure {
  const parsed = Disclosed.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = z.prettifyError(parsed.error)
  throw new CommandError(`${source} is not a disclosure (the answer of verify-seeds):\n${problems}`)
}
