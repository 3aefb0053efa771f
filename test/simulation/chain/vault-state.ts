import { encodeAbiParameters, encodeEventTopics, type Address, type Hex } from 'viem'
import { vaultAbi } from '../../../src/chain/abi.ts'
import { CHAIN } from './addresses.ts'
import { NO_BOXES, type BoxState } from './box-state.ts'
import { decodeCall } from './decoded.ts'
import { isRefused, paymentIn, type Running } from './payments.ts'
import {
  EMPTY_POOL,
  LOOTBOX,
  prizePaid,
  transferred,
  type PoolState,
  type Transfer,
} from './pool-state.ts'
import type { WalletCode } from './wallet-code.ts'

export interface Books {
  deposited: bigint
  funded: bigint
  withdrawn: bigint
}

/** The state of the contracts after a block. Never changed in place. */
export interface ChainState {
  /** The number of each account's transactions. */
  accounts: ReadonlyMap<string, number>
  /** The number of each player's used withdrawal nonces. */
  nonces: ReadonlyMap<string, number>
  books: Readonly<Record<string, Books>>
  pause: Pause
  /** The wallets with code. */
  codes: ReadonlyMap<string, WalletCode>
  pool: PoolState
  boxes: BoxState
}

/** A paused vault takes and pays nothing, and has one nonce of each player burned at most. */
interface Pause {
  isPaused: boolean
  /** The number of pauses so far. */
  count: number
  /** The pause in which a nonce of each player was last burned. */
  burnedIn: ReadonlyMap<string, number>
}

const NO_BOOKS: Books = { deposited: 0n, funded: 0n, withdrawn: 0n }

export const FRESH: ChainState = {
  accounts: new Map(),
  nonces: new Map(),
  books: { [CHAIN.eth]: NO_BOOKS, [CHAIN.usdg.toLowerCase()]: NO_BOOKS },
  pause: { isPaused: false, count: 0, burnedIn: new Map() },
  codes: new Map(),
  pool: EMPTY_POOL,
  boxes: NO_BOXES,
}

export interface RawLog {
  /** Left out for the vault. */
  address?: Address
  topics: Hex[]
  data: Hex
}

export type Effect = { state: ChainState; logs: RawLog[] }

/** A call of the vault or the pool, or a transfer. */
export type ChainCall =
  | { kind: 'deposit' | 'fund'; from: Address; token: Address; amount: bigint }
  | { kind: 'relayed'; to: string; data: Hex }
  | { kind: 'pause'; isPaused: boolean }
  | { kind: 'code'; from: Address; code: WalletCode }
  | Transfer

type VaultCall = Exclude<ChainCall, Transfer | { kind: 'code' }>

/** Carries out a call by its contract's rules. Returns null if it reverts. */
export function apply(state: ChainState, call: ChainCall, running: Running): Effect | null {
  if (call.kind === 'transfer') return ofPool(state, transferred(state.pool, call))
  if (call.kind === 'code') {
    const codes = new Map([...state.codes, [call.from, call.code]])
    return { state: { ...state, codes }, logs: [] }
  }
  // The relayer fills a gap in its nonces.
  if (call.kind === 'relayed' && call.data === '0x') return { state, logs: [] }
  if (call.kind === 'relayed' && call.to.toLowerCase() === LOOTBOX.pool.toLowerCase())
    return ofPool(state, prizePaid(state.pool, call.data))
  return applyToVault(state, call, running)
}

/** Nothing reads what the pool's logs say, nor the vault's of results. */
const UNREAD: Omit<RawLog, 'address'> = { topics: [], data: '0x' }

function ofPool(state: ChainState, pool: PoolState | null): Effect | null {
  return pool && { state: { ...state, pool }, logs: [{ ...UNREAD, address: LOOTBOX.pool }] }
}

function applyToVault(state: ChainState, call: VaultCall, running: Running): Effect | null {
  const { isPaused, count, burnedIn } = state.pause
  if (call.kind === 'pause') {
    const pause = {
      ...state.pause,
      isPaused: call.isPaused,
      count: count + (call.isPaused ? 1 : 0),
    }
    return isPaused === call.isPaused ? null : { state: { ...state, pause }, logs: [] }
  }
  if (call.kind !== 'relayed') {
    if (isPaused) return null
    const { from, token, amount } = call
    const field = call.kind === 'deposit' ? 'deposited' : 'funded'
    const abi = vaultAbi
    const topics = (
      call.kind === 'deposit'
        ? encodeEventTopics({ abi, eventName: 'Deposited', args: { player: from, token } })
        : encodeEventTopics({ abi, eventName: 'Funded', args: { from, token } })
    ) as Hex[]
    return { state: booked(state, token, field, amount), logs: [{ topics, data: words(amount) }] }
  }
  const { functionName, args } = decodeCall(vaultAbi, call.data)
  if (functionName === 'recordHouseResult') return isPaused ? null : { state, logs: [UNREAD] }
  if (functionName === 'burnNonce') {
    const [player, nonce] = args
    const used = useNonce(state, player, nonce)
    if (!used || (isPaused && burnedIn.get(player) === count)) return null
    const pause = { ...used.pause, burnedIn: new Map([...burnedIn, [player, count]]) }
    const topics = encodeEventTopics({
      abi: vaultAbi,
      eventName: 'NonceBurned',
      args: { player },
    }) as Hex[]
    return { state: isPaused ? { ...used, pause } : used, logs: [{ topics, data: words(nonce) }] }
  }
  if (functionName !== 'withdraw') return null
  const [player, token, amount, nonce] = args
  const used = useNonce(state, player, nonce)
  if (!used || isPaused || amount > holdings(state, token)) return null
  const payment = paymentIn(call)
  if (payment && isRefused(state, payment, running)) return null
  const topics = encodeEventTopics({
    abi: vaultAbi,
    eventName: 'Withdrawn',
    args: { player, token },
  }) as Hex[]
  const data = words(amount, nonce)
  return { state: booked(used, token, 'withdrawn', amount), logs: [{ topics, data }] }
}

export function holdings(state: ChainState, token: string): bigint {
  const { deposited, funded, withdrawn } = booksOf(state, token)
  return deposited + funded - withdrawn
}

export function booksOf(state: ChainState, token: string): Books {
  return state.books[token.toLowerCase()] ?? NO_BOOKS
}

/** Counts a transaction of an account. */
export function counted(state: ChainState, account: string): ChainState {
  const accounts = new Map(state.accounts)
  accounts.set(account, (accounts.get(account) ?? 0) + 1)
  return { ...state, accounts }
}

function useNonce(state: ChainState, player: string, nonce: bigint): ChainState | null {
  const expected = state.nonces.get(player) ?? 0
  if (BigInt(expected) !== nonce) return null
  return { ...state, nonces: new Map([...state.nonces, [player, expected + 1]]) }
}

function booked(state: ChainState, token: string, field: keyof Books, amount: bigint): ChainState {
  const before = booksOf(state, token)
  const after = { ...before, [field]: before[field] + amount }
  return { ...state, books: { ...state.books, [token.toLowerCase()]: after } }
}

function words(...numbers: bigint[]): Hex {
  return encodeAbiParameters(
    numbers.map(() => ({ type: 'uint256' })),
    numbers,
  )
}
