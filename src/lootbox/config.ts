import type { Address } from 'viem'
import type { Prize } from './prizes.ts'
import type { ShareProvider } from './share.ts'

/** A stock's token, bought on the router, and the feed that says what it costs. */
export interface Stock {
  token: Address
  decimals: number
  /** Chainlink's form: what one whole token costs in the chain's own coin. */
  feed: Address
}

export interface LootboxConfig {
  /** Who is paid, and pays prizes: see contracts/src/PrizePool.sol. */
  pool: Address
  rewardToken: Address
  /** In wei. */
  price: string
  prizes: Prize[]
  /** What a free spin wins: the reward token, all of it. */
  spinPrizes: Prize[]
  /** How many free spins there are a UTC day, of all wallets together. */
  spinDailyLimit: number
  /** Where a post has to stand for a free spin; none, and there are no free spins. */
  shareProviders: ShareProvider[]
  stocks: ReadonlyMap<string, Stock>
  /** The router's token for the chain's own coin, which every swap begins with. */
  weth: Address
  /** How much more than the feed says a swap may cost, of 10000. */
  slippageBps: number
}
