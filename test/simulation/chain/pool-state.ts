import type { Hex } from 'viem'
import { prizePoolAbi } from '../../../src/chain/abi.ts'
import { decodeCall } from './decoded.ts'

/** The simulated pool of prizes, and the contracts that it knows. */
export const LOOTBOX = {
  pool: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
  reward: '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9',
  weth: '0xDc64a140Aa3E981100a9becA4E685f962f0cF6C9',
  router: '0x5FC8d32690cc91D4c39d9d3abcBD16989F875707',
  /** A contract of someone else's, which can pay too. */
  stranger: '0x0165878A594ca255338adfa4d48449f69242Eb8F',
  priceWei: 10n ** 16n,
  /** Gets what is paid for the advertising slot. */
  protocolWallet: '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  adPriceWei: 10n ** 16n,
} as const

/** A prize that the pool has paid. */
export interface PaidPrize {
  prizeId: Hex
  to: string
  asset: 'ETH' | 'REWARD'
  amountWei: bigint
}

/** The pool's state after a block. Never changed in place. */
export interface PoolState {
  held: Readonly<Record<PaidPrize['asset'], bigint>>
  paid: readonly PaidPrize[]
}

export const EMPTY_POOL: PoolState = { held: { ETH: 0n, REWARD: 0n }, paid: [] }

/** A transfer: a player's payment, or the house's funding of the pool. */
export interface Transfer {
  kind: 'transfer'
  to: string
  amount: bigint
  /** Anything but `0x` calls a contract. */
  data: Hex
  /** Whether it never vanishes, as the house's. */
  isFunding?: true
  /** Whether it is of the reward token. */
  isReward?: true
  /** Whether it reverts, as one with too little gas does. */
  fails?: true
}

/** Carries out a transfer. Returns null if it reverts. */
export function transferred(pool: PoolState, transfer: Transfer): PoolState | null {
  const { to, amount, isReward, fails } = transfer
  if (fails) return null
  if (to.toLowerCase() !== LOOTBOX.pool.toLowerCase()) return pool
  return added(pool, isReward ? 'REWARD' : 'ETH', amount)
}

/** Pays a prize by the contract's rules. Returns null if it reverts. */
export function prizePaid(pool: PoolState, data: Hex): PoolState | null {
  const { functionName, args } = decodeCall(prizePoolAbi, data)
  if (functionName !== 'payNative' && functionName !== 'payToken') return null
  const [prizeId] = args
  const [to, amountWei] = functionName === 'payNative' ? [args[1], args[2]] : [args[2], args[3]]
  const asset = functionName === 'payNative' ? 'ETH' : 'REWARD'
  if (pool.paid.some((prize) => prize.prizeId === prizeId)) return null
  if (pool.held[asset] < amountWei) return null
  const after = added(pool, asset, -amountWei)
  return { ...after, paid: [...pool.paid, { prizeId, to, asset, amountWei }] }
}

function added(pool: PoolState, asset: PaidPrize['asset'], amount: bigint): PoolState {
  return { ...pool, held: { ...pool.held, [asset]: pool.held[asset] + amount } }
}
