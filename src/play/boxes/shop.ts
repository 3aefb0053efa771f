import type { z } from 'zod'
import type { WalletAnswer } from '../../api/box-nft/answers-schema.ts'
import { ZERO_ADDRESS } from '../../vault/typed-data.ts'
import { get, isFailure, type Failure, type Problem } from '../api.ts'
import { session } from '../session.ts'
import { Store } from '../store.ts'

/** The answer of GET /api/lootbox-nft to a wallet. */
type Answer = z.infer<typeof WalletAnswer>
export type Shop = Omit<Answer, 'next'>
export type Kind = Answer['kinds'][number]
export type Box = Answer['boxes'][number]

interface State {
  owner: string | undefined
  /** Null until it has been read. Boxes are newest first. */
  shop: Shop | null
  problem: Problem | null
}

export const shopping = new Store<State>({ owner: undefined, shop: null, problem: null })

/** Reloads kinds and boxes. */
export async function readShop(): Promise<void> {
  const owner = session.value.credentials?.wallet
  if (shopping.value.owner !== owner) shopping.set({ owner, shop: null, problem: null })
  // Without a wallet the shop is shown as to a wallet without boxes.
  const shop = await readPages(owner ?? ZERO_ADDRESS)
  if (session.value.credentials?.wallet !== owner) return
  if (isFailure(shop)) shopping.patch({ problem: shop.error })
  else shopping.patch({ shop, problem: null })
}

async function readPages(wallet: string): Promise<Shop | Failure> {
  const boxes: Box[] = []
  let from = 0
  for (;;) {
    const page = await get<Answer>('/api/lootbox-nft', { wallet, from: String(from) })
    if (isFailure(page)) return page
    boxes.push(...page.boxes)
    if (page.next === null) return { ...page, boxes: boxes.toReversed() }
    from = page.next
  }
}
