import type { Check } from '../../fairness/check.ts'
import type { BoxBatch, Box as ChainBox } from '../../chain/boxes.ts'
import { showAmount, showAsset } from '../shared/amounts.ts'
import type { Holding } from '../shared/chain-account.ts'

/** A kind of box as `GET /api/lootbox-nft` shows it. */
export interface ShownKind {
  kind: number
  /** In wei. */
  price: string
  isForSale: boolean
  tiers: { tier: number; label: string; bps: number; prize: string }[]
}

/** A box as it shows it. */
export interface ShownBox {
  boxId: string
  state: 'closed' | 'revealed'
  tier: number | null
  prize: string | null
  claimed: boolean
  batch: number
  pepperHash: string
  pepper: string | null
}

/** A box from the player's side. */
export interface PlayedBox {
  /** As it was shown before the purchase. */
  kind: ShownKind
  /** As it was on chain before the purchase. */
  batch: Pick<BoxBatch, 'number' | 'pepperHash'>
  order: { price: string; tx: { value: string } }
  opening: { tier: number; prize: string }
  /** As the shop shows it at the end. */
  shown: ShownBox
  /** As it is on chain at the end. */
  onChain: Pick<ChainBox, 'batch' | 'isOpened' | 'tier' | 'prize' | 'isClaimed'>
  /** How many transactions the player has sent. */
  prompts: number
  /** What the wallet held of the reward token around the claim. */
  held: Holding
}

const PROMPTS = 3

/** Holds a box against what was shown before it was bought and what the chain tells of it. */
export function checkPlayedBox(played: PlayedBox): Check[] {
  const { kind, batch, order, opening, shown, onChain, prompts, held } = played
  const tier = kind.tiers[opening.tier]
  const prize = showAsset(BigInt(opening.prize), 'REWARD')
  const [before, after] = [showAsset(held.before, 'REWARD'), showAsset(held.after, 'REWARD')]
  return [
    {
      claim: `it cost the price that was shown, ${showAmount(BigInt(kind.price), 'ETH')}`,
      holds: order.price === kind.price && order.tx.value === kind.price,
    },
    {
      claim: `its batch, ${batch.number}, was committed to on chain before you bought it`,
      holds:
        onChain.batch === batch.number &&
        shown.batch === batch.number &&
        shown.pepperHash === batch.pepperHash,
    },
    {
      claim: `the chain has opened it to what was answered, tier ${opening.tier}, ${tier?.label ?? 'unknown'}`,
      holds:
        onChain.isOpened &&
        onChain.tier === opening.tier &&
        onChain.prize === BigInt(opening.prize),
    },
    {
      claim: `its prize is the one that was shown for its tier, ${prize}`,
      holds: tier?.prize === opening.prize,
    },
    {
      claim: 'the shop shows it revealed and claimed, with this tier and prize',
      holds:
        shown.state === 'revealed' &&
        shown.tier === opening.tier &&
        shown.prize === opening.prize &&
        shown.claimed &&
        onChain.isClaimed,
    },
    {
      claim: `it took ${PROMPTS} transactions of yours: to buy, to reveal, to claim`,
      holds: prompts === PROMPTS,
    },
    {
      claim: `your wallet has exactly ${prize} more: ${before} before, ${after} after`,
      holds: held.after - held.before === BigInt(opening.prize),
    },
  ]
}
