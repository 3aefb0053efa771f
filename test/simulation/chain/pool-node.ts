import { encodeFunctionResult, erc20Abi, numberToHex, type Address, type Hex } from 'viem'
import { prizePoolAbi } from '../../../src/chain/abi.ts'
import { routerAbi } from '../../../src/chain/foreign-abi.ts'
import { CHAIN } from './addresses.ts'
import type { Block, Tx } from './chain.ts'
import { decodeCall } from './decoded.ts'
import { LOOTBOX } from './pool-state.ts'

const { pool, reward, weth, router } = LOOTBOX

/** The contracts of the lootbox that have code. */
export const POOL_CONTRACTS: readonly string[] = [pool, reward, weth, router]

/** Reads one of the lootbox's contracts. Returns null if it reverts. */
export function callPool(
  { state }: Block,
  { to, data }: { to: Address; data: Hex },
  relayer: Address,
): Hex | null {
  switch (to.toLowerCase()) {
    case pool.toLowerCase(): {
      const abi = prizePoolAbi
      const { functionName, args } = decodeCall(abi, data)
      if (functionName === 'payer')
        return encodeFunctionResult({ abi, functionName, result: relayer })
      if (functionName === 'ROUTER')
        return encodeFunctionResult({ abi, functionName, result: router })
      if (functionName !== 'isPaid') return null
      const result = state.pool.paid.some(({ prizeId }) => prizeId === args[0])
      return encodeFunctionResult({ abi, functionName, result })
    }
    case reward.toLowerCase():
      return encodeFunctionResult({ abi: erc20Abi, functionName: 'decimals', result: 18 })
    case router.toLowerCase():
      return encodeFunctionResult({ abi: routerAbi, functionName: 'WETH', result: weth })
    default:
      return null
  }
}

/**
 * Returns a transaction as a node shows it; null if the node does not know it.
 * @param waiting the transaction, if it waits and the node knows it
 */
export function shownTransaction(
  view: readonly Block[],
  waiting: Tx | null,
  hash: Hex,
): object | null {
  const block = view.findLast(({ mined }) => mined.some(({ tx }) => tx.hash === hash))
  const tx = block?.mined.find((mined) => mined.tx.hash === hash)?.tx ?? waiting
  if (!tx) return null
  const { call } = tx
  const [to, value, input] =
    call.kind === 'transfer' ? [call.to, call.amount, call.data] : [CHAIN.vault, 0n, '0x01']
  return {
    hash,
    from: tx.from,
    to,
    value: numberToHex(value),
    input,
    nonce: numberToHex(tx.nonce),
    blockHash: block?.hash ?? null,
    transactionIndex: block ? '0x0' : null,
    blockNumber: block ? numberToHex(block.number) : null,
    chainId: numberToHex(CHAIN.chainId),
    type: '0x2',
    gas: '0x15f90',
    gasPrice: '0x1',
    maxFeePerGas: '0x1',
    maxPriorityFeePerGas: '0x1',
    accessList: [],
    v: '0x0',
    r: `0x${'1'.repeat(64)}`,
    s: `0x${'1'.repeat(64)}`,
    yParity: '0x0',
  }
}
