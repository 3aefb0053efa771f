import type { Rational } from '../../money/rational.ts'

/** The price feeds' data, by asset. */
export type Prices = Record<
  string,
  {
    /** Of one whole unit. */
    weiPerUnit: string
    /** The feed's address. */
    feed: string
    /** Unix milliseconds. */
    at: number
  }
>

interface Amount {
  /** In the asset's smallest unit. */
  prize: string
  asset: string
  decimals?: number | undefined
}

const COIN_DECIMALS = 18
/** An average of smallest units may have up to four decimals. */
const AVERAGE_DECIMALS = 4

/** Returns the approximate value of a prize in wei, rounded down; null for ETH itself and without a price. */
export function worthOf(
  { prize, asset, decimals = COIN_DECIMALS }: Amount,
  prices: Prices,
): bigint | null {
  const price = prices[asset]
  if (!price || asset === 'ETH') return null
  return (BigInt(prize) * BigInt(price.weiPerUnit)) / 10n ** BigInt(decimals)
}

export interface Share {
  /** The average win in ETH and in priced assets, as a share of the price. */
  share: Rational
  /** Whether no price feed is needed. */
  isExact: boolean
  /** The assets without a price, which the share leaves out. */
  unpriced: string[]
}

/** Returns the average win as a share of the price of an opening. */
export function shareOf(
  expectedValue: Record<string, string>,
  { prizes, prices, priceWei }: { prizes: readonly Amount[]; prices: Prices; priceWei: string },
): Share {
  const assets = Object.keys(expectedValue)
  const unpriced = assets.filter((asset) => asset !== 'ETH' && !prices[asset])
  let sum: Rational = { numerator: 0n, denominator: 1n }
  for (const asset of assets.filter((each) => !unpriced.includes(each))) {
    const { decimals = COIN_DECIMALS } = prizes.find((prize) => prize.asset === asset) ?? {}
    const weiPerUnit = asset === 'ETH' ? 10n ** 18n : BigInt(prices[asset]?.weiPerUnit ?? 0)
    const numerator = averageOf(expectedValue[asset] ?? '0') * weiPerUnit
    const denominator = 10n ** BigInt(decimals + AVERAGE_DECIMALS)
    sum = {
      numerator: sum.numerator * denominator + numerator * sum.denominator,
      denominator: sum.denominator * denominator,
    }
  }
  const share = { numerator: sum.numerator, denominator: sum.denominator * BigInt(priceWei) }
  return { share, isExact: assets.every((asset) => asset === 'ETH'), unpriced }
}

/** Returns an average as a count of its smallest decimals. */
function averageOf(text: string): bigint {
  const [units = '0', fraction = ''] = text.split('.')
  return BigInt(units + fraction.padEnd(AVERAGE_DECIMALS, '0'))
}
