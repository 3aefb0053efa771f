import type { Hex } from 'viem'
import { pass, type Player } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { chain, chipsOf, signWithdrawal, vault, vaultConfig, work, write } from './support.ts'

/**
 * Has the vault pay in USDG what a player has signed, as anyone with the relayer's key can. Returns the transaction's
 * hash.
 */
export async function payOutside(player: Player, amountWei: bigint, nonce: number): Promise<Hex> {
  const signature = await signWithdrawal(player, { token: 'USDG', amountWei, nonce })
  const args = [player.wallet, vaultConfig().usdg, amountWei, BigInt(nonce), signature]
  return write(vault, 'withdraw', args, RELAYER)
}

/** Burns a nonce, as anyone with the relayer's key can. Returns the transaction's hash. */
export function burnOutside(player: Player, nonce: number): Promise<Hex> {
  return write(vault, 'burnNonce', [player.account.address, BigInt(nonce)], RELAYER)
}

/** Waits until the vault watch considers everything so far settled. */
export async function settle(player: Player): Promise<void> {
  for (let time = 0; time < 4; time++) {
    await work(player, 1)
    await chain.mine({ blocks: 1 })
    await chipsOf(player)
    pass(1_000_000)
  }
}
