import {
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  isAddressEqual,
  keccak256,
  sha256,
  type Address,
  type Hex,
} from 'viem'
import { tierOfBox, type BoxTier } from '../../../src/box-nft/tier.ts'
import { awardAbi, boxNftAbi } from '../../../src/chain/abi.ts'
import { signerOf } from './box-signature.ts'
import { decodeCall } from './decoded.ts'
import { LOOTBOX } from './pool-state.ts'

/** The simulated contracts of the boxes. */
export const BOXES = {
  contract: '0xa513E6E4b8f2a923D98304ec87F64353C4D5C853',
  award: '0x2279B7A0a67DB372996a5FaB50D91eAA73d2eBe6',
  owner: '0x8A791620dd6260079BF849Dc5567aDC3F2FdC318',
  /** The token of the prizes. */
  reward: LOOTBOX.reward,
  /** Its key is the setting's. */
  signer: '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
} as const

const UNIT = 10n ** 18n

/** The kinds of boxes. Only whether they are for sale ever changes. */
export const KINDS: readonly { price: bigint; tiers: readonly BoxTier[] }[] = [
  {
    price: 10n ** 16n,
    tiers: [
      { bps: 6_000, prize: 5n * UNIT },
      { bps: 3_000, prize: 20n * UNIT },
      { bps: 1_000, prize: 200n * UNIT },
    ],
  },
  {
    price: 3n * 10n ** 16n,
    tiers: [
      { bps: 5_000, prize: 11n * UNIT },
      { bps: 5_000, prize: 70n * UNIT },
    ],
  },
]

export interface Batch {
  pepperHash: Hex
  /** Zero until the batch ends. */
  pepper: Hex
  openedAt: number
  /** Zero during the sale. */
  stoppedAt: number
  isEnded: boolean
}

export interface SoldBox {
  owner: Address
  kind: number
  batch: number
  isOpened: boolean
  tier: number
}

/** Returns what the public log has of all batches, as text. */
export function batchTexts({ batches }: BoxState): string[] {
  return batches.flatMap(({ pepperHash, pepper, isEnded }, index) => [
    `${index + 1}:open ${pepperHash.slice(2)}`,
    ...(isEnded ? [`${index + 1}:closed ${pepper.slice(2)}`] : []),
  ])
}

/** A wallet's boxes, in the contract's order, and its totals. */
export interface BoxWallet {
  boxes: readonly bigint[]
  bought: number
  opened: number
  claimed: number
}

/** A prize that the award contract has paid. */
export interface BoxPrize {
  boxId: bigint
  to: Address
  prize: bigint
}

/** The contracts' state after a block. Never changed in place. */
export interface BoxState {
  forSale: readonly boolean[]
  /** The first has number 1. */
  batches: readonly Batch[]
  sold: ReadonlyMap<bigint, SoldBox>
  wallets: ReadonlyMap<string, BoxWallet>
  /** The award contract's reward tokens. */
  held: bigint
  paid: readonly BoxPrize[]
}

export const NO_HASH: Hex = `0x${'0'.repeat(64)}`
const NO_WALLET: BoxWallet = { boxes: [], bought: 0, opened: 0, claimed: 0 }

export const NO_BOXES: BoxState = {
  forSale: KINDS.map(() => true),
  batches: [],
  sold: new Map(),
  wallets: new Map(),
  held: 0n,
  paid: [],
}

/** A transaction to one of the contracts, or to the token of the prizes. */
export interface BoxCall {
  kind: 'boxes'
  from: Address
  to: Address
  data: Hex
  value: bigint
}

/** The block that a call is in. */
export interface InBlock {
  number: number
  /** The hash of the block before it. */
  parent: Hex
  prevrandao: Hex
  chainId: number
}

export interface BoxLog {
  address: Address
  topics: Hex[]
  data: Hex
}

export type BoxEffect = { boxes: BoxState; logs: BoxLog[] }

/** Carries out a transaction by the contracts' rules. Returns null if it reverts. */
export function applyToBoxes(boxes: BoxState, call: BoxCall, block: InBlock): BoxEffect | null {
  if (isAddressEqual(call.to, BOXES.contract)) return applyToContract(boxes, call, block)
  if (call.value !== 0n) return null
  const after = isAddressEqual(call.to, BOXES.award)
    ? claimed(boxes, call.data)
    : funded(boxes, call.data)
  // Nothing reads these logs.
  return after && { boxes: after, logs: [] }
}

