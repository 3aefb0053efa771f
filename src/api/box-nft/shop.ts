import type { Address } from 'viem'
import { tierOfBox } from '../../box-nft/tier.ts'
import {
  buyCall,
  claimCall,
  isOurSigner,
  openPublishedCall,
  readBox,
  readKinds,
  readPepper,
  readWallet,
  signOpening,
  type Box,
  type BoxKind,
  type BoxPage,
  type BoxPepper,
} from '../../chain/boxes.ts'
import type { BoxConfig } from '../../config/config.ts'
import { invariant } from '../../core/invariant.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { commitmentOf } from '../../fairness/seed.ts'
import type { TermsSummary } from '../../transparency/terms.ts'
import { currentOffer } from './offer.ts'

/** The number of boxes in one answer. */
const PAGE = 100

/** The boxes for sale, and the terms of play that apply. */
interface Shop {
  boxes: BoxConfig
  terms: TermsSummary
}

/** Returns a page of a wallet's boxes and its totals as on chain now, and the current offer. */
export async function showWallet(shop: Shop, wallet: Address, page: Omit<BoxPage, 'count'>) {
  const { boxes } = shop
  const [kinds, { boxes: owned, totals }] = await Promise.all([
    currentOffer(boxes),
    readWallet(boxes, wallet, { ...page, count: PAGE }),
  ])
  return {
    ok: true,
    boxes: await shownBoxes(boxes, owned),
    next: owned.length === PAGE ? page.from + PAGE : null,
    stats: totals,
    ...shownShop(shop, kinds),
  }
}

/** Returns one box as on chain now, regardless of its owner, in the form of {@link showWallet}. */
export async function showBox(shop: Shop, boxId: bigint) {
  const { boxes } = shop
  const [kinds, box] = await Promise.all([currentOffer(boxes), readBox(boxes, boxId, false)])
  if (!box) return NO_BOX
  return { ok: true, boxes: await shownBoxes(boxes, [box]), ...shownShop(shop, kinds) }
}

/** Builds the transaction that buys a box, the first of three wallet prompts. */
export async function buy(boxes: BoxConfig, kind: number): Promise<object> {
  const found = (await currentOffer(boxes))[kind]
  if (!found?.isForSale) {
    return boxState('not_for_sale', 'This kind of box is not for sale now. Choose another kind.')
  }
  const price = found.price.toString()
  const tx = { to: boxes.contract, data: buyCall(kind), value: price, chainId: boxes.chainId }
  return { ok: true, tx, kind, price }
}

/**
 * Returns a box's signed opening and the transaction that opens it, the second wallet prompt. Repeated
 * calls return the same opening.
 */
export async function reveal(boxes: BoxConfig, boxId: bigint): Promise<object> {
  const box = await readBox(boxes, boxId, true)
  if (!box) return NO_BOX
  const opening = box.isOpened ? { ...box, needsNoSignature: false } : await roll(boxes, box)
  if (isRefusal(opening)) return opening
  const { tier, prize, nonce, needsNoSignature } = opening
  const { signature, data } = await signOpening(boxes, { boxId, tier, prize, nonce })
  return {
    ok: true,
    boxId: boxId.toString(),
    tier,
    prize: prize.toString(),
    nonce,
    signature,
    tx: {
      to: boxes.contract,
      data: needsNoSignature ? openPublishedCall(boxId) : data,
      value: '0',
      chainId: boxes.chainId,
    },
  }
}

/** Builds the transaction that claims a revealed box's prize for its owner, the third wallet prompt. */
export async function claim(boxes: BoxConfig, boxId: bigint): Promise<object> {
  const box = await readBox(boxes, boxId, false)
  if (!box) return NO_BOX
  if (!box.isOpened) return boxState('closed', 'The box is still closed. Reveal it first.')
  if (box.isClaimed) return boxState('claimed', "This box's prize has already been paid.")
  const { prize, nonce } = box
  const tx = { to: boxes.award, data: claimCall(box), value: '0', chainId: boxes.chainId }
  return { ok: true, boxId: boxId.toString(), prize: prize.toString(), nonce, tx }
}

/**
 * Returns a closed box's outcome from its batch's pepper, which must match its hash on chain. The pepper of an ended
 * batch is on chain too, so it no longer needs to be configured, and opens the box without the signature of a former
 * signer.
 */
async function roll(
  boxes: BoxConfig,
  { boxId, kind, batch, nonce }: Box,
): Promise<(Pick<Box, 'tier' | 'prize' | 'nonce'> & { needsNoSignature: boolean }) | Refusal> {
  const [kinds, { pepperHash, pepper: published }, isOurs] = await Promise.all([
    readKinds(boxes),
    readPepper(boxes, batch),
    isOurSigner(boxes),
  ])
  if (published === null && !isOurs) {
    return refuse('not_configured', 'The signer of boxes is being replaced. Try again later.')
  }
  const pepper = published ?? boxes.peppers.get(batch)
  if (pepper === undefined) {
    return refuse(
      'not_configured',
      "The pepper of this box's batch is not configured, so the box cannot be revealed. Contact the operator.",
    )
  }
  invariant(
    commitmentOf(pepper) === pepperHash,
    `the pepper of batch ${batch} matches its hash on chain`,
  )
  const tiers = kinds[kind]?.tiers
  if (!tiers) throw new Error(`the node does not have kind ${kind} of boxes yet`)
  const tier = tierOfBox(boxId, pepper, tiers)
  const won = tiers[tier]
  invariant(won, `kind ${kind} has tier ${tier}`)
  return { tier, prize: won.prize, nonce, needsNoSignature: !isOurs }
}

/** Returns boxes with their batches' pepper hashes. Reads each batch once. */
async function shownBoxes(boxes: BoxConfig, owned: Box[]) {
  const batches = [...new Set(owned.map(({ batch }) => batch))]
  const peppers = await Promise.all(batches.map((batch) => readPepper(boxes, batch)))
  return owned.map((box) => shownBox(box, peppers[batches.indexOf(box.batch)]))
}

function shownBox(
  { boxId, kind, isOpened, tier, prize, isClaimed, batch }: Box,
  pepper: BoxPepper | undefined,
) {
  invariant(pepper, `batch ${batch} was read`)
  return {
    boxId: boxId.toString(),
    kind,
    state: isOpened ? 'revealed' : 'closed',
    tier: isOpened ? tier : null,
    prize: isOpened ? prize.toString() : null,
    claimed: isClaimed,
    batch,
    ...pepper,
  }
}

function shownShop({ boxes, terms }: Shop, kinds: BoxKind[]) {
  return {
    terms,
    kinds: kinds.map((kind, number) => shownKind(boxes, kind, number)),
    contract: boxes.contract,
    chainId: boxes.chainId,
  }
}

function shownKind({ labels }: BoxConfig, { price, isForSale, tiers }: BoxKind, kind: number) {
  return {
    kind,
    price: price.toString(),
    isForSale,
    tiers: tiers.map(({ bps, prize }, tier) => ({
      tier,
      label: labels[kind]?.[tier] ?? `Tier ${tier + 1}`,
      bps,
      prize: prize.toString(),
    })),
  }
}

const NO_BOX = refuse(
  'not_found',
  'No box on chain has this id. If you have just bought it, try again once the purchase is confirmed.',
)

function boxState(state: string, message: string): Refusal {
  return refuse('box_state', message, { state })
}
