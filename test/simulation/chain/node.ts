import {
  encodeFunctionResult,
  erc20Abi,
  numberToHex,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem'
import { vaultAbi } from '../../../src/chain/abi.ts'
import { askOutside, jsonResponse } from '../world/outside.ts'
import type { World } from '../world/world.ts'
import { CHAIN } from './addresses.ts'
import { BOX_CONTRACTS, callBoxes } from './box-node.ts'
import { BOXES } from './box-state.ts'
import type { Block, Chain, Mined } from './chain.ts'
import { decodeCall } from './decoded.ts'
import { gasOf, paymentIn } from './payments.ts'
import { callPool, POOL_CONTRACTS, shownTransaction } from './pool-node.ts'
import { booksOf, holdings, type ChainState } from './vault-state.ts'
import { askContract, askValidator, type Verdict } from './wallet-node.ts'

/** An error that a node answers with. */
class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

interface RpcCall {
  id: number
  method: string
  /** Of another type for each method. */
  params?: [never, never]
}

/** The most gas of a block. */
const BLOCK_GAS = 30_000_000

/** Answers a call of the service to the chain's node: any of several behind one address. */
export function askNode(
  world: World,
  chain: Chain,
  relayer: Address,
  init: RequestInit | undefined,
): Promise<Response> {
  const sent = JSON.parse(init?.body as string) as RpcCall | RpcCall[]
  const methods = [sent].flat().map(({ method }) => method)
  return askOutside(world, 'node', methods.join('+'), init, (crossing) => {
    const node = world.random.pick(`${crossing} node`, [...chain.nodes.keys()])
    const answer = (call: RpcCall) => ({ jsonrpc: '2.0', id: call.id, ...answerTo(call, node) })
    return jsonResponse(Array.isArray(sent) ? sent.map(answer) : answer(sent))
  })

  function answerTo({ method, params }: RpcCall, node: number): object {
    try {
      const [first, second] = params ?? []
      return { result: execute(method, first as never, second as never, node) }
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32_000
      return { error: { code, message: error instanceof Error ? error.message : String(error) } }
    }
  }

  function execute(method: string, first: never, second: never, node: number): unknown {
    const view = chain.nodes[node] ?? []
    const head = view.at(-1)
    if (!head) throw new RpcError(-32_000, 'no block')
    switch (method) {
      case 'eth_chainId':
        return numberToHex(CHAIN.chainId)
      case 'eth_blockNumber':
        return numberToHex(head.number)
      case 'eth_getBlockByNumber': {
        const block = blockAt(view, first)
        return block ? shownBlock(block) : null
      }
      case 'eth_getBlockByHash': {
        const block = blockAt(view, { blockHash: first })
        return block ? shownBlock(block) : null
      }
      case 'eth_getCode':
        return head.state.codes.has(first) ||
          [CHAIN.vault, CHAIN.usdg, ...POOL_CONTRACTS, ...BOX_CONTRACTS].some((at) =>
            isSame(at, first),
          )
          ? '0x00'
          : '0x'
      case 'eth_getBalance':
        return numberToHex(
          isSame(CHAIN.vault, first) ? holdings(head.state, CHAIN.eth) : 10n ** 20n,
        )
      case 'eth_getTransactionCount':
        return numberToHex(head.state.accounts.get(relayer) ?? 0)
      case 'eth_gasPrice':
        return numberToHex(head.baseFee)
      case 'eth_maxPriorityFeePerGas':
        return numberToHex(1_000_000_000)
      case 'eth_getLogs':
        return logsOf(view, first)
      case 'eth_getTransactionByHash':
        return shownTransaction(view, chain.mempool.at(node, first), first)
      case 'eth_getTransactionReceipt':
        return receiptOf(view, first)
      case 'eth_sendRawTransaction':
        return chain.sendRaw(first, relayer, node)
      case 'eth_estimateGas': {
        const { to, data } = first as { to: Address; data: Hex }
        const relayed = { kind: 'relayed', to, data } as const
        const { needed } = tryRelayed(chain, head.state, { call: relayed, gas: BLOCK_GAS })
        const payment = paymentIn(relayed)
        if (payment) chain.payments.noteEstimate(payment, needed)
        return numberToHex(needed)
      }
      case 'eth_call': {
        const { from, to, data, gas } = first as {
          from?: Address
          to?: Address
          data: Hex
          gas: Hex
        }
        const block = blockAt(view, second ?? 'latest')
        if (!block) throw new RpcError(-32_000, 'header not found')
        if (to !== undefined && from !== undefined && isSame(from, relayer)) {
          tryRelayed(chain, block.state, { call: { kind: 'relayed', to, data }, gas: Number(gas) })
          return '0x'
        }
        if (to === undefined) return answerIn(askValidator(block.state, { data, gas }))
        const verdict = askContract(block.state, { to, data, gas })
        if (verdict) return answerIn(verdict)
        if (isSame(CHAIN.vault, to)) return callVault(block, data, relayer)
        if (isSame(CHAIN.usdg, to)) return callToken(block, data)
        const answer = BOX_CONTRACTS.some((at) => isSame(at, to))
          ? callBoxes(block.state.boxes, { to, data })
          : callPool(block, { to, data }, relayer)
        if (answer === null) throw new RpcError(3, 'execution reverted')
        return answer
      }
      default:
        throw new RpcError(-32_601, `the simulated node has no ${method}`)
    }
  }

  /** Returns the answer in a verdict about a signature, and notes whether the contract has accepted it. */
  function answerIn(verdict: Verdict | null): Hex {
    if (!verdict || verdict.answer === null) throw new RpcError(3, 'execution reverted')
    const { asked, gas, answer, isAccepted } = verdict
    if (isAccepted) chain.consents.note({ ...asked, gas, at: world.scheduler.now })
    return answer
  }
}

/** Makes a call of the relayer without a transaction. @throws if it is refused */
function tryRelayed(
  chain: Chain,
  state: ChainState,
  { call, gas }: { call: { kind: 'relayed'; to: Address; data: Hex }; gas: number },
): { needed: number } {
  const { needed } = gasOf(state, call, 'inCalls')
  if (chain.apply(state, call, { where: 'inCalls', gas })) return { needed }
  if (needed > gas) throw new RpcError(-32_000, `gas required exceeds allowance (${gas})`)
  throw new RpcError(3, 'execution reverted')
}

function callVault({ state }: Block, data: Hex, relayer: Address): Hex {
  const { functionName, args } = decodeCall(vaultAbi, data)
  const [first] = args ?? []
  const abi = vaultAbi
  const results: Record<string, () => Hex> = {
    USDG: () => encodeFunctionResult({ abi, functionName: 'USDG', result: CHAIN.usdg }),
    relayer: () => encodeFunctionResult({ abi, functionName: 'relayer', result: relayer }),
    owner: () => encodeFunctionResult({ abi, functionName: 'owner', result: CHAIN.owner }),
    paused: () =>
      encodeFunctionResult({ abi, functionName: 'paused', result: state.pause.isPaused }),
    nextRelayer: () =>
      encodeFunctionResult({ abi, functionName: 'nextRelayer', result: zeroAddress }),
    nonces: () => {
      const result = BigInt(state.nonces.get(String(first)) ?? 0)
      return encodeFunctionResult({ abi, functionName: 'nonces', result })
    },
    holdings: () => {
      const result = holdings(state, String(first))
      return encodeFunctionResult({ abi, functionName: 'holdings', result })
    },
    books: () => {
      const { deposited, withdrawn, funded } = booksOf(state, String(first))
      const result = [deposited, withdrawn, funded, 0n, 0n, 0n] as const
      return encodeFunctionResult({ abi, functionName: 'books', result })
    },
  }
  const encode = results[functionName]
  if (!encode) throw new RpcError(3, 'execution reverted')
  return encode()
}

function callToken({ state }: Block, data: Hex): Hex {
  const { functionName } = decodeCall(erc20Abi, data)
  if (functionName === 'decimals') {
    return encodeFunctionResult({ abi: erc20Abi, functionName, result: 6 })
  }
  if (functionName !== 'balanceOf') throw new RpcError(3, 'execution reverted')
  const result = holdings(state, CHAIN.usdg)
  return encodeFunctionResult({ abi: erc20Abi, functionName, result })
}

function blockAt(view: readonly Block[], tag: string | { blockHash: Hex }): Block | null {
  if (typeof tag === 'object') return view.find(({ hash }) => hash === tag.blockHash) ?? null
  if (tag === 'latest') return view.at(-1) ?? null
  return view[Number(tag)] ?? null
}

function shownBlock({ number, hash, timestamp, baseFee }: Block): object {
  return {
    number: numberToHex(number),
    hash,
    timestamp: numberToHex(timestamp),
    transactions: [],
    baseFeePerGas: numberToHex(baseFee),
  }
}

function logsOf(
  view: readonly Block[],
  filter: { address: Address; fromBlock: Hex; toBlock: Hex; topics?: unknown[] },
) {
  const isOfBoxes = isSame(BOXES.contract, filter.address)
  // The service asks for one kind of the vault's logs only to find its creation, and for all kinds of the boxes' logs.
  if (!isOfBoxes && filter.topics && filter.topics.length > 0) return []
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
  return view
    .slice(from, to + 1)
    .flatMap((block) => block.mined.flatMap((mined) => shownLogs(block, mined)))
    .filter(({ address }) => isSame(address, filter.address))
}

function shownLogs(block: Block, { tx, logs }: Mined) {
  return logs.map((log, index) => ({
    ...log,
    address: log.address ?? CHAIN.vault,
    blockNumber: numberToHex(block.number),
    blockHash: block.hash,
    transactionHash: tx.hash,
    transactionIndex: '0x0',
    logIndex: numberToHex(index),
    removed: false,
  }))
}

function receiptOf(view: readonly Block[], hash: Hex): object | null {
  for (const block of view.toReversed()) {
    const mined = block.mined.find(({ tx }) => tx.hash === hash)
    if (!mined) continue
    return {
      transactionHash: hash,
      blockHash: block.hash,
      blockNumber: numberToHex(block.number),
      status: mined.isSuccess ? '0x1' : '0x0',
      logs: shownLogs(block, mined),
      type: '0x2',
      gasUsed: numberToHex(mined.gasUsed),
      cumulativeGasUsed: numberToHex(mined.gasUsed),
      effectiveGasPrice: '0x1',
      from: mined.tx.from,
      to: CHAIN.vault,
      contractAddress: null,
      transactionIndex: '0x0',
    }
  }
  return null
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
