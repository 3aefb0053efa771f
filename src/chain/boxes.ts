import {
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  type Address,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { BoxTier } from '../box-nft/tier.ts'
import type { BoxConfig } from '../config/config.ts'
import { awardAbi, boxNftAbi } from './abi.ts'
import { chainClient, headOf, type ChainNode } from './client.ts'

/** A kind of box, as in the contract. Its number is its index there. */
export interface BoxKind {
  price: bigint
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

export interface BoxTotals {
  bought: number
  revealed: number
  claimed: number
}

/** The latest batch of boxes. */
export interface BoxBatch {
  number: number
  /** In hex, without 0x. */
  pepperHash: string
  isOnSale: boolean
}

/** The commitment of a batch, in hex without 0x. */
export interface BoxPepper {
  pepperHash: string
  /** Null until the batch has ended. */
  pepper: string | null
}

/** The box contract and a node of its chain. */
type BoxNode = ChainNode & Pick<BoxConfig, 'contract'>

type ChainBox = Omit<Box, 'kind' | 'batch' | 'tier' | 'isClaimed'> & {
  kind: bigint
  batch: bigint
  tier: bigint
}

/** Reads all kinds of boxes. @throws if the node doesn't answer, like all functions here */
export async function readKinds(boxes: BoxConfig): Promise<BoxKind[]> {
  const kinds = await chainClient(boxes).readContract({
    address: boxes.contract,
    abi: boxNftAbi,
    functionName: 'kinds',
  })
  return kinds.map(({ price, isForSale, tiers }) => ({ price, isForSale, tiers: [...tiers] }))
}

export async function readBatch(boxes: BoxNode): Promise<BoxBatch> {
  const [number, batch] = await chainClient(boxes).readContract({
    address: boxes.contract,
    abi: boxNftAbi,
    functionName: 'currentBatch',
  })
  const isOnSale = batch.openedAt !== 0n && batch.stoppedAt === 0n
  return { number: Number(number), pepperHash: batch.pepperHash.slice(2), isOnSale }
}

/** Reads a batch's pepper hash, and its pepper once published. */
export async function readPepper(boxes: BoxConfig, batch: number): Promise<BoxPepper> {
  const [pepperHash, pepper, , , isEnded] = await chainClient(boxes).readContract({
    address: boxes.contract,
    abi: boxNftAbi,
    functionName: 'batches',
    args: [BigInt(batch)],
  })
  return { pepperHash: pepperHash.slice(2), pepper: isEnded ? pepper.slice(2) : null }
}

/** Reads a page of a wallet's boxes, at most 100, and the wallet's totals. */
export async function readWallet(
  boxes: BoxConfig,
  wallet: Address,
  from: number,
  count: number,
): Promise<{ boxes: Box[]; totals: BoxTotals }> {
  const client = chainClient(boxes)
  const call = { address: boxes.award, abi: awardAbi } as const
  const [[page, areClaimed], [bought, revealed, claimed]] = await Promise.all([
    client.readContract({
      ...call,
      functionName: 'boxesOf',
      args: [wallet, BigInt(from), BigInt(count)],
    }),
    client.readContract({ ...call, functionName: 'totalsOf', args: [wallet] }),
  ])
  return {
    boxes: page.map((box, index) => boxOf(box, areClaimed[index] ?? false)),
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
  const { contract, award, confirmations } = boxes
  const client = chainClient(boxes)
  const call = { address: contract, abi: boxNftAbi, functionName: 'box', args: [boxId] } as const
  try {
    const box = await client.readContract(call)
    if (isFinal && confirmations > 1) {
      const final = (await headOf(client)) - (confirmations - 1)
      await client.readContract({ ...call, blockNumber: BigInt(final) })
    }
    const isClaimed = await client.readContract({
      address: award,
      abi: awardAbi,
      functionName: 'isClaimed',
      args: [box.nonce],
    })
    return boxOf(box, isClaimed)
  } catch (fault) {
    if (isRevert(fault)) return null
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
  const data = encodeFunctionData({
    abi: boxNftAbi,
    functionName: 'open',
    args: [boxId, BigInt(tier), prize, nonce, signature],
  })
  return { signature, data }
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

function isRevert(fault: unknown): boolean {
  return (
    fault instanceof BaseError &&
    fault.walk((cause) => cause instanceof ContractFunctionRevertedError) !== null
  )
}
