import { listed } from '../../core/words.ts'
import { shortAddress } from '../account.tsx'
import { assetAmount, percent } from '../assets.ts'
import { edgeOf, showShare } from '../components/average.tsx'
import { Money } from '../components/money.tsx'
import { Time } from '../components/time.tsx'
import { fromNow } from '../times.ts'
import { rarity } from './rarity.ts'
import type { Prize } from './terms.ts'
import { shareOf, worthOf, type Prices, type Share } from './worth.ts'

interface Props {
  caption: string
  prizes: Prize[]
  expectedValue: Record<string, string>
  /** The price feeds' data on the prizes' assets. */
  prices?: Prices | undefined
  /** The cost of an opening; absent for a free one. */
  priceWei?: string | undefined
  /** The tier won last. */
  won: number | null
}

/** Shows the prizes, their chances and their average value. */
export function PrizeTable({ caption, prizes, expectedValue, prices = {}, priceWei, won }: Props) {
  const odds = prizes.map(({ bps }) => bps)
  return (
    <>
      <table class="table prize-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">Prize</th>
            <th scope="col">Chance</th>
          </tr>
        </thead>
        <tbody>
          {prizes.map(({ label, prize, asset, bps, decimals }, tier) => (
            <tr key={tier} class={tier === won ? 'own' : ''}>
              <td>
                <span class={`dot ${rarity(tier, odds)}`} />
                {label}
              </td>
              <td>
                {assetAmount(prize, asset, decimals)}
                <Worth worthWei={worthOf({ prize, asset, decimals }, prices)} />
              </td>
              <td>{percent(bps)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <AverageValue {...{ prizes, expectedValue, prices, priceWei }} />
    </>
  )
}

/** A prize's approximate value in ETH. */
function Worth({ worthWei }: { worthWei: bigint | null }) {
  if (worthWei === null) return null
  return (
    <small class="worth">
      ≈ <Money amountWei={worthWei} token="ETH" />
    </small>
  )
}

/** The exact average win and, as far as it can be computed, its share of the price. */
export function AverageValue({
  prizes,
  expectedValue,
  prices = {},
  priceWei,
}: Pick<Props, 'prizes' | 'expectedValue' | 'prices' | 'priceWei'>) {
  const decimals = (asset: string) => prizes.find((each) => each.asset === asset)?.decimals
  const average = Object.entries(expectedValue).map(([asset, amount]) =>
    assetAmount(amount, asset, decimals(asset)),
  )
  return (
    <>
      <p class="muted">Average value: {average.join(' + ')}</p>
      {priceWei !== undefined && (
        <p class="muted">{sayShare(shareOf(expectedValue, { prizes, prices, priceWei }))}</p>
      )}
      {Object.entries(prices).map(([asset, { feed, at }]) => (
        <p key={asset} class="muted">
          ≈ by the price feed of {asset} at <code title={feed}>{shortAddress(feed)}</code>, last
          changed <Time at={at} /> ({fromNow(at)}).
        </p>
      ))}
    </>
  )
}

function sayShare({ share, isExact, unpriced }: Share): string {
  const about = isExact ? '' : '≈ '
  if (unpriced.length === 0) {
    const edge = showShare(edgeOf(share))
    return `Returns ${about}${showShare(share)} of the price on average. The house edge is ${about}${edge}.`
  }
  const rest = `${listed(unpriced)} ${unpriced.length === 1 ? 'has' : 'have'} no published price, so the whole return can’t be computed.`
  if (share.numerator === 0n) return rest
  return `${rest} The other prizes return ${about}${showShare(share)} of the price on average.`
}
