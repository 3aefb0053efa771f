import { z } from 'zod'
import { parseAmount } from '../../money/amount.ts'
import { readAs } from './read.ts'

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
  contract: z.string().optional(),
  chainId: z.int().optional(),
})

/**
 * Reads an answer of `GET /api/lootbox-nft`: the boxes that can be checked, the reasons why others can't yet, the start
 * of the next page, and the contract.
 * @throws CommandError with the problems if it isn't one
 */
export function readBoxes(value: unknown, source: string) {
  const what = 'an answer of /api/lootbox-nft'
  const answer = readAs(Boxes, value, `${source} is not ${what}`)
  const { boxes, kinds, next = null, contract, chainId } = answer
  const tiers = new Map(kinds.map((kind) => [kind.kind, kind.tiers]))
  return {
    boxes: boxes.flatMap(({ pepper, kind, ...box }) =>
      pepper === null ? [] : [{ ...box, pepper, tiers: tiers.get(kind) ?? [] }],
    ),
    waiting: boxes.flatMap(({ boxId, batch, pepper }) =>
      pepper === null ? [`box ${boxId}: the pepper of batch ${batch} is not published yet`] : [],
    ),
    next,
    contract: contract === undefined || chainId === undefined ? null : { contract, chainId },
  }
}
