import { z } from 'zod'
import type { DisclosedOpening } from '../lootbox/verify.ts'
import { CommandError } from './terminal.ts'

const Opening = z.object({
  id: z.string(),
  txHash: z.string(),
  blockHash: z.string(),
  seedHash: z.string(),
  seed: z.string().nullable(),
  roll: z.number(),
  tier: z.number(),
  label: z.string(),
  odds: z.array(z.number()),
})

/**
 * Reads the answer that opened a lootbox.
 * @throws CommandError where it is none, or its day is not over
 */
export function readOpenings(value: unknown, source: string): DisclosedOpening[] {
  const parsed = z.object({ open: Opening }).safeParse(value)
  if (!parsed.success) throw new CommandError(`${source} is no opening of a lootbox.`)
  const { seed, ...opening } = parsed.data.open
  if (seed !== null) return [{ ...opening, seed }]
  throw new CommandError('Its day is not over: send the same call again tomorrow, and save that.')
}
