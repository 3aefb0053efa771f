import type { Address } from 'viem'
import { prizeCall } from '../../src/chain/prizes.ts'
import { emptyCall, type ContractCall } from '../../src/chain/sender.ts'
import { vaultCall } from '../../src/chain/vault.ts'
import type { Config } from '../../src/config/config.ts'
import { invariant } from '../../src/core/invariant.ts'
import type { Payout } from './payouts.ts'

/** Returns the call for a payout's current step. @throws if a prize has no price now, or no token */
export async function callOf(
  { vault, lootbox }: Config,
  { step, order }: Pick<Payout, 'step' | 'order'>,
): Promise<ContractCall> {
  invariant(vault, 'a payout requires a configured vault')
  if (step === 'cancel' || order.kind === 'cancel') return emptyCall(vault)
  if (order.kind === 'prize') {
    return { to: order.pool as Address, data: await prizeCall(vault, lootbox, order) }
  }
  // The configured vault may be newer, so a nonce is burned in the vault it was signed for.
  const [, to] = order.vaultId.split(':')
  return { to: to as Address, data: vaultCall(vault, step, order) }
}
