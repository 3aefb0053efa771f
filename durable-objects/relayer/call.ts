import type { Address } from 'viem'
import { prizeCall } from '../../src/chain/prizes.ts'
import type { ContractCall } from '../../src/chain/sender.ts'
import { vaultCall } from '../../src/chain/vault.ts'
import type { Config } from '../../src/config/config.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { Payout } from './payouts.ts'

/** The call of a payout's present step. @throws where a prize has no price now */
export async function callOf(
  { vault, lootbox }: Config,
  { step, order }: Payout,
): Promise<ContractCall> {
  invariant(vault, 'who is paid has a vault to be paid from')
  if (order.kind === 'prize') {
    invariant(lootbox, 'who is owed a prize has a lootbox to be paid from')
    return { to: order.pool as Address, data: await prizeCall(vault, lootbox, order) }
  }
  // The configured vault may be a later one: a nonce is burned where it was signed for.
  const [, to] = order.vaultId.split(':')
  return { to: to as Address, data: vaultCall(vault, step, order) }
}
