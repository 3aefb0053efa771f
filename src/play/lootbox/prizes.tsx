import { assetAmount, percent } from '../assets.ts'
import { rarity } from './rarity.ts'
import type { Prize } from './terms.ts'

interface Props {
  caption: string
  prizes: Prize[]
  expectedValue: Record<string, string>
  /** The tier won last. */
  won: number | null
}

/** Shows the prizes, their chances and their average value. */
export function PrizeTable({ caption, prizes, expectedValue, won }: Props) {
  const odds = prizes.map(({ bps }) => bps)
  const decimals = (asset: string) => prizes.find((each) => each.asset === asset)?.decimals
  const average = Object.entries(expectedValue).map(([asset, amount]) =>
    assetAmount(amount, asset, decimals(asset)),
  )
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
          {prizes.map(({ label, prize, asset, bps, decimals: digits }, tier) => (
            <tr key={tier} class={tier === won ? 'own' : ''}>
              <td>
                <span class={`dot ${rarity(tier, odds)}`} />
                {label}
              </td>
              <td>{assetAmount(prize, asset, digits)}</td>
              <td>{percent(bps)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">Average value: {average.join(' + ')}</p>
    </>
  )
}
