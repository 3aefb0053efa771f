import type { Token } from '../../money/token.ts'
import { exactAmount, shortAmount } from '../amounts.ts'

/** Shows an amount of smallest units in whole tokens. Hovering shows it exactly. */
export function Money({ amountWei, token }: { amountWei: bigint | string; token: Token }) {
  return (
    <span class="money" title={`${exactAmount(amountWei, token)} ${token}`}>
      {shortAmount(amountWei, token)} <span class="token">{token}</span>
    </span>
  )
}
