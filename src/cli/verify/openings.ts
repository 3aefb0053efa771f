import { z } from 'zod'
import { Pepper } from '../../api/fairness/answers-schema.ts'
import type { DisclosedOpening } from '../../verify/opening.ts'
import { CommandError } from '../shared/terminal.ts'

export const From = z.union([
  z.object({
    acceptedAt: z.number(),
    pepper: z.string(),
    pepperSource: Pepper,
    signature: z.string().default(''),
  }),
  z.object({ txHash: z.string(), blockHash: z.string() }),
])
export const Opening = z.object({
  id: z.string(),
  day: z.string(),
  seedHash: z.string(),
  seed: z.string().nullable(),
  roll: z.number(),
  tier: z.number(),
  label: z.string(),
  odds: z.array(z.number()),
  prize: z.string().exactOptional(),
  asset: z.string().exactOptional(),
})

/**
 * Reads the answer of an opened lootbox.
 * @throws CommandError if it isn't one, or its day hasn't ended
 */
export function readOpenings(value: unknown, source: string): DisclosedOpening[] {
  const parsed = z.object({ open: Opening }).safeParse(value)
  const from = z.object({ open: From }).safeParse(value)
  if (!parsed.success || !from.success)
    throw new CommandError(`${source} is not the answer of an opened lootbox.`)
  const { seed, ...opening } = parsed.data.open
  if (seed !== null) return [{ ...opening, seed, from: from.data.open }]
  throw new CommandError(
    'The day of this opening has not ended. Send the same call again tomorrow, and save that answer.',
  )
}
