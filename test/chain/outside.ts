import type { Hex } from 'viem'
import type { Player } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { signWithdrawal, vault, vaultConfig, write } from './support.ts'

/** Has the vault pay in USDG what a player has signed, as anyone with the relayer's key can. Returns the transaction's hash. */
export async function payOutside(player: Player, amountWei: bigint, nonce: number): Promise<Hex> {
  const signature = await signWithdrawal(player, { token: 'USDG', amountWei, nonce })
  const args = [player.wallet, vaultConfig().usdg, amountWei, BigInt(nonce), signature]
  return write(vault, 'withdraw', args, RELAYER)
}
