import { keccak256, type Hex } from 'viem'
import type { RpcConfig } from '../../config/config.ts'
import {
  logParams,
  parseQuantity,
  readLogFilter,
  type BlockRef,
} from '../../rpc-proxy/log-range.ts'
import { checkCall } from '../../rpc-proxy/methods.ts'
import { rpcError, type RpcCall, type Outcome } from '../../rpc-proxy/protocol.ts'
import type { RpcError } from '../../rpc-proxy/rpc-error.ts'
import { ChainReader } from './chain-reader.ts'
import { checkTransaction } from './transaction.ts'

const CHAIN_ID = /^[1-9]\d{0,14}$/

/** A chain that takes calls. */
export interface Chain {
  chainId: number
  reader: ChainReader
  sendsTransactions: boolean
}

/**
 * Returns the chain named in a request, or the service's own.
 * @param asked the chain id in the URL
 */
export function chainFor(
  { chainId: own, rpc }: { chainId: number; rpc: RpcConfig },
  asked: string | undefined,
): Chain | { error: RpcError } {
  const { upstreams, sendsTransactions } = rpc
  const chainId = asked === undefined ? own : CHAIN_ID.test(asked) ? Number(asked) : null
  const urls = chainId === null ? undefined : upstreams.get(chainId)
  if (chainId !== null && urls) {
    return { chainId, reader: new ChainReader(chainId, urls), sendsTransactions }
  }
  return chainId === own
    ? rpcError('internal', 'No chain is configured on this site.')
    : rpcError(
        'invalidParams',
        'This chain is not available here. Send the chain id of a configured chain.',
      )
}

/** Makes one call to a chain, if the rules allow it. */
export async function answerCall(chain: Chain, call: RpcCall): Promise<Outcome> {
  const refused = checkCall(call, chain)
  if (refused) return refused
  switch (call.method) {
    case 'eth_chainId':
      return { result: `"0x${chain.chainId.toString(16)}"` }
    case 'net_version':
      return { result: `"${chain.chainId}"` }
    case 'eth_sendRawTransaction':
      return checkTransaction(call.params, chain.chainId) ?? sendTransaction(chain.reader, call)
    case 'eth_getLogs':
      return answerLogs(chain.reader, call)
    default:
      return chain.reader.ask(call)
  }
}

/**
 * Sends a transaction. If one upstream accepts it but the answer is lost, the next upstream reports it as
 * already known, so a transaction that the chain knows counts as sent.
 */
async function sendTransaction(reader: ChainReader, call: RpcCall): Promise<Outcome> {
  const outcome = await reader.ask(call)
  if (!('error' in outcome)) return outcome
  const hash = keccak256(String(call.params[0]) as Hex)
  const known = await reader.ask({ method: 'eth_getTransactionByHash', params: [hash] })
  return 'error' in known || known.result === 'null' ? outcome : { result: `"${hash}"` }
}

/** Asks for logs by block numbers, so that the range checked is the range asked for. */
async function answerLogs(reader: ChainReader, { method, params }: RpcCall): Promise<Outcome> {
  const filter = readLogFilter(params)
  if ('error' in filter) return filter
  if (!filter.range) return reader.ask({ method, params: [filter.fields] })
  const from = await blockNumber(reader, filter.range.from)
  const to = await blockNumber(reader, filter.range.to)
  if (typeof from !== 'bigint') return from
  if (typeof to !== 'bigint') return to
  const bounded = logParams(filter, from, to)
  return 'error' in bounded ? bounded : reader.ask({ method, params: bounded })
}

/** Returns a block's number. A pending block has no logs yet, so it counts as the latest. */
async function blockNumber(
  reader: ChainReader,
  block: BlockRef,
): Promise<bigint | { error: RpcError }> {
  if (typeof block === 'bigint') return block
  if (block === 'earliest') return 0n
  const outcome =
    block === 'safe' || block === 'finalized'
      ? await reader.ask({ method: 'eth_getBlockByNumber', params: [block, false] })
      : await reader.ask({ method: 'eth_blockNumber', params: [] })
  if ('error' in outcome) return outcome
  const found: unknown = JSON.parse(outcome.result)
  const number = typeof found === 'object' && found && 'number' in found ? found.number : found
  return parseQuantity(number) ?? rpcError('invalidParams', `There is no ${block} block yet.`)
}
