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

/** The polling interval; a local chain mines immediately. */
const POLL_MS = 50

/** Returns a client for a node, which signs transactions with an account. */
export function connect(rpcUrl: string, privateKey: Hex) {
  return createWalletClient({
    account: privateKeyToAccount(privateKey),
    ccipRead: false,
    transport: http(rpcUrl),
    pollingInterval: POLL_MS,
  }).extend(publicActions)
}

/** An account's balance before and after a block, in smallest units. */
export interface Holding {
  before: bigint
  after: bigint
}

/** An account on a chain. */
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
   * Reads the account's balance in smallest units, now or after a block.
   * @param token null for the chain's native coin
   */
  holds(token: Address | null, blockNumber?: bigint): Promise<bigint> {
    const { address } = this
    const at = blockNumber === undefined ? {} : { blockNumber }
    if (token === null) return inPlainWords(this.chain.getBalance({ address, ...at }))
    const call = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
    return inPlainWords(this.chain.readContract({ ...call, args: [address], ...at }))
  }

  /** Reads the balance before and after a mined transaction's block. */
  async holdsAround(token: Address | null, hash: Hash): Promise<Holding> {
    const { blockNumber } = await inPlainWords(this.chain.getTransactionReceipt({ hash }))
    const [before, after] = await Promise.all([
      this.holds(token, blockNumber - 1n),
      this.holds(token, blockNumber),
    ])
    return { before, after }
  }

  /** Reads the number of transactions the account has sent. */
  transactionCount(): Promise<number> {
    return inPlainWords(this.chain.getTransactionCount({ address: this.address }))
  }

  /** Sends a transaction and waits until it is mined. @throws CommandError if it reverts */
  async send(tx: { to: Address; value: bigint; data?: Hex }): Promise<TransactionReceipt> {
    return this.mined(await inPlainWords(this.chain.sendTransaction({ chain: null, ...tx })))
  }

  /** Reads a block's time, in unix milliseconds. */
  async madeAt(blockHash: Hash): Promise<number> {
    const { timestamp } = await inPlainWords(this.chain.getBlock({ blockHash }))
    return Number(timestamp) * 1000
  }

  protected async mined(hash: Hash): Promise<TransactionReceipt> {
    const receipt = await inPlainWords(this.chain.waitForTransactionReceipt({ hash }))
    if (receipt.status === 'success') return receipt
    throw new CommandError(`The transaction ${hash} reverted on chain.`)
  }
}

/** Waits for work on the chain. @throws CommandError with a short message in place of the chain's fault */
export async function inPlainWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (fault) {
    if (!(fault instanceof BaseError)) throw fault
    throw new CommandError(`The chain refused: ${fault.shortMessage}`, { cause: fault })
  }
}
