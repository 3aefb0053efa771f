import type { Hex } from 'viem'
import { needsMoreGas } from '../../chain/sender.ts'
import { vaultCall, type WithdrawalMessage } from '../../chain/vault.ts'
import type { VaultConfig } from '../../config/config.ts'
import { logFault } from '../../log.ts'
import { MAX_WITHDRAWAL_GAS, SMALL_WITHDRAWAL_GAS } from '../../relayer/gas.ts'

/** Less than the relayer pays for: nodes estimate up to some percent more than a call takes. */
const ACCEPTED_GAS = (SMALL_WITHDRAWAL_GAS * 95n) / 100n

/**
 * Returns whether a contract wallet takes more gas than the service pays for an amount below the minimum. False also if
 * the vault would refuse the payment for another reason.
 * @returns null if the chain can't be reached
 */
export async function takesTooMuchGas(
  vault: VaultConfig,
  message: WithdrawalMessage,
  signature: Hex,
): Promise<boolean | null> {
  const amountWei = message.amountWei.toString()
  const payout = {
    kind: 'withdrawal' as const,
    vaultId: vault.id,
    ...message,
    amountWei,
    signature,
    isSmall: true,
  }
  const call = { to: vault.address, data: vaultCall(vault, 'withdraw', payout) }
  const gas = { few: ACCEPTED_GAS, most: MAX_WITHDRAWAL_GAS }
  try {
    return await needsMoreGas(vault, call, gas)
  } catch (fault) {
    logFault('contract_wallet_read_failed', fault)
    return null
  }
}
