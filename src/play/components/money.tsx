import { FUN, type Unit } from '../../money/token.ts'
import { exactAmount, shortAmount } from '../amounts.ts'

/** Shows an amount of smallest units in whole units. Hovering shows it exactly. */
export function Money({ amountWei, token }: { amountWei: bigint | string; token: Unit }) {
  return (
    <span class="money" title={`${exactAmount(amountWei, token)} ${token}`}>
      {shortAmount(amountWei, token)}{' '}
      <span class={token === FUN ? 'token fun' : 'token'}>{token}</span>
    </span>
  )
}
