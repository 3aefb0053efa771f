import { encodeFunctionData, getContract, type Address, type Hex } from 'viem'
import type { ChainConfig, LootboxConfig, Stock } from '../config/config.ts'
import { invariant } from '../core/invariant.ts'
import { mostFor, type PrizeOrder } from '../relayer/prize.ts'
import { prizePoolAbi } from './abi.ts'
import { chainClient } from './client.ts'
import { priceFeedAbi, tokenAbi } from './foreign-abi.ts'

/** The deadline of a swap, in seconds. A swap not mined by then is signed again at a new price. */
const SWAP_WITHIN_S = 600

/** The maximum age of a price, in seconds. */
const FRESH_PRICE_S = 86_400

/**
 * Builds the pool's call that pays a prize, with a limit from the current price if it buys the asset.
 * @param lootbox may be null for a prize in ETH
 * @throws if the node doesn't answer, the feed has no fresh price, or the asset is not configured
 */
export async function prizeCall(
  chain: ChainConfig,
  lootbox: LootboxConfig | null,
  { prizeId, to, asset, amountWei }: PrizeOrder,
): Promise<Hex> {
  const winner = to as Address
  const amount = BigInt(amountWei)
  if (asset === 'ETH') {
    const args = [prizeId, winner, amount] as const
    return encodeFunctionData({ abi: prizePoolAbi, functionName: 'payNative', args })
  }
  invariant(lootbox, 'a prize in tokens requires a configured lootbox')
  if (asset === 'REWARD') {
    const args = [prizeId, lootbox.rewardToken, winner, amount] as const
    return encodeFunctionData({ abi: prizePoolAbi, functionName: 'payToken', args })
  }
  const stock = lootbox.stocks.get(asset)
  if (!stock) throw new Error(`LOOTBOX_STOCKS does not list ${asset}`)
  const { most, deadline } = await boundOf(chain, stock, amount, lootbox.slippageBps)
  return encodeFunctionData({
    abi: prizePoolAbi,
    functionName: 'paySwap',
    args: [prizeId, [lootbox.weth, stock.token], winner, amount, most, deadline],
  })
}

/** Returns whether a pool has paid a prize. @param blockNumber after this block; without it, after the newest one */
export function isPrizePaid(
  chain: ChainConfig,
  { pool, prizeId }: Pick<PrizeOrder, 'pool' | 'prizeId'>,
  blockNumber?: number,
): Promise<boolean> {
  const contract = { address: pool as Address, abi: prizePoolAbi, client: chainClient(chain) }
  const after = blockNumber === undefined ? {} : { blockNumber: BigInt(blockNumber) }
  return getContract(contract).read.isPaid([prizeId], after)
}

/** Returns the pool's balances for prizes, in smallest units. */
export async function poolBalances(
  chain: ChainConfig,
  { pool, rewardToken }: Pick<LootboxConfig, 'pool' | 'rewardToken'>,
): Promise<{ ETH: bigint; REWARD: bigint }> {
  const client = chainClient(chain)
  const reward = getContract({ address: rewardToken, abi: tokenAbi, client })
  const [ETH, REWARD] = await Promise.all([
    client.getBalance({ address: pool }),
    reward.read.balanceOf([pool]),
  ])
  return { ETH, REWARD }
}

async function boundOf(
  chain: ChainConfig,
  stock: Stock,
  amount: bigint,
  slippageBps: number,
): Promise<{ most: bigint; deadline: bigint }> {
  const { price, priceDecimals, timestamp } = await readPrice(chain, stock)
  const most = mostFor(amount, stock.decimals, { price, priceDecimals, slippageBps })
  return { most, deadline: timestamp + BigInt(SWAP_WITHIN_S) }
}

/** A feed's price of one whole token in the chain's native coin, with times in unix seconds. */
interface FeedPrice {
  price: bigint
  priceDecimals: number
  updatedAt: bigint
  /** The time of the newest block. */
  timestamp: bigint
}

/** @throws if the node doesn't answer, or the feed has no fresh price */
export async function readPrice(
  chain: ChainConfig,
  { feed }: Pick<Stock, 'feed'>,
): Promise<FeedPrice> {
  const client = chainClient(chain)
  const { read } = getContract({ address: feed, abi: priceFeedAbi, client })
  const [[, price, , updatedAt], priceDecimals, { timestamp }] = await Promise.all([
    read.latestRoundData(),
    read.decimals(),
    client.getBlock(),
  ])
  if (price <= 0n || timestamp - updatedAt > BigInt(FRESH_PRICE_S)) {
    throw new Error('the feed has no fresh price')
  }
  return { price, priceDecimals, updatedAt, timestamp }
}
