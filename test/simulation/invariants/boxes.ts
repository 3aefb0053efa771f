import type { Hex } from 'viem'
import { tierOfBox } from '../../../src/box-nft/tier.ts'
import { boxNftAbi } from '../../../src/chain/abi.ts'
import type { Answer } from '../actors/client.ts'
import { CHAIN } from '../chain/addresses.ts'
import { signerOf } from '../chain/box-signature.ts'
import {
  BOXES,
  isClaimed,
  isCovered,
  KINDS,
  nonceOf,
  prizeOf,
  walletOf,
  type BoxState,
  type SoldBox,
} from '../chain/box-state.ts'
import type { Chain } from '../chain/chain.ts'
import { decodeCall } from '../chain/decoded.ts'
import type { Peppers } from '../world/peppers.ts'
import type { World } from '../world/world.ts'
import { checkBatchLog } from './box-log.ts'
import type { BoxWatch } from './box-watch.ts'

/** The service shows a view again for so long. */
const KEPT_MS = 1_000

/** The greatest age of an offer: an isolate keeps it for three seconds, and for three more while it reads the next. */
const OFFER_MS = 6_000

/** A transaction that the service has built for a wallet. */
export interface BuiltTx {
  to: Hex
  data: Hex
  value: string
}

/** What a box was revealed to. */
interface Opening {
  tier: number
  prize: string
  nonce: Hex
  signature: Hex
  tx: BuiltTx
}

/** A box as the service shows it. */
interface ShownBox {
  boxId: string
  kind: number
  state: string
  tier: number | null
  prize: string | null
  claimed: boolean
  batch: number
  pepperHash: string
  pepper: string | null
}

/** What the service shows of a wallet or a box. */
interface Shown {
  boxes: ShownBox[]
  kinds: { kind: number; isForSale: boolean }[]
  stats: unknown
}

/** A purchase is offered only of what a node called for sale. @param from when it was asked for */
export function checkOffer(
  { world, watch }: { world: World; watch: BoxWatch },
  kind: number,
  { json }: Answer,
  from: number,
): void {
  const states = watch.statesSince(from - OFFER_MS)
  if (!wasShown(states, kind, true)) world.violate(`kind ${kind} was offered, but was not for sale`)
  const { to, value } = json['tx'] as BuiltTx
  if (to !== BOXES.contract || value !== KINDS[kind]?.price.toString())
    world.violate(`kind ${kind} was offered for ${value} at ${to}`)
}

/** A box always reveals the same, which its batch's pepper draws, and only once its purchase is final. */
export function checkReveal(
  { world, watch }: { world: World; watch: BoxWatch },
  boxId: bigint,
  answer: Answer,
  from: number,
): void {
  const found = findBox(watch.statesSince(from), boxId)
  if (answer.status === 500 && found.length > 0 && found.every(({ isOpened }) => isOpened))
    return world.violate(`box ${boxId} is opened, and is not revealed any more`)
  if (answer.status !== 200) return
  const [box] = found
  if (!box) return world.violate(`box ${boxId} was revealed, and no node had it`)
  if (!watch.isFinal(boxId)) world.violate(`box ${boxId} was revealed before it was confirmed`)
  world.promise(`the opening of box ${boxId}`, answer.text)
  const { tier, prize, nonce, signature, tx } = answer.json as unknown as Opening
  const right = world.boxes && drawnFor(world.boxes, boxId, box)
  if (tier !== right?.tier || prize !== right.prize.toString() || nonce !== nonceOf(boxId))
    world.violate(`box ${boxId} was revealed with tier ${tier} and prize ${prize}`)
  const args = [boxId, BigInt(tier), BigInt(prize), nonce, signature] as const
  if (signerOf({ chainId: CHAIN.chainId, contract: BOXES.contract }, args) !== BOXES.signer)
    world.violate(`the opening of box ${boxId} has a wrong signature`)
  const call = decodeCall(boxNftAbi, tx.data)
  if (call.functionName !== 'open' || String(call.args) !== String(args))
    world.violate(`the opening of box ${boxId} comes with another transaction`)
}

