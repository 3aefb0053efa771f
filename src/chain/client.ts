import { BaseError, createPublicClient, hexToNumber, http, ExecutionRevertedError } from 'viem'
import type { PublicClient } from 'viem'
import type { ChainConfig } from '../config/config.ts'
import { readText } from '../core/read-text.ts'

/** For one call to the node, reading its answer included. */
const TIMEOUT_MS = 4_000

/** Room for the logs of a whole range of blocks. */
const MAX_ANSWER_BYTES = 10 * 1_048_576

/** A node, and the chain that it has to be of. */
export type ChainNode = Pick<ChainConfig, 'chainId' | 'rpcUrl'>

/**
 * Returns a client for the configured node, a new one for each use: viem lets equal calls of one client
 * share an answer, and an answer that belongs to another request or object never comes. The client asks
 * no other host: it ignores redirects and a contract's request to look elsewhere (ERC-3668), which viem
 * follows unless told not to. Its calls fail where the node is of another chain.
 * @param maxAnswerBytes a longer answer is not read to its end; see {@link isTooLong}
 */
export function chainClient(node: ChainNode, maxAnswerBytes = MAX_ANSWER_BYTES): PublicClient {
  return clientOf(node.rpcUrl, async (url, init) => {
    await expectChain(node)
    return askNode(url, init, maxAnswerBytes)
  })
}

/** Asks a node for its chain id. @throws where it does not answer */
export function readChainId(rpcUrl: string): Promise<number> {
  return clientOf(rpcUrl, (url, init) => askNode(url, init, MAX_ANSWER_BYTES)).getChainId()
}

/**
 * The newest block's number, asked for now. Not by viem's own getBlockNumber, which remembers one for
 * every client that there ever was.
 */
export async function headOf(client: PublicClient): Promise<number> {
  return hexToNumber(await client.request({ method: 'eth_blockNumber' }))
}

/** JSON-RPC has no code for code that halts without a revert: nodes say it in words of their own. */
const EVM_HALT =
  /out ?of ?gas|gas required exceeds|invalid ?\w* ?opcode|invalid ?jump|stack ?(under|over)flow|vm (execution )?error/i

/** Returns whether the call failed in the contract, rather than on the way to the node. */
export function isRevert(fault: unknown): boolean {
  if (!(fault instanceof BaseError)) return false
  const isReverted = fault.walk((cause) => cause instanceof ExecutionRevertedError) !== null
  return isReverted || EVM_HALT.test(fault.details)
}

/** Returns whether the node's answer was longer than the client allows. */
export function isTooLong(fault: unknown): boolean {
  return (
    fault instanceof BaseError &&
    fault.walk((cause) => cause instanceof AnswerTooLongError) !== null
  )
}

type Ask = (url: string, init: RequestInit | undefined) => Promise<Response>

function clientOf(rpcUrl: string, ask: Ask): PublicClient {
  return createPublicClient({
    ccipRead: false,
    transport: http(rpcUrl, {
      // viem's own timeout stops at the answer's headers; askNode has one for the whole call.
      timeout: 0,
      retryCount: 0,
      fetchFn: (input, init) => ask(input instanceof Request ? input.url : String(input), init),
    }),
  })
}

/** Nodes whose chain id is confirmed: each is asked once per isolate, and again if either part changes. */
const confirmed = new Set<string>()

async function expectChain({ rpcUrl, chainId }: ChainNode): Promise<void> {
  const key = `${chainId} ${rpcUrl}`
  if (confirmed.has(key)) return
  const found = await readChainId(rpcUrl)
  if (found !== chainId) throw new Error(`the node is of chain ${found}, CHAIN_ID is ${chainId}`)
  confirmed.add(key)
}

class AnswerTooLongError extends Error {
  override name = 'AnswerTooLongError'
}

async function askNode(
  url: string,
  init: RequestInit | undefined,
  maxBytes: number,
): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  // Followed, a redirect could lead anywhere; the runtime does not know 'error'.
  const response = await fetch(url, { ...init, redirect: 'manual', signal })
  const { status, body } = response
  if (!body) return response
  let bytes = 0
  const text = await readText(body, signal, (more) => (bytes += more) <= maxBytes)
  if (text === null) throw new AnswerTooLongError(`the node's answer is above ${maxBytes} bytes`)
  signal.throwIfAborted()
  const type = response.headers.get('content-type') ?? ''
  return new Response(text, { status, headers: { 'content-type': type } })
}
