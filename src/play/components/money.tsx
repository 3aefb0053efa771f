import type { Token } from '../../money/token.ts'
import { exactAmount, shortAmount } from '../amounts.ts'

/** An amount in smallest units, shown in whole tokens; exactly on hover. */
export function Money({ amountWei, token }: { amountWei: bigint | string; token: Token }) {
  return (
    <span class="money" title={`${exactAmount(amountWei, token)} ${token}`}>
      {shortAmount(amountWei, token)} <span class="token">{token}</span>
    </span>
  )
}
