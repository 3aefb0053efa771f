import {
  BaseError,
  createWalletClient,
  erc20Abi,
  http,
  publicActions,
  type Address,
  type Hash,
  type Hex,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { CommandError } from './terminal.ts'

/** A local chain mines at once. */
const POLL_MS = 50

/** A node and an account that signs what it sends there. */
export function connect(rpcUrl: string, privateKey: Hex) {
  return createWalletClient({
    account: privateKeyToAccount(privateKey),
    ccipRead: false,
    transport: http(rpcUrl),
    pollingInterval: POLL_MS,
  }).extend(publicActions)
}

/** What an account holds of something before a block and after it, in smallest units. */
export interface Holding {
  before: bigint
  after: bigint
}

/** An account on a chain: what it holds there, and what it sends. */
export class ChainAccount {
  protected readonly account: PrivateKeyAccount
  protected readonly chain: ReturnType<typeof connect>

  constructor(rpcUrl: string, privateKey: Hex) {
    this.account = privateKeyToAccount(privateKey)
    this.chain = connect(rpcUrl, privateKey)
  }

  get address(): Address {
    return this.account.address
  }

  /**
   * What it holds, in smallest units: now, or after a block.
   * @param token null for the chain's own coin
   */
  holds(token: Address | null, blockNumber?: bigint): Promise<bigint> {
    const { address } = this
    const at = blockNumber === undefined ? {} : { blockNumber }
    if (token === null) return told(this.chain.getBalance({ address, ...at }))
    const call = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
    return told(this.chain.readContract({ ...call, args: [address], ...at }))
  }

  /** By how much a mined transaction's block changed what it holds. */
  async holdsAround(token: Address | null, hash: Hash): Promise<Holding> {
    const { blockNumber } = await told(this.chain.getTransactionReceipt({ hash }))
    const [before, after] = await Promise.all([
      this.holds(token, blockNumber - 1n),
      this.holds(token, blockNumber),
    ])
    return { before, after }
  }

  /** How many transactions it has sent. */
  transactionCount(): Promise<number> {
    return told(this.chain.getTransactionCount({ address: this.address }))
  }

  /** Sends, and returns when it is mined. @throws CommandError if it is reverted */
  async send(tx: { to: Address; value: bigint; data?: Hex }): Promise<TransactionReceipt> {
    return this.mined(await told(this.chain.sendTransaction({ chain: null, ...tx })))
  }

  /** When a block was made, in unix milliseconds. */
  async madeAt(blockHash: Hash): Promise<number> {
    const { timestamp } = await told(this.chain.getBlock({ blockHash }))
    return Number(timestamp) * 1000
  }

  protected async mined(hash: Hash): Promise<TransactionReceipt> {
    const receipt = await told(this.chain.waitForTransactionReceipt({ hash }))
    if (receipt.status === 'success') return receipt
    throw new CommandError(`Transaction ${hash} was reverted.`)
  }
}

/** What went wrong on chain, in the words that a person can do something with. */
export async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (fault) {
    if (!(fault instanceof BaseError)) throw fault
    throw new CommandError(`The chain: ${fault.shortMessage}`, { cause: fault })
  }
}
