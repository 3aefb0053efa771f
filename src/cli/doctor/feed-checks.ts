import { HttpRequestError, type Address } from 'viem'
import { prizePoolAbi } from '../../chain/abi.ts'
import type { ChainCheck } from '../../chain/check.ts'
import { chainClient, isCausedBy } from '../../chain/client.ts'
import { routerAbi } from '../../chain/foreign-abi.ts'
import { readPrice } from '../../chain/prizes.ts'
import type { LootboxConfig, Stock, VaultConfig } from '../../config/config.ts'
import { max } from '../../core/bigint.ts'
import { mostFor } from '../../relayer/prize.ts'
import { check, checkWithWarning } from './check.ts'

/** How many times the other's a feed's or a router's price may be. A feed in dollars is off by thousands. */
const APART = 2n

/**
 * Checks that each feed prices its stock in the chain's native coin, as the pool's router sells it: the feed bounds the
 * cost of a prize. Warns if one of them has no price to compare.
 * @throws if the node doesn't answer
 */
export async function feedChecks(
  vault: VaultConfig,
  { pool, weth, stocks }: LootboxConfig,
): Promise<ChainCheck[]> {
  const call = { address: pool, abi: prizePoolAbi, functionName: 'ROUTER' } as const
  const router = await chainClient(vault).readContract(call)
  return Promise.all(
    [...stocks].map(async ([symbol, stock]) => {
      // Little, so that it hardly moves the router's price.
      const amount = max(1n, 10n ** BigInt(stock.decimals) / 1_000n)
      const byFeed = await ifPriced(costByFeed(vault, stock, amount, 0))
      const path = [weth, stock.token]
      const byRouter = await ifPriced(costByRouter(vault, router, amount, path))
      const claim = `the feed of ${symbol} prices it in the chain's native coin`
      if (byFeed === null || byRouter === null) {
        const what =
          byFeed === null ? 'Its feed has no price of the last day' : 'No router sells it'
        const warning = `${what}, so their prices could not be compared, and prizes in ${symbol} wait.`
        return checkWithWarning(claim, false, warning)
      }
      return check(
        claim,
        byFeed <= APART * byRouter && byRouter <= APART * byFeed,
        `By the feed at ${stock.feed}, ${amount} smallest units of ${symbol} cost ${byFeed} wei, but the pool's router asks ${byRouter}. Set LOOTBOX_STOCKS.${symbol}.feed to a feed of ${symbol} in the chain's native coin: with one in dollars, a prize could cost thousands of times its price.`,
      )
    }),
  )
}

/**
 * Returns the most that an amount of a stock may cost by its feed, in wei.
 * @throws if the node doesn't answer, or the feed has no fresh price
 */
export async function costByFeed(
  vault: VaultConfig,
  stock: Stock,
  amount: bigint,
  slippageBps: number,
): Promise<bigint> {
  const { price, priceDecimals } = await readPrice(vault, stock)
  return mostFor(amount, stock.decimals, { price, priceDecimals, slippageBps })
}

async function costByRouter(
  vault: VaultConfig,
  address: Address,
  amount: bigint,
  path: Address[],
): Promise<bigint | null> {
  const call = { address, abi: routerAbi, functionName: 'getAmountsIn' } as const
  const [cost] = await chainClient(vault).readContract({ ...call, args: [amount, path] })
  return cost ?? null
}

/** Returns a cost, or null if the contract gives none. @throws if the node doesn't answer */
export async function ifPriced(cost: Promise<bigint | null>): Promise<bigint | null> {
  try {
    return await cost
  } catch (fault) {
    if (isCausedBy(fault, HttpRequestError)) throw fault
    return null
  }
}
