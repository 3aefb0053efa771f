import {
  ContractFunctionRevertedError,
  encodeFunctionData,
  getContract,
  isAddressEqual,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { BoxTier } from '../box-nft/tier.ts'
import type { BoxConfig } from '../config/config.ts'
import { commits } from '../fairness/seed.ts'
import { awardAbi, boxNftAbi } from './abi.ts'
import { afterBlock, chainClient, confirmedHead, isCausedBy, type ChainNode } from './client.ts'
import { readBlock, readConfirmedBlocks } from './logs.ts'

/** A kind of box, as in the contract. Its number is its index there. */
export interface BoxKind {
  price: bigint
  topPrize: bigint
  isForSale: boolean
  tiers: BoxTier[]
}

/** A box, as in the contracts. */
export interface Box {
  boxId: bigint
  owner: Address
  kind: number
  batch: number
  isOpened: boolean
  tier: number
  prize: bigint
  nonce: Hex
  isClaimed: boolean
}

/** The latest batch of boxes. */
export interface BoxBatch {
  number: number
  /** In hex, without 0x. */
  pepperHash: string
  isOnSale: boolean
  /** Whether its pepper is published. */
  isEnded: boolean
}

/** The commitment of a batch, in hex without 0x. */
export interface BoxPepper {
  pepperHash: string
  /** Null until the batch has ended. */
  pepper: string | null
}

/** Which of a wallet's boxes to read. */
export interface BoxPage {
  /** How many to skip, of the newest if these come first. */
  from: number
  /** At most 100. */
  count: number
  isNewestFirst: boolean
}

type BoxNode = ChainNode & Pick<BoxConfig, 'contract'>

type ChainBox = Omit<Box, 'kind' | 'batch' | 'tier' | 'isClaimed'> &
  Record<'kind' | 'batch' | 'tier', bigint>

function boxContract(boxes: BoxNode) {
  return getContract({ address: boxes.contract, abi: boxNftAbi, client: chainClient(boxes) })
}

function awardContract(boxes: ChainNode & Pick<BoxConfig, 'award'>) {
  return getContract({ address: boxes.award, abi: awardAbi, client: chainClient(boxes) })
}

/** Reads all kinds of boxes. @throws if the node doesn't answer, like all functions here */
export async function readKinds(boxes: BoxConfig): Promise<BoxKind[]> {
  const kinds = await boxContract(boxes).read.kinds()
  return kinds.map(({ tiers, ...kind }) => ({ ...kind, tiers: [...tiers] }))
}

/**
 * Reads all kinds of boxes. A kind counts as for sale only while the award contract's leftover covers its top prize,
 * because the contract refuses the purchase otherwise.
 */
export async function readOffer(boxes: BoxConfig): Promise<BoxKind[]> {
  const [kinds, leftover] = await Promise.all([
    readKinds(boxes),
    awardContract(boxes).read.leftover(),
  ])
  return kinds.map((kind) => ({
    ...kind,
    isForSale: kind.isForSale && kind.topPrize <= leftover,
  }))
}

export async function readBatch(boxes: BoxNode): Promise<BoxBatch> {
  const [number, { pepperHash, openedAt, stoppedAt, isEnded }] =
    await boxContract(boxes).read.currentBatch()
  const isOnSale = openedAt !== 0n && stoppedAt === 0n
  return { number: Number(number), pepperHash: pepperHash.slice(2), isOnSale, isEnded }
}

/** Reads whether our signature opens boxes. While the operator changes the signer, it doesn't. */
export async function isOurSigner(boxes: BoxConfig): Promise<boolean> {
  const signer = await boxContract(boxes).read.signer()
  return isAddressEqual(signer, privateKeyToAccount(boxes.signerKey).address)
}

/** Returns whether the pepper of a batch is configured, so that its boxes can be opened. */
export function hasPepper(
  { peppers }: Pick<BoxConfig, 'peppers'>,
  { number, pepperHash }: BoxBatch,
): boolean {
  const pepper = peppers.get(number)
  return pepper !== undefined && commits(pepperHash, pepper)
}

/** The contract's own counts, to check its events against. */
interface BoxTotals {
  /** The prizes of all open boxes and the top prizes of the others, in the reward token's smallest unit. */
  promised: bigint
  /** The number of the latest batch; 0 without any. */
  batch: number
  isEnded: boolean
}

/** Reads the contract's counts after a block; null if the node no longer has that block's state. */
export async function readTotals(boxes: BoxNode, block: number): Promise<BoxTotals | null> {
  const { read } = boxContract(boxes)
  try {
    const [promised, [batch, { isEnded }]] = await Promise.all([
      read.prizesPromised(afterBlock(block)),
      read.currentBatch(afterBlock(block)),
    ])
    return { promised, batch: Number(batch), isEnded }
  } catch {
    return null
  }
}

/**
 * Reads a batch's pepper hash, and its pepper once published.
 * @throws if the node doesn't have the batch of a box that another one has
 */
export async function readPepper(boxes: BoxConfig, batch: number): Promise<BoxPepper> {
  const { read } = boxContract(boxes)
  const [pepperHash, pepper, openedAt, , isEnded] = await read.batches([BigInt(batch)])
  if (openedAt === 0n) throw new Error(`the node does not have batch ${batch} yet`)
  return { pepperHash: pepperHash.slice(2), pepper: isEnded ? pepper.slice(2) : null }
}

/**
 * Reads the latest batches of boxes that have their confirmations, oldest first. Nodes may differ, so one must have
 * both the block that they are read after, named by its hash, and its confirmations.
 * @param count the most to read
 * @returns none if a node lacks that block or its confirmations
 */
export async function readFinalBatches(
  boxes: BoxConfig,
  count: number,
): Promise<(BoxPepper & { number: number })[]> {
  const final = await confirmedHead(boxes)
  const block = await readBlock(boxes, Math.max(0, final))
  if (!block) return []
  const at = afterBlock(block.hash)
  const { read } = boxContract(boxes)
  const latest = Number(await read.batchCount(at))
  const numbers = Array.from({ length: Math.min(count, latest) }, (_, ago) => latest - ago)
  const batches = await Promise.all(
    numbers.toReversed().map(async (number) => {
      const [pepperHash, pepper, , , isEnded] = await read.batches([BigInt(number)], at)
      return { number, pepperHash: pepperHash.slice(2), pepper: isEnded ? pepper.slice(2) : null }
    }),
  )
  return (await readConfirmedBlocks(boxes, block, [])) ? batches : []
}

/** Reads a page of a wallet's boxes, and the wallet's totals. */
export async function readWallet(
  boxes: BoxConfig,
  wallet: Address,
  { from, count, isNewestFirst }: BoxPage,
) {
  const { read } = awardContract(boxes)
  // The contract lists the oldest first, and refuses to count those of nobody.
  const isCounted = isNewestFirst && wallet !== zeroAddress
  const owned = isCounted ? Number(await boxContract(boxes).read.balanceOf([wallet])) : null
  const end = owned === null ? from + count : Math.max(0, owned - from)
  const start = Math.max(0, end - count)
  const [[page, areClaimed], [bought, revealed, claimed]] = await Promise.all([
    read.boxesOf([wallet, BigInt(start), BigInt(end - start)]),
    read.totalsOf([wallet]),
  ])
  const shown = page.map((box, index) => boxOf(box, areClaimed[index] ?? false))
  return {
    boxes: isNewestFirst ? shown.toReversed() : shown,
    totals: { bought: Number(bought), revealed: Number(revealed), claimed: Number(claimed) },
  }
}

/**
 * Reads one box; null if none has this id.
 * @param isFinal whether the box's purchase must have its confirmations
 */
export async function readBox(
  boxes: BoxNode & Pick<BoxConfig, 'award' | 'confirmations'>,
  boxId: bigint,
  isFinal: boolean,
): Promise<Box | null> {
  const { read } = boxContract(boxes)
  try {
    const box = await read.box([boxId])
    if (isFinal && boxes.confirmations > 1) {
      await read.box([boxId], { blockNumber: BigInt(await confirmedHead(boxes)) })
    }
    return boxOf(box, await awardContract(boxes).read.isClaimed([box.nonce]))
  } catch (fault) {
    if (isCausedBy(fault, ContractFunctionRevertedError)) return null
    throw fault
  }
}

export function buyCall(kind: number): Hex {
  return encodeFunctionData({ abi: boxNftAbi, functionName: 'buy', args: [BigInt(kind)] })
}

/** Signs a box's opening (EIP-712), and builds the call that opens the box. */
export async function signOpening(
  boxes: BoxConfig,
  { boxId, tier, prize, nonce }: Pick<Box, 'boxId' | 'tier' | 'prize' | 'nonce'>,
): Promise<{ signature: Hex; data: Hex }> {
  const signature = await privateKeyToAccount(boxes.signerKey).signTypedData({
    domain: {
      name: 'FairhouseBox',
      version: '1',
      chainId: boxes.chainId,
      verifyingContract: boxes.contract,
    },
    types: {
      Open: [
        { name: 'boxId', type: 'uint256' },
        { name: 'tier', type: 'uint256' },
        { name: 'prize', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'Open',
    message: { boxId, tier: BigInt(tier), prize, nonce },
  })
  const args = [boxId, BigInt(tier), prize, nonce, signature] as const
  return { signature, data: encodeFunctionData({ abi: boxNftAbi, functionName: 'open', args }) }
}

/** Builds the call that opens a box of an ended batch without a signature. */
export function openPublishedCall(boxId: bigint): Hex {
  return encodeFunctionData({ abi: boxNftAbi, functionName: 'openPublished', args: [boxId] })
}

export function claimCall({ boxId, nonce }: Pick<Box, 'boxId' | 'nonce'>): Hex {
  return encodeFunctionData({ abi: awardAbi, functionName: 'claim', args: [boxId, nonce] })
}

function boxOf(box: ChainBox, isClaimed: boolean): Box {
  return {
    ...box,
    kind: Number(box.kind),
    batch: Number(box.batch),
    tier: Number(box.tier),
    isClaimed,
  }
}