/** What a wallet's or a box's view shows, nodes had since it was asked for, though not all of it the same node. */
export function checkView(
  { world, watch }: { world: World; watch: BoxWatch },
  of: { wallet: string } | { boxId: bigint },
  { json }: Answer,
  from: number,
): void {
  const states = watch.statesSince(from - KEPT_MS)
  const { boxes, kinds, stats } = json as unknown as Shown
  const expectSome = (what: string, shown: unknown, read: (state: BoxState) => unknown) => {
    const text = JSON.stringify(shown)
    if (!states.some((state) => JSON.stringify(read(state)) === text))
      world.violate(`${what} was shown as ${text}, which no node had`)
  }
  if ('wallet' in of) {
    const { wallet } = of
    const owned = (state: BoxState) =>
      walletOf(state, wallet).boxes.map((boxId) => coreOf(state, boxId, true))
    expectSome(
      `the list of ${wallet}`,
      boxes.map((box) => shownCore(box, true)),
      owned,
    )
    expectSome(`the totals of ${wallet}`, stats, (state) => {
      const { bought, opened, claimed } = walletOf(state, wallet)
      return { bought, revealed: opened, claimed }
    })
  } else {
    const [box] = boxes
    if (!box) return world.violate(`box ${of.boxId} was shown as nothing`)
    expectSome('a box', shownCore(box, false), (state) => coreOf(state, of.boxId, false))
    expectSome(`box ${of.boxId}'s claim`, box.claimed, (state) => isClaimed(state, of.boxId))
  }
  for (const { batch, pepperHash, pepper } of boxes)
    expectSome(`the pepper of batch ${batch}`, [pepperHash, pepper], ({ batches }) => {
      const known = batches[batch - 1]
      return known && [known.pepperHash.slice(2), known.isEnded ? known.pepper.slice(2) : null]
    })
  const offered = watch.statesSince(from - KEPT_MS - OFFER_MS)
  for (const { kind, isForSale } of kinds)
    // While a pepper is wrong, nothing is for sale.
    if (!wasShown(offered, kind, isForSale) && (isForSale || !world.boxes?.werePermuted))
      world.violate(`kind ${kind} was shown as ${isForSale ? '' : 'not '}for sale`)
}

/**
 * Returns whether a kind could be shown so. The service reads kinds, leftover and batch separately, perhaps from
 * several nodes.
 */
function wasShown(states: readonly BoxState[], kind: number, isForSale: boolean): boolean {
  const isOnSale = states.some(({ forSale }) => forSale[kind] === isForSale)
  const isPayable = states.some((state) => isCovered(state, kind) === isForSale)
  const hasBatch = states.some(({ batches }) => (batches.at(-1)?.stoppedAt === 0) === isForSale)
  return isForSale ? isOnSale && isPayable && hasBatch : isOnSale || isPayable || hasBatch
}

function shownCore(
  { boxId, kind, state, tier, prize, claimed, batch }: ShownBox,
  isWhole: boolean,
) {
  return [boxId, kind, batch, state, tier, prize, ...(isWhole ? [claimed] : [])]
}

function coreOf(state: BoxState, boxId: bigint, isWhole: boolean): unknown[] {
  const box = state.sold.get(boxId)
  if (!box) return []
  const { kind, batch, isOpened, tier } = box
  return [
    boxId.toString(),
    kind,
    batch,
    isOpened ? 'revealed' : 'closed',
    isOpened ? tier : null,
    isOpened ? prizeOf(box).toString() : null,
    ...(isWhole ? [isClaimed(state, boxId)] : []),
  ]
}

function findBox(states: readonly BoxState[], boxId: bigint): SoldBox[] {
  return states.flatMap(({ sold }) => sold.get(boxId) ?? [])
}

/** Returns the tier and the prize that a batch's pepper draws for a box. */
function drawnFor(peppers: Peppers, boxId: bigint, { kind, batch }: SoldBox) {
  const tiers = KINDS[kind]?.tiers ?? []
  const tier = tierOfBox(boxId, peppers.of(batch), tiers)
  return { tier, prize: tiers[tier]?.prize ?? 0n }
}

/**
 * Once nothing fails any more, every box has paid the prize that its batch's pepper draws, and the log has all batches.
 */
export function checkBoxes(world: World, chain: Chain, peppers: Peppers): void {
  const { sold, paid } = chain.head.state.boxes
  for (const [boxId, box] of sold) {
    const { prize } = drawnFor(peppers, boxId, box)
    const prizes = paid.filter((each) => each.boxId === boxId).map((each) => each.prize)
    if (prizes.length !== 1 || prizes[0] !== prize)
      world.violate(`box ${boxId} has paid ${prizes.join(' and ') || 'nothing'}, not ${prize}`)
  }
  checkBatchLog(world, chain)
}
