interface RpcCall {
  id: number
  method: string
}

/** A payment that the node has. */
interface Paid {
  txHash: string
  blockHash: string
  wallet: string
  to: string
  /** In unix milliseconds. */
  paidAt: number
}

/** A reader's node, which has one payment. A test changes what it answers, by method. */
export class PaymentNode {
  readonly url = 'https://node.test/'
  readonly answers: Record<string, unknown>

  constructor({ txHash, blockHash, wallet: from, to, paidAt }: Paid) {
    const block = {
      hash: blockHash,
      number: '0x9',
      transactions: [txHash],
      timestamp: `0x${(paidAt / 1_000).toString(16)}`,
    }
    this.answers = {
      eth_chainId: '0x1',
      eth_blockNumber: '0x20',
      eth_getTransactionByHash: {
        hash: txHash,
        from,
        to,
        value: '0x2386f26fc10000',
        input: '0x',
        type: '0x2',
        chainId: '0x1',
      },
      eth_getTransactionReceipt: {
        blockHash,
        blockNumber: '0x9',
        status: '0x1',
        type: '0x2',
        logs: [],
      },
      eth_getBlockByNumber: block,
      eth_getBlockByHash: null,
    }
  }

  /** Changes fields of an answer. */
  change(method: string, fields: object): void {
    this.answers[method] = { ...(this.answers[method] as object), ...fields }
  }

  /** Answers a request, in place of the network. */
  readonly fetch = (body: string): Response => {
    const sent = JSON.parse(body) as RpcCall | RpcCall[]
    const answer = ({ id, method }: RpcCall) => ({ jsonrpc: '2.0', id, ...this.#answer(method) })
    return Response.json(Array.isArray(sent) ? sent.map(answer) : answer(sent))
  }

  #answer(method: string): object {
    const result = this.answers[method]
    return result === undefined
      ? { error: { code: -32_601, message: 'no such method' } }
      : { result }
  }
}
