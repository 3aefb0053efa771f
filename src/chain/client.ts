import {
  BaseError,
  createPublicClient,
  custom,
  ExecutionRevertedError,
  hexToNumber,
  HttpRequestError,
  RpcRequestError,
  type Hash,
  type PublicClient,
} from 'viem'
import type { ChainConfig } from '../config/config.ts'
import { readText } from '../core/read-text.ts'
import { nodeRequest } from '../rpc-proxy/node-request.ts'
import { isRpcError, redact } from '../rpc-proxy/rpc-error.ts'
import { abortAfter } from './abort-after.ts'

/** The time limit of one call to the node, including reading its answer. */
const TIMEOUT_MS = 4_000

/** How long a player's call waits for the node's answer. */
export const NODE_WAIT_MS = 1_500

/** The default limit on an answer: room for the logs of a whole range of blocks. */
const MAX_ANSWER_BYTES = 10 * 1_048_576

/**
 * Replaces the node's URL in viem's faults, which quote it. The platform logs a fault that leaves an object, and the
 * URL has the operator's key.
 */
const UNNAMED = 'CHAIN_RPC_URL'

/** A node, and the chain it must be on. */
export type ChainNode = Pick<ChainConfig, 'chainId' | 'rpcUrl'>

/**
 * Returns a new client for the configured node. Don't share clients: viem merges equal calls of one
 * client, and an answer that belongs to another request or object never arrives. The client asks no other
 * host: it ignores redirects and a contract's offchain lookups (ERC-3668), which viem follows by default.
 * Its calls fail if the node is on another chain.
 * @param maxAnswerBytes a longer answer is not read to its end; see {@link isTooLong}
 */
export function chainClient(node: ChainNode, maxAnswerBytes = MAX_ANSWER_BYTES): PublicClient {
  return clientOf(node.rpcUrl, maxAnswerBytes, () => expectChain(node))
}

/** A JSON-RPC call. */
export interface NodeCall {
  method: string
  params: unknown[]
}

interface NodeAnswer {
  id?: unknown
  result?: unknown
  error?: unknown
}

/**
 * Makes calls in one batch, which a provider with several nodes passes to one of them. Doesn't use viem's own batches,
 * because they merge the calls of different requests and objects.
 * @returns the results, in the order of the calls
 * @throws if the node is on another chain, doesn't answer, or answers one of the calls with an error
 */
export async function askOneNode(node: ChainNode, calls: readonly NodeCall[]): Promise<unknown[]> {
  await expectChain(node)
  const body = calls.map((call, index) => ({ jsonrpc: '2.0', id: index + 1, ...call }))
  const answers: unknown = await askNode(node.rpcUrl, body, MAX_ANSWER_BYTES)
  if (!Array.isArray(answers)) throw new Error('the node takes no batches')
  return body.map(({ id, method }) => {
    const answer = (answers as readonly (NodeAnswer | null)[]).find((each) => each?.id === id)
    // Without the node's own words, which may contain its URL.
    if (answer?.result === undefined) throw new Error(`the node did not answer ${method}`)
    return answer.result
  })
}

/** Asks a node for its chain id. @throws if the node doesn't answer */
export function readChainId(rpcUrl: string): Promise<number> {
  return clientOf(rpcUrl, MAX_ANSWER_BYTES).getChainId()
}

/**
 * Reads the newest block's number. Avoids viem's getBlockNumber, which caches a number for every client
 * ever created.
 */
export async function headOf(client: PublicClient): Promise<number> {
  return hexToNumber(await client.request({ method: 'eth_blockNumber' }))
}

/** Reads the number of the newest block that has its confirmations; see {@link confirmedBelow}. */
export async function confirmedHead(chain: ChainConfig): Promise<number> {
  return confirmedBelow(await headOf(chainClient(chain)), chain)
}

/**
 * Returns the number of the newest block that has its confirmations below a head; negative while the chain has too few
 * blocks.
 */
export function confirmedBelow(
  head: number,
  { confirmations }: Pick<ChainConfig, 'confirmations'>,
): number {
  return head - (confirmations - 1)
}

/**
 * Returns the option of a read that names the block to read after; none for the newest that the node has. Reads that
 * must agree name it by its hash, because the chain may come to have another block of that number.
 */
