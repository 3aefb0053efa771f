import type { Hex } from 'viem'
import { Player, post } from '../workers/support.ts'
import { LOOTBOX, POOL_ADDRESS } from './accounts.ts'
import { transfer } from './payments.ts'

const alice = new Player(0)

/** Pays for one opening, unless told otherwise. */
export function payPool(player: Player, fields: object = {}): Promise<Hex> {
  return transfer(player, { to: POOL_ADDRESS, value: BigInt(LOOTBOX.price), ...fields })
}

export const open = (txHash: Hex, player = alice) =>
  post('/api/lootbox', { action: 'open', wallet: player.wallet, txHash })