function applyToContract(boxes: BoxState, call: BoxCall, block: InBlock): BoxEffect | null {
  const { functionName, args } = decodeCall(boxNftAbi, call.data)
  if (functionName === 'buy') return bought(boxes, call, block, Number(args[0]))
  if (call.value !== 0n) return null
  if (functionName === 'open') return opened(boxes, block, args)
  if (functionName === 'endBatch') return ended(boxes, block, args[0])
  if (functionName === 'transferFrom')
    return transferred(boxes, call.from, { from: args[0], to: args[1], boxId: args[2] })
  if (!isAddressEqual(call.from, BOXES.owner)) return null
  if (functionName === 'openBatch') return batchOpened(boxes, block, args[0])
  if (functionName === 'stopBatch') return batchStopped(boxes, block)
  if (functionName !== 'setForSale') return null
  const forSale = boxes.forSale.with(Number(args[0]), args[1])
  return { boxes: { ...boxes, forSale }, logs: [] }
}

function bought(boxes: BoxState, call: BoxCall, block: InBlock, kind: number): BoxEffect | null {
  const number = boxes.batches.length
  const batch = boxes.batches.at(-1)
  const isOnSale = batch && block.number > batch.openedAt && batch.stoppedAt === 0
  if (!isOnSale || !boxes.forSale[kind] || call.value !== KINDS[kind]?.price) return null
  if (!isCovered(boxes, kind)) return null
  const wallet = walletOf(boxes, call.from)
  const boxId = BigInt(
    keccak256(
      encodeAbiParameters(
        ['bytes32', 'bytes32', 'address', 'uint256', 'address'].map((type) => ({ type })),
        [block.prevrandao, block.parent, call.from, BigInt(wallet.bought), BOXES.contract],
      ),
    ),
  )
  const box = { owner: call.from, kind, batch: number, isOpened: false, tier: 0 }
  const after = withWallet(withBox(boxes, boxId, box), call.from, {
    boxes: [...wallet.boxes, boxId],
    bought: wallet.bought + 1,
  })
  const topics = topicsOf('Bought', { boxId, buyer: call.from })
  return { boxes: after, logs: [logOf(topics, BigInt(kind), BigInt(number))] }
}

type OpenArgs = readonly [boxId: bigint, tier: bigint, prize: bigint, nonce: Hex, signature: Hex]

function opened(boxes: BoxState, { chainId }: InBlock, args: OpenArgs): BoxEffect | null {
  const [boxId, tier, prize, nonce] = args
  if (signerOf({ chainId, contract: BOXES.contract }, args) !== BOXES.signer) return null
  const box = boxes.sold.get(boxId)
  if (!box || nonce !== nonceOf(boxId) || box.isOpened) return null
  const tiers = KINDS[box.kind]?.tiers ?? []
  const batch = batchOf(boxes, box.batch)
  const isRight = !batch.isEnded || Number(tier) === tierOfBox(boxId, batch.pepper.slice(2), tiers)
  if (!isRight || tiers[Number(tier)]?.prize !== prize) return null
  const after = withBox(boxes, boxId, { ...box, isOpened: true, tier: Number(tier) })
  const logs = [logOf(topicsOf('Opened', { boxId }), tier, prize, BigInt(nonce))]
  return {
    boxes: withWallet(after, box.owner, { opened: walletOf(boxes, box.owner).opened + 1 }),
    logs,
  }
}

/** The caller must own the box: nobody approves others here. */
function transferred(
  boxes: BoxState,
  caller: Address,
  { from, to, boxId }: { from: Address; to: Address; boxId: bigint },
): BoxEffect | null {
  const box = boxes.sold.get(boxId)
  if (!box?.isOpened || box.owner !== from || caller !== from) return null
  const after = withWallet(withBox(boxes, boxId, { ...box, owner: to }), from, {
    boxes: without(walletOf(boxes, from).boxes, boxId),
  })
  const logs: BoxLog[] = []
  return { boxes: withWallet(after, to, { boxes: [...walletOf(after, to).boxes, boxId] }), logs }
}

/** The last box takes the place of the one that leaves. */
function without(list: readonly bigint[], boxId: bigint): bigint[] {
  const rest = list.slice(0, -1)
  const at = list.indexOf(boxId)
  return at === rest.length ? rest : rest.with(at, list.at(-1) ?? boxId)
}

function batchOpened(boxes: BoxState, block: InBlock, pepperHash: Hex): BoxEffect | null {
  const { batches } = boxes
  const isReady = batches.at(-1)?.isEnded ?? true
  const isUsed = batches.some((batch) => batch.pepperHash === pepperHash)
  if (!isReady || isUsed || pepperHash === NO_HASH) return null
  const batch = {
    pepperHash,
    pepper: NO_HASH,
    openedAt: block.number,
    stoppedAt: 0,
    isEnded: false,
  }
  const topics = topicsOf('BatchOpened', { batch: BigInt(batches.length + 1) })
  const logs = [logOf(topics, BigInt(pepperHash))]
  return { boxes: { ...boxes, batches: [...batches, batch] }, logs }
}

