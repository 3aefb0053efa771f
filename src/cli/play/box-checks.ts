import type { z } from 'zod'
import type { WalletAnswer } from '../../api/box-nft/answers-schema.ts'
import type { BoxBatch, Box as ChainBox } from '../../chain/boxes.ts'
import type { Check } from '../../fairness/check.ts'
import { showAmount, showAsset } from '../shared/amounts.ts'
import type { Holding } from '../shared/chain-account.ts'

/** The answer of `GET /api/lootbox-nft`. */
export type Shop = z.infer<typeof WalletAnswer>
export type ShownKind = Shop['kinds'][number]
export type ShownBox = Shop['boxes'][number]

/** A box from the player's side. */
export interface PlayedBox {
  /** As shown before the purchase. */
  kind: ShownKind
  /** As on chain before the purchase. */
  batch: Pick<BoxBatch, 'number' | 'pepperHash'>
  order: { price: string; tx: { value: string } }
  opening: { tier: number; prize: string }
  /** As shown by the shop at the end. */
  shown: Omit<ShownBox, 'kind'>
  /** As on chain at the end. */
  onChain: Pick<ChainBox, 'batch' | 'isOpened' | 'tier' | 'prize' | 'isClaimed'>
  /** The number of transactions the player sent. */
  prompts: number
  /** The wallet's reward tokens before and after the claim. */
  held: Holding
}

const PROMPTS = 3

/** Checks a box against the facts shown before its purchase and the facts on chain. */
export function checkPlayedBox(played: PlayedBox): Check[] {
  const { kind, batch, order, opening, shown, onChain, prompts, held } = played
  const tier = kind.tiers[opening.tier]
  const prize = showAsset(BigInt(opening.prize), 'REWARD')
  const [before, after] = [showAsset(held.before, 'REWARD'), showAsset(held.after, 'REWARD')]
  return [
    {
      claim: `the box cost the price shown, ${showAmount(BigInt(kind.price), 'ETH')}`,
      holds: order.price === kind.price && order.tx.value === kind.price,
    },
    {
      claim: `the commitment of its batch, ${batch.number}, was on chain before you bought it`,
      holds:
        onChain.batch === batch.number &&
        shown.batch === batch.number &&
        shown.pepperHash === batch.pepperHash,
    },
    {
      claim: `it is open on chain with the tier answered, ${opening.tier}, ${tier?.label ?? 'unknown'}`,
      holds:
        onChain.isOpened &&
        onChain.tier === opening.tier &&
        onChain.prize === BigInt(opening.prize),
    },
    {
      claim: `its prize is the one shown for its tier, ${prize}`,
      holds: tier?.prize === opening.prize,
    },
    {
      claim: 'the shop shows it as revealed and claimed, with this tier and prize',
      holds:
        shown.state === 'revealed' &&
        shown.tier === opening.tier &&
        shown.prize === opening.prize &&
        shown.claimed &&
        onChain.isClaimed,
    },
    {
      claim: `it took ${PROMPTS} of your transactions: to buy, to reveal and to claim`,
      holds: prompts === PROMPTS,
    },
    {
      claim: `your wallet has exactly ${prize} more: ${before} before, ${after} after`,
      holds: held.after - held.before === BigInt(opening.prize),
    },
  ]
}
