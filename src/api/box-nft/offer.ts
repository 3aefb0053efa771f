import { readBatch, readOffer, type BoxKind } from '../../chain/boxes.ts'
import type { BoxConfig } from '../../config/config.ts'
import { BriefCache } from '../http/brief-cache.ts'

/** What is for sale, which is the same for everybody. */
interface Offer {
  kinds: BoxKind[]
  /** Whether boxes of the current batch are on sale. */
  isOnSale: boolean
}

/** Cached, because anyone may ask and withdrawals need the same node. The contract refuses a late purchase. */
const offers = new BriefCache<Offer>(3_000)

/** Returns what was for sale at most a few seconds ago. @throws if the node doesn't answer */
export function currentOffer(boxes: BoxConfig): Promise<Offer> {
  return offers.get(`${boxes.chainId} ${boxes.contract}`, async () => {
    const [kinds, { isOnSale }] = await Promise.all([readOffer(boxes), readBatch(boxes)])
    return { kinds, isOnSale }
  })
}
