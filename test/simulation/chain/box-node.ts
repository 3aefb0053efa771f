import { encodeFunctionResult, isAddressEqual, type Address, type Hex } from 'viem'
import { awardAbi, boxNftAbi } from '../../../src/chain/abi.ts'
import {
  batchOf,
  BOXES,
  isClaimed,
  KINDS,
  leftoverOf,
  nonceOf,
  prizeOf,
  topPrizeOf,
  walletOf,
  type BoxState,
} from './box-state.ts'
import { decodeCall } from './decoded.ts'

/** The contracts of the boxes that have code. */
export const BOX_CONTRACTS: readonly string[] = [BOXES.contract, BOXES.award]

/** Reads one of the boxes' contracts. Returns null if it reverts. */
export function callBoxes(boxes: BoxState, { to, data }: { to: Address; data: Hex }): Hex | null {
  if (isAddressEqual(to, BOXES.award)) return callAward(boxes, data)
  const abi = boxNftAbi
  const { functionName, args } = decodeCall(abi, data)
  if (functionName === 'signer')
    return encodeFunctionResult({ abi, functionName, result: BOXES.signer })
  if (functionName === 'AWARD')
    return encodeFunctionResult({ abi, functionName, result: BOXES.award })
  if (functionName === 'kinds') {
    const result = KINDS.map(({ price, tiers }, kind) => ({
      price,
      topPrize: topPrizeOf(kind),
      isForSale: boxes.forSale[kind] ?? false,
      tiers,
    }))
    return encodeFunctionResult({ abi, functionName, result })
  }
  if (functionName === 'batchCount')
    return encodeFunctionResult({ abi, functionName, result: BigInt(boxes.batches.length) })
  if (functionName === 'currentBatch') {
    const number = boxes.batches.length
    return encodeFunctionResult({
      abi,
      functionName,
      result: [BigInt(number), shownBatch(boxes, number)],
    })
  }
  if (functionName === 'batches') {
    const { pepperHash, pepper, openedAt, stoppedAt, isEnded } = shownBatch(boxes, Number(args[0]))
    const result = [pepperHash, pepper, openedAt, stoppedAt, isEnded] as const
    return encodeFunctionResult({ abi, functionName, result })
  }
  if (functionName === 'box') {
    const result = shownBox(boxes, args[0])
    return result && encodeFunctionResult({ abi, functionName, result })
  }
  return null
}

function callAward(boxes: BoxState, data: Hex): Hex | null {
  const abi = awardAbi
  const { functionName, args } = decodeCall(abi, data)
  if (functionName === 'TOKEN')
    return encodeFunctionResult({ abi, functionName, result: BOXES.reward })
  if (functionName === 'leftover')
    return encodeFunctionResult({ abi, functionName, result: leftoverOf(boxes) })
  if (functionName === 'isClaimed') {
    const result = boxes.paid.some(({ boxId }) => nonceOf(boxId) === args[0])
    return encodeFunctionResult({ abi, functionName, result })
  }
  if (functionName === 'boxesOf') {
    const [wallet, from, count] = args
    const ids = walletOf(boxes, wallet).boxes.slice(Number(from), Number(from + count))
    const page = ids.flatMap((boxId) => shownBox(boxes, boxId) ?? [])
    const areClaimed = ids.map((boxId) => isClaimed(boxes, boxId))
    return encodeFunctionResult({ abi, functionName, result: [page, areClaimed] })
  }
  if (functionName === 'totalsOf') {
    const { bought, opened, claimed } = walletOf(boxes, args[0])
    const result = [BigInt(bought), BigInt(opened), BigInt(claimed)] as const
    return encodeFunctionResult({ abi, functionName, result })
  }
  return null
}

function shownBatch(boxes: BoxState, number: number) {
  const { openedAt, stoppedAt, ...batch } = batchOf(boxes, number)
  return { ...batch, openedAt: BigInt(openedAt), stoppedAt: BigInt(stoppedAt) }
}

function shownBox(boxes: BoxState, boxId: bigint) {
  const box = boxes.sold.get(boxId)
  if (!box) return null
  const { owner, kind, batch, isOpened, tier } = box
  return {
    boxId,
    owner,
    kind: BigInt(kind),
    batch: BigInt(batch),
    isOpened,
    tier: BigInt(tier),
    prize: isOpened ? prizeOf(box) : 0n,
    nonce: nonceOf(boxId),
  }
}
