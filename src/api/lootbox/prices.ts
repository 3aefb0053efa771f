import { answerWithin } from '../../calls/call.ts'
import { readPrice } from '../../chain/prizes.ts'
import type { ChainConfig, LootboxConfig } from '../../config/config.ts'
import { isWithin } from '../../core/age.ts'
import { logFault } from '../../log.ts'

/** How long an isolate keeps the prices. Feeds change them less often. */
const KEPT_MS = 60_000
/** Nobody waits longer than this for a price that is only shown. */
const MAX_MS = 1_500
const COIN_DECIMALS = 18n

/** A price feed's data on an asset. */
interface AssetPrice {
  /** The price of one whole unit, in wei of the chain's native coin, rounded down. */
  weiPerUnit: string
  /** The feed's address. */
  feed: string
  /** When the feed last changed it, in unix milliseconds. */
  at: number
}

type Prices = Record<string, AssetPrice>

let kept: { feeds: string; askedAt: number; prices: Prices } | null = null

/**
 * Returns the prices of the prizes that have a feed. One without a fresh price is left out. While a request reads
 * them, others get the earlier ones.
 */
export async function currentPrices(
  chain: ChainConfig | null,
  lootbox: LootboxConfig,
): Promise<Prices> {
  const feeds = [...lootbox.stocks.values()].map(({ feed }) => feed).join()
  const now = Date.now()
  const earlier = kept?.feeds === feeds ? kept : null
  if (earlier && isWithin(KEPT_MS, earlier.askedAt, now)) return earlier.prices
  const own = { feeds, askedAt: now, prices: earlier?.prices ?? {} }
  kept = own
  own.prices = await readPrices(chain, lootbox)
  return own.prices
}

async function readPrices(chain: ChainConfig | null, { stocks }: LootboxConfig): Promise<Prices> {
  if (!chain) return {}
  const read = [...stocks].map(async ([asset, stock]): Promise<[string, AssetPrice][]> => {
    try {
      const { price, priceDecimals, updatedAt } = await answerWithin(
        MAX_MS,
        readPrice(chain, stock),
      )
      const wei = (price * 10n ** COIN_DECIMALS) / 10n ** BigInt(priceDecimals)
      return [[asset, { weiPerUnit: String(wei), feed: stock.feed, at: Number(updatedAt) * 1000 }]]
    } catch (fault) {
      logFault('prize_price_read_failed', fault, { asset })
      return []
    }
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}
