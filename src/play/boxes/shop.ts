import type { z } from 'zod'
import type { BoxAnswer, WalletAnswer } from '../../api/box-nft/answers-schema.ts'
import { ZERO_ADDRESS } from '../../vault/typed-data.ts'
import { get, isFailure, type Failure, type Problem } from '../api.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'

const PATH = '/api/lootbox-nft'

/** The answer of GET /api/lootbox-nft to a wallet. */
export type Shop = z.infer<typeof WalletAnswer>
export type Kind = Shop['kinds'][number]
export type Box = Shop['boxes'][number]

interface State {
  owner: string | undefined
  /** Null until it has been read. Boxes are newest first, as far as they were read. */
  shop: Shop | null
  /** Whether further boxes are being read. */
  isReading: boolean
  problem: Problem | null
}

const NOTHING = { shop: null, isReading: false, problem: null }

export const shopping = new Store<State>({ ...NOTHING, owner: undefined })

/** Counts the reads of single boxes, which a list asked for before may not show. */
let boxReads = 0

/** Reloads kinds and the newest boxes. */
export async function readShop(): Promise<void> {
  const owner = session.value.credentials?.wallet
  if (shopping.value.owner !== owner) shopping.set({ ...NOTHING, owner })
  const reads = boxReads
  const page = await readPage(0)
  if (page && reads === boxReads) shopping.patch({ shop: joined(page, shopping.value.shop) })
}

/** Reads the next boxes. */
export async function readMore(): Promise<void> {
  const { shop, isReading } = shopping.value
  if (!shop?.next || isReading) return
  shopping.patch({ isReading: true })
  const page = await readPage(shop.next)
  const now = shopping.value.shop
  if (page && now?.next === shop.next) {
    const boxes = [...now.boxes, ...without(page.boxes, now.boxes)]
    shopping.patch({ shop: { ...page, boxes } })
  }
  shopping.patch({ isReading: false })
}

/** Reads one box, which is shown among the others. @returns null while the service does not know it */
export async function readBox(boxId: string): Promise<Box | Failure | null> {
  const { owner } = shopping.value
  const answer = await get<z.infer<typeof BoxAnswer>>(PATH, { boxId })
  if (isFailure(answer)) return answer.error.code === 'not_found' ? null : answer
  const { shop, owner: now } = shopping.value
  const [box] = answer.boxes
  if (!box || !shop || now !== owner) return null
  boxReads++
  const isShown = shop.boxes.some((each) => each.boxId === boxId)
  const boxes = shop.boxes.map((each) => (each.boxId === boxId ? box : each))
  shopping.patch({ shop: { ...shop, boxes: isShown ? boxes : [box, ...boxes] } })
  return box
}

/** @returns null if it fails, or if another player has come meanwhile */
async function readPage(from: number): Promise<Shop | null> {
  const { owner } = shopping.value
  // Without a wallet the shop is shown as to a wallet without boxes.
  const query = { wallet: owner ?? ZERO_ADDRESS, order: 'newest', from: String(from) }
  const page = await get<Shop>(PATH, query)
  if (session.value.credentials?.wallet !== owner) return null
  shopping.patch({ problem: isFailure(page) ? page.error : null })
  return isFailure(page) ? null : page
}

/** Returns the newest page with the older boxes that were read after it, unless there are boxes between them. */
function joined(page: Shop, shop: Shop | null): Shop {
  if (!shop || shop.next === page.next) return page
  const older = without(shop.boxes, page.boxes)
  if (older.length === shop.boxes.length) return page
  const isSame = page.boxes
    .slice(older.length - shop.boxes.length)
    .every(({ boxId }, at) => boxId === shop.boxes[at]?.boxId)
  if (!isSame) return page
  return { ...page, boxes: [...page.boxes, ...older], next: shop.next }
}

function without(boxes: Box[], others: Box[]): Box[] {
  const known = new Set(others.map(({ boxId }) => boxId))
  return boxes.filter(({ boxId }) => !known.has(boxId))
}
