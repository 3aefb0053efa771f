import { z } from 'zod'
import { parseAmount } from '../../money/amount.ts'
import type { DisclosedBox } from '../../verify/box.ts'
import { CommandError } from '../shared/terminal.ts'

const Whole = z.string().transform((text, context): bigint => {
  const whole = parseAmount(text)
  if (whole !== null) return whole
  context.addIssue({ code: 'custom', message: 'must be a whole number as text' })
  return z.NEVER
})

const Box = z.object({
  boxId: Whole,
  kind: z.int(),
  tier: z.int().nullable(),
  prize: Whole.nullable(),
  batch: z.int(),
  pepperHash: z.string(),
  pepper: z.string().nullable(),
})

const Tiers = z.array(z.object({ label: z.string(), bps: z.int().min(0), prize: Whole }))

const Boxes = z.object({
  boxes: z.array(Box),
  kinds: z.array(z.object({ kind: z.int(), tiers: Tiers })),
  next: z.int().nullish(),
})

/** The boxes that can be checked, the reasons why others can't yet, and the start of the next page. */
export interface ReadBoxes {
  boxes: DisclosedBox[]
  waiting: string[]
  next: number | null
}

/**
 * Reads an answer of `GET /api/lootbox-nft`.
 * @throws CommandError with the problems if it isn't one
 */
export function readBoxes(value: unknown, source: string): ReadBoxes {
  const parsed = Boxes.safeParse(value)
  if (!parsed.success) {
    const problems = z.prettifyError(parsed.error)
    throw new CommandError(`${source} is not an answer of /api/lootbox-nft:\n${problems}`)
  }
  const { boxes, kinds, next = null } = parsed.data
  const tiers = new Map(kinds.map((kind) => [kind.kind, kind.tiers]))
  return {
    boxes: boxes.flatMap(({ pepper, kind, ...box }) =>
      pepper === null ? [] : [{ ...box, pepper, tiers: tiers.get(kind) ?? [] }],
    ),
    waiting: boxes.flatMap(({ boxId, batch, pepper }) =>
      pepper === null ? [`box ${boxId}: the pepper of batch ${batch} is not published yet`] : [],
    ),
    next,
  }
}