function batchStopped(boxes: BoxState, block: InBlock): BoxEffect | null {
  const batch = boxes.batches.at(-1)
  if (!batch || batch.stoppedAt !== 0) return null
  return { boxes: withLatest(boxes, { ...batch, stoppedAt: block.number }), logs: [] }
}

function ended(boxes: BoxState, block: InBlock, pepper: Hex): BoxEffect | null {
  const batch = boxes.batches.at(-1)
  if (!batch || batch.stoppedAt === 0 || block.number <= batch.stoppedAt || batch.isEnded)
    return null
  if (sha256(pepper) !== batch.pepperHash) return null
  const topics = topicsOf('BatchEnded', { batch: BigInt(boxes.batches.length) })
  return {
    boxes: withLatest(boxes, { ...batch, pepper, isEnded: true }),
    logs: [logOf(topics, BigInt(pepper))],
  }
}

function claimed(boxes: BoxState, data: Hex): BoxState | null {
  const { functionName, args } = decodeCall(awardAbi, data)
  if (functionName !== 'claim') return null
  const [boxId, nonce] = args
  const box = boxes.sold.get(boxId)
  if (!box?.isOpened || nonce !== nonceOf(boxId) || isClaimed(boxes, boxId)) return null
  const prize = prizeOf(box)
  if (prize > boxes.held) return null
  const paid = [...boxes.paid, { boxId, to: box.owner, prize }]
  const after = { ...boxes, held: boxes.held - prize, paid }
  return withWallet(after, box.owner, { claimed: walletOf(boxes, box.owner).claimed + 1 })
}

/** The house's transfer of reward tokens to the award contract. */
function funded(boxes: BoxState, data: Hex): BoxState | null {
  const { functionName, args } = decodeCall(erc20Abi, data)
  if (functionName !== 'transfer' || !isAddressEqual(args[0], BOXES.award)) return null
  return { ...boxes, held: boxes.held + args[1] }
}

export function nonceOf(boxId: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: 'uint256' }], [boxId]))
}

export function isClaimed({ paid }: BoxState, boxId: bigint): boolean {
  return paid.some((each) => each.boxId === boxId)
}

/** Returns the award contract's reward tokens that no box sold so far can win. */
export function leftoverOf(boxes: BoxState): bigint {
  const { sold, held } = boxes
  const owed = [...sold].map(([boxId, box]) => {
    if (!box.isOpened) return topPrizeOf(box.kind)
    return isClaimed(boxes, boxId) ? 0n : prizeOf(box)
  })
  return owed.reduce((left, prize) => left - prize, held)
}

/** Returns whether the leftover covers the highest prize of a kind, so that it can be sold. */
export function isCovered(boxes: BoxState, kind: number): boolean {
  return topPrizeOf(kind) <= leftoverOf(boxes)
}

export function topPrizeOf(kind: number): bigint {
  const prizes = KINDS[kind]?.tiers.map(({ prize }) => prize) ?? []
  return prizes.reduce((top, prize) => (prize > top ? prize : top), 0n)
}

/** Returns an opened box's prize. */
export function prizeOf({ kind, tier }: SoldBox): bigint {
  return KINDS[kind]?.tiers[tier]?.prize ?? 0n
}

export function walletOf({ wallets }: BoxState, wallet: string): BoxWallet {
  return wallets.get(wallet) ?? NO_WALLET
}

const NO_BATCH: Batch = {
  pepperHash: NO_HASH,
  pepper: NO_HASH,
  openedAt: 0,
  stoppedAt: 0,
  isEnded: false,
}

/** Returns a batch; an empty one, as the contract does, if it was never opened. */
export function batchOf({ batches }: BoxState, number: number): Batch {
  return batches[number - 1] ?? NO_BATCH
}

function withBox(boxes: BoxState, boxId: bigint, box: SoldBox): BoxState {
  return { ...boxes, sold: new Map([...boxes.sold, [boxId, box]]) }
}

function withWallet(boxes: BoxState, wallet: string, changes: Partial<BoxWallet>): BoxState {
  const changed = { ...walletOf(boxes, wallet), ...changes }
  return { ...boxes, wallets: new Map([...boxes.wallets, [wallet, changed]]) }
}

function withLatest(boxes: BoxState, batch: Batch): BoxState {
  return { ...boxes, batches: [...boxes.batches.slice(0, -1), batch] }
}

type EventName = 'Bought' | 'Opened' | 'BatchOpened' | 'BatchEnded'

function topicsOf(eventName: EventName, args: Record<string, bigint | Address>): Hex[] {
  return encodeEventTopics({ abi: boxNftAbi, eventName, args }) as Hex[]
}

function logOf(topics: Hex[], ...words: bigint[]): BoxLog {
  const data = encodeAbiParameters(
    words.map(() => ({ type: 'uint256' })),
    words,
  )
  return { address: BOXES.contract, topics, data }
}
