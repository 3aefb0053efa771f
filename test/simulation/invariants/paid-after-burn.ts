import type { Chain } from '../chain/chain.ts'
import { paymentIn, type VaultPayment } from '../chain/payments.ts'
import type { World } from '../world/world.ts'
import { withdrawalsOf } from './withdrawals.ts'

/**
 * Returns the payments that the chain has carried out although their chips have come back: it dropped a confirmed burn.
 */
export function paidAfterBurn(world: World, chain: Chain): VaultPayment[] {
  return chain.revived.filter(({ player, nonce }) => {
    const withdrawal = withdrawalsOf(world, player).find((each) => each.nonce === nonce)
    return withdrawal?.status === 'failed' && isPaid(chain, player, nonce)
  })
}

/** Returns what the house has lost in a token by such payments, which operators book for it, in smallest units. */
export function paidAfterBurnWei(world: World, token: string): bigint {
  const payments = world.chain ? paidAfterBurn(world, world.chain) : []
  return payments
    .filter((payment) => payment.token === token)
    .reduce((sum, { amountWei }) => sum + amountWei, 0n)
}

/** Checks that operators have been told of each payment made after its burn. */
export function checkPaidAfterBurn(
  world: World,
  chain: Chain,
  payments: readonly VaultPayment[],
): void {
  for (const { player, nonce } of payments) {
    const isTold = (line: string) =>
      line.includes('"payout_paid_after_burn"') && line.includes(`:${player}:${nonce}"`)
    if (!chain.alerts.some(isTold))
      world.violate(
        `operators are not told that withdrawal ${nonce} of ${player} was paid after its burn`,
      )
  }
}

function isPaid(chain: Chain, player: string, nonce: number): boolean {
  return chain.blocks.some(({ mined }) =>
    mined.some(({ tx, isSuccess }) => {
      const payment = isSuccess && tx.call.kind !== 'boxes' ? paymentIn(tx.call) : null
      return payment?.player === player && payment.nonce === nonce
    }),
  )
}
