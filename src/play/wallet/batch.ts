import { pause } from '../pause.ts'
import { useChain } from './injected.ts'
import { WalletError, type Provider, type TransactionRequest } from './wallet.ts'

/** A wallet that may carry out several calls as one transaction, by EIP-5792. */
interface Batcher {
  provider: Provider
  address: string
  chainId: number
}

/** A wallet's status of a batch; `unknown` without one. */
export type BatchStatus =
  | { kind: 'pending' | 'unknown' | 'failed' }
  /** With the transaction's hash, unless the wallet doesn't name it. */
  | { kind: 'confirmed'; hash: string | null }

/** How long a wallet may take to list its capabilities, which asks the player nothing. */
const CAPABILITIES_WITHIN_MS = 3_000

/** How long a wallet may take to answer with a batch's status. */
const STATUS_WITHIN_MS = 4_000

/** Errors after which nothing was sent: the player has declined, or the account isn't connected. */
const DECLINED = [4001, 4100]

/**
 * Errors after which nothing was sent and the calls can be sent singly: unknown method or parameters, unsupported
 * capability, chain or size, a declined upgrade of the account, and no atomicity.
 */
const NOT_POSSIBLE = [-32_601, -32_602, 4200, 5700, 5710, 5740, 5750, 5760]

/** Returns whether the wallet promises to carry out all calls of a batch or none. */
export async function canBatch({ provider, address, chainId }: Batcher): Promise<boolean> {
  const id = toHex(chainId)
  try {
    const params = [address, [id]]
    const asked = provider.request({ method: 'wallet_getCapabilities', params })
    return isAtomic(await orNothing(asked, CAPABILITIES_WITHIN_MS), id)
  } catch {
    return false
  }
}

/**
 * A wallet that is only `ready` would first turn the account into one with code, which can't buy boxes.
 * @param capabilities by chain, where 0x0 stands for all chains
 */
export function isAtomic(capabilities: unknown, chainId: string): boolean {
  const byChain = (capabilities ?? {}) as Record<string, { atomic?: { status?: unknown } }>
  const { status } = (byChain[chainId] ?? byChain['0x0'])?.atomic ?? {}
  return status === 'supported'
}

/**
 * Asks the player once for all calls. The wallet refuses an id that it has seen before, so a batch can't be
 * sent twice.
 * @param beforeAsked runs once the wallet is on the chain, which it may have asked the player for
 * @returns the id that the wallet knows the batch by, also if its answer doesn't say whether it was sent; null if
 *   the wallet sent nothing and can't batch these calls
 * @throws WalletError if nothing was sent because the player declined
 */
export async function sendBatch(
  { provider, address, chainId }: Batcher,
  id: string,
  calls: TransactionRequest[],
  beforeAsked?: () => void,
): Promise<string | null> {
  await useChain(provider, chainId)
  beforeAsked?.()
  const batch = {
    version: '2.0.0',
    id,
    from: address,
    chainId: toHex(chainId),
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({ to, data, value: toHex(value) })),
  }
  try {
    const answer = await provider.request({ method: 'wallet_sendCalls', params: [batch] })
    return readId(answer) ?? id
  } catch (fault) {
    const code = codeOf(fault)
    if (DECLINED.includes(code)) {
      throw new WalletError('You declined in your wallet. Nothing was sent.', { cause: fault })
    }
    return NOT_POSSIBLE.includes(code) ? null : id
  }
}

/** Returns the wallet's status of a batch. Asks the player nothing. @param target the contract that it calls */
export async function batchStatus(
  provider: Provider,
  id: string,
  target: string,
): Promise<BatchStatus> {
  try {
    const asked = provider.request({ method: 'wallet_getCallsStatus', params: [id] })
    return readStatus(await orNothing(asked, STATUS_WITHIN_MS), target)
  } catch {
    return { kind: 'unknown' }
  }
}

/** Returns a wallet's answer, or null if it takes longer. */
function orNothing(asked: Promise<unknown>, withinMs: number): Promise<unknown> {
  return Promise.race([asked, pause(withinMs).then(() => null)])
}

interface Receipt {
  status?: string
  transactionHash?: string
  logs?: { address?: string }[]
}

/**
 * Reads a wallet's answer about a batch. Wallets disagree on the codes from 300, so beyond them only the receipts
 * count: a batch that was to be atomic may still have been carried out in part.
 */
export function readStatus(answer: unknown, target: string): BatchStatus {
  const { status, receipts } = (answer ?? {}) as { status?: unknown; receipts?: unknown }
  if (typeof status !== 'number') return { kind: 'unknown' }
  if (status >= 100 && status < 200) return { kind: 'pending' }
  const list = (Array.isArray(receipts) ? receipts : []) as (Receipt | null)[]
  const hit = list.find((receipt) => receipt?.status === '0x1' && isAt(receipt, target))
  if (hit) return { kind: 'confirmed', hash: hashOf(hit) }
  if (status < 200 || status >= 700) return { kind: 'unknown' }
  return status < 300 ? { kind: 'confirmed', hash: hashOf(list.at(-1)) } : { kind: 'failed' }
}

function isAt({ logs }: Receipt, target: string): boolean {
  return (
    Array.isArray(logs) &&
    logs.some(({ address }) => address?.toLowerCase() === target.toLowerCase())
  )
}

function hashOf(receipt: Receipt | null | undefined): string | null {
  const hash = receipt?.transactionHash
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : null
}

/** Before version 2, an answer was the id itself. */
function readId(answer: unknown): string | null {
  const id = typeof answer === 'string' ? answer : (answer as { id?: unknown } | null)?.id
  return typeof id === 'string' && id !== '' ? id : null
}

function codeOf(fault: unknown): number {
  return Number((fault as { code?: unknown } | null)?.code)
}

function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
