import { hasPepper, isOurSigner, readBatch, readOffer, type BoxKind } from '../../chain/boxes.ts'
import type { BoxConfig } from '../../config/config.ts'
import { BriefCache } from '../http/brief-cache.ts'

/** Cached, because anyone may ask and withdrawals need the same node. The contract refuses a late purchase. */
const offers = new BriefCache<BoxKind[]>(3_000)

/**
 * Returns the kinds of boxes at most a few seconds ago. None is for sale unless its boxes can be opened: the contract
 * sells them without asking whether the service has their batch's pepper and the key of its signer.
 * @throws if the node doesn't answer
 */
export function currentOffer(boxes: BoxConfig): Promise<BoxKind[]> {
  return offers.get(`${boxes.chainId} ${boxes.contract}`, async () => {
    const [kinds, batch, isOurs] = await Promise.all([
      readOffer(boxes),
      readBatch(boxes),
      isOurSigner(boxes),
    ])
    const isOnSale = batch.isOnSale && hasPepper(boxes, batch) && isOurs
    return kinds.map((kind) => ({ ...kind, isForSale: kind.isForSale && isOnSale }))
  })
}
