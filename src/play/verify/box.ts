import type { z } from 'zod'
import type { BoxAnswer } from '../../api/box-nft/answers-schema.ts'
import { boxHash, tierTable } from '../../box-nft/tier.ts'
import { checkSeen, type Step } from '../../fairness/check.ts'
import { verifyBox } from '../../verify/box.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { kept } from '../keepsakes.ts'
import type { Proof } from './proof.ts'

/** Verifies a box on this machine once its batch's pepper has been published. */
export async function proveBox(boxId: string): Promise<Proof | Failure> {
  const shop = await get<z.infer<typeof BoxAnswer>>('/api/lootbox-nft', { boxId })
  if (isFailure(shop)) return shop
  const [box] = shop.boxes
  const kind = shop.kinds.find((each) => each.kind === box?.kind)
  if (!box || !kind) return fail('not_found', 'This box does not exist.')
  const title = `Box ${boxId.length > 12 ? `${boxId.slice(0, 6)}…${boxId.slice(-4)}` : boxId}`
  const steps = [
    { name: 'Box id, drawn by the contract at the purchase', value: boxId },
    { name: 'Hash of the batch’s pepper, on chain before the sale', value: box.pepperHash },
  ]
  const { pepper } = box
  const bought = kept('boxes', boxId)
  const asShown = checkSeen(
    'its odds and prizes are those shown before you bought the box',
    tierTable(kind.tiers),
    bought?.tiers && tierTable(bought.tiers),
  )
  if (pepper === null) {
    // Alone, it verifies nothing.
    return { title, steps, checks: asShown.filter(({ holds }) => !holds), note: NOT_ENDED }
  }
  const id = BigInt(boxId)
  const tiers = kind.tiers.map((tier) => ({ ...tier, prize: BigInt(tier.prize) }))
  const seen = { ...kept('batches', String(box.batch)), ...bought }
  const prize = box.prize === null ? null : BigInt(box.prize)
  return {
    title,
    steps: [
      ...steps,
      ...tierSteps(
        id,
        pepper,
        tiers.map(({ bps }) => bps),
      ),
    ],
    checks: [...verifyBox({ ...box, boxId: id, pepper, prize, tiers }, seen), ...asShown],
    ...(!seen.pepperHash && { note: NOT_SEEN }),
  }
}

/** Returns the steps from a box's id and pepper to its tier. @param odds in basis points, by tier */
export function tierSteps(id: bigint, pepper: string, odds: readonly number[]): Step[] {
  const hash = boxHash(id, pepper)
  return [
    { name: 'Pepper', value: pepper },
    { name: 'keccak256(abi.encode(id, pepper))', value: hash },
    { name: 'The hash modulo 10,000', value: String(BigInt(`0x${hash}`) % 10_000n) },
    { name: 'Chance of each tier, in basis points', value: odds.join(', ') },
  ]
}

const NOT_SEEN =
  'The maths is right. This browser did not see this batch on sale, so it can’t confirm the hash of the pepper. If you bought the box here, save this page as evidence.'

const NOT_ENDED =
  'This box’s batch is still on sale, so its pepper is secret. The pepper is published on chain when the batch ends. Then you can verify the tier here.'