export function afterBlock(block: number | undefined): { blockNumber?: bigint }
export function afterBlock(
  block: number | Hash | undefined,
): { blockNumber?: bigint } | { blockHash: Hash }
export function afterBlock(block: number | Hash | undefined) {
  if (block === undefined) return {}
  return typeof block === 'string' ? { blockHash: block } : { blockNumber: BigInt(block) }
}

/** Nodes' messages for code that halts without a revert. JSON-RPC has no error code for it. */
const EVM_HALT =
  /out ?of ?gas|gas required exceeds|invalid ?\w* ?opcode|invalid ?jump|stack ?(under|over)flow|vm (execution )?error/i

/** Returns whether a call failed in the contract rather than on the way to the node. */
export function isRevert(fault: unknown): boolean {
  if (isCausedBy(fault, ExecutionRevertedError)) return true
  return fault instanceof BaseError && EVM_HALT.test(fault.details)
}

/** Returns whether the node's answer was longer than the client allows. */
export function isTooLong(fault: unknown): boolean {
  return isCausedBy(fault, AnswerTooLongError)
}

type FaultType = abstract new (...args: never[]) => Error

/** Returns whether viem reports a fault that is, or was caused by, one of a type. */
export function isCausedBy(fault: unknown, type: FaultType): boolean {
  return fault instanceof BaseError && fault.walk((cause) => cause instanceof type) !== null
}

/** Returns an answer, or null if it fails with a type of fault that means "not found". */
export async function orNull<T>(answer: Promise<T>, notFound: FaultType): Promise<T | null> {
  try {
    return await answer
  } catch (fault) {
    if (fault instanceof notFound) return null
    throw fault
  }
}

function clientOf(
  rpcUrl: string,
  maxAnswerBytes: number,
  before?: () => Promise<void>,
): PublicClient {
  const request = async ({ method, params }: NodeCall) => {
    await before?.()
    const body = { jsonrpc: '2.0', id: 1, method, params }
    const { result, error } = (await askNode(rpcUrl, body, maxAnswerBytes)) ?? {}
    if (!error) return result
    if (!isRpcError(error)) throw new HttpRequestError({ url: UNNAMED })
    const { message } = redact(error, rpcUrl)
    throw new RpcRequestError({ body: { method }, error: { ...error, message }, url: UNNAMED })
  }
  return createPublicClient({ ccipRead: false, transport: custom({ request }, { retryCount: 0 }) })
}

/** Nodes with a confirmed chain id: each is asked once per isolate and chain id. */
const confirmed = new Set<string>()

async function expectChain({ rpcUrl, chainId }: ChainNode): Promise<void> {
  const key = `${chainId} ${rpcUrl}`
  if (confirmed.has(key)) return
  const found = await readChainId(rpcUrl)
  if (found !== chainId)
    throw new Error(`the node is on chain ${found}, but CHAIN_ID is ${chainId}`)
  confirmed.add(key)
}

class AnswerTooLongError extends Error {
  override name = 'AnswerTooLongError'
}

/**
 * Makes one request and reads its answer, which may be an error of JSON-RPC.
 * @throws HttpRequestError without the words of the node, the runtime or the parser, which may quote the URL
 */
function askNode(rpcUrl: string, body: object, maxBytes: number): Promise<NodeAnswer | null> {
  return abortAfter(TIMEOUT_MS, async (signal) => {
    let status: number | undefined
    let cause: Error | undefined
    try {
      const response = await fetch(...nodeRequest(rpcUrl, JSON.stringify(body), signal))
      status = response.status
      const answer = await answerOf(response, signal, maxBytes)
      // Some nodes send errors with another status.
      if (response.ok || isRpcError(answer?.error)) return answer
    } catch (fault) {
      if (signal.aborted) cause = signal.reason as Error
      else if (fault instanceof AnswerTooLongError) cause = fault
    }
    throw new HttpRequestError({ url: UNNAMED, status, cause })
  })
}

async function answerOf(response: Response, signal: AbortSignal, maxBytes: number) {
  let bytes = 0
  const { body } = response
  const text = body && (await readText(body, signal, (more) => (bytes += more) <= maxBytes))
  if (body && text === null)
    throw new AnswerTooLongError(`the node's answer exceeds ${maxBytes} bytes`)
  signal.throwIfAborted()
  return JSON.parse(text ?? '') as NodeAnswer | null
}
