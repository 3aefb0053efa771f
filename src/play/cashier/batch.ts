import type { PublicChain } from '../../vault/table-config.ts'
import type { PollResult, Tickets } from '../job.ts'
import { randomHex } from '../random-hex.ts'
import { wallet, walletProvider } from '../session.ts'
import { batchStatus, canBatch, sendBatch, type BatchStatus } from '../wallet/batch.ts'
import { callData, DEPOSITED_TOPIC, topicOf, wordAt } from '../wallet/calls.ts'
import { answerOrNull, rpc } from '../wallet/chain.ts'
import { WalletError } from '../wallet/wallet.ts'
import type { Deposit, DepositNews } from './deposit.ts'

/** A batch that a wallet may have sent. */
export interface Batch {
  /** The wallet knows the batch by it, and refuses it for another. */
  id: string
  owner: string
  /** The latest block before the batch, in hex. */
  afterBlock: string
}

/** How long a wallet may take to report a batch before the player sees a note. */
const KNOWN_WITHIN_MS = 4_000

/** The most blocks that the chain is searched in, as the service's proxy allows. */
const MAX_BLOCKS = 2_000n

/**
 * Approves and deposits USDG with one prompt, if the wallet can do both or neither (EIP-5792). The deposit is kept
 * before the prompt: an answer that is lost with the page is looked up, never asked for again.
 * @returns null if nothing was sent and the wallet has to be asked in another way
 */
export async function sendBatched(
  { chainId, vault, usdg }: PublicChain,
  deposit: Omit<Deposit, 'hash'>,
  tickets: Tickets<Deposit>,
  owner: string,
  checkWanted: () => void,
): Promise<Deposit | null> {
  const { provider, address } = await wallet()
  const batcher = provider && { provider, address, chainId }
  if (!batcher || !(await canBatch(batcher))) return null
  const batch = { id: newId(), owner, afterBlock: await rpc<string>('eth_blockNumber') }
  const kept = { ...deposit, hash: null, batch }
  const calls = [
    callData('approve(address,uint256)', vault, BigInt(deposit.amountWei)),
    callData('deposit(address,uint256)', usdg, BigInt(deposit.amountWei)),
  ].map((data, at) => ({ to: at === 0 ? usdg : vault, data, value: 0n }))
  const keep = () => {
    checkWanted()
    tickets.write(owner, kept)
  }
  try {
    const id = await sendBatch(batcher, batch.id, calls, keep)
    if (id !== null) return { ...kept, batch: { ...batch, id } }
  } catch (fault) {
    tickets.drop(owner, kept)
    throw fault
  }
  tickets.drop(owner, kept)
  return null
}

/** A batch whose state is unknown. */
interface Doubt {
  id: string
  /** Since when the wallet has not said where the batch is, in unix milliseconds. */
  since: number
  /** The chain's latest block when it was first asked about a batch that the wallet calls failed. */
  failedAt: bigint | null
}

let doubt: Doubt | null = null

/** A wallet may call a batch failed shortly before its transaction is in a block. */
const SETTLED_BLOCKS = 3n

/**
 * Looks up the transaction of a batch: in the wallet, and in the vault's events if the wallet doesn't know.
 * @throws WalletError if the deposit has failed, so that it may be made again
 */
export async function findHash(
  chain: PublicChain,
  deposit: Deposit,
  askWallet = statusInWallet,
): Promise<PollResult<DepositNews, Deposit>> {
  const { batch } = deposit
  if (deposit.hash !== null || !batch) return { isDone: true }
  const status = await askWallet(batch.id, chain.vault)
  if (status.kind === 'pending') {
    doubt = null
    return { isDone: false, news: 0 }
  }
  const named = status.kind === 'confirmed' ? status.hash : null
  const seen = named === null ? await answerOrNull(searchChain(chain, deposit, batch)) : null
  const hash = named ?? seen?.hash ?? null
  if (hash !== null || status.kind === 'confirmed') {
    doubt = null
    return { isDone: true, news: 0, ticket: { ...deposit, hash } }
  }
  if (doubt?.id !== batch.id) doubt = { id: batch.id, since: Date.now(), failedAt: null }
  if (status.kind === 'failed' && seen && seen.searchedTo === seen.head) {
    doubt.failedAt ??= seen.head
    if (seen.head >= doubt.failedAt + SETTLED_BLOCKS) {
      doubt = null
      throw new WalletError('Your wallet could not carry out the deposit. Nothing was deposited.')
    }
  }
  return { isDone: false, news: Date.now() - doubt.since < KNOWN_WITHIN_MS ? 0 : 'unsure' }
}

async function statusInWallet(id: string, vault: string): Promise<BatchStatus> {
  const provider = await walletProvider()
  return provider ? batchStatus(provider, id, vault) : { kind: 'unknown' }
}

interface Log {
  data: string
  transactionHash: string
}

interface ChainSearch {
  /** The transaction of the deposit; null if the searched blocks don't contain it. */
  hash: string | null
  searchedTo: bigint
  head: bigint
}

/** Searches for a deposit of this amount since the batch was made. @throws WalletError if the chain does not answer */
async function searchChain(
  { vault, usdg }: PublicChain,
  { amountWei }: Deposit,
  { owner, afterBlock }: Batch,
): Promise<ChainSearch> {
  const from = BigInt(afterBlock) + 1n
  const head = BigInt(await rpc<string>('eth_blockNumber'))
  if (head < from) return { hash: null, searchedTo: head, head }
  const to = head - from > MAX_BLOCKS ? from + MAX_BLOCKS : head
  const filter = {
    address: vault,
    topics: [DEPOSITED_TOPIC, topicOf(owner), topicOf(usdg)],
    fromBlock: `0x${from.toString(16)}`,
    toBlock: `0x${to.toString(16)}`,
  }
  const logs = await rpc<Log[]>('eth_getLogs', [filter])
  const found = logs.find(({ data }) => wordAt(data, 0) === BigInt(amountWei))
  return { hash: found?.transactionHash ?? null, searchedTo: to, head }
}

function newId(): string {
  return `0x${randomHex(32)}`
}
