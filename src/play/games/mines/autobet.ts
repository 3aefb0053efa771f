import type { Unit } from '../../../money/token.ts'
import type { Event } from '../../autobet/rules.ts'
import type { Deal } from '../desk.ts'
import { playByTile } from './by-tile.ts'
import { cashOutOf, openDealt, pickOf } from './hand.ts'

interface TileBet {
  id: number
  mines: number
  /** In the order to pick. */
  tiles: readonly number[]
  token: Unit
  amountWei: string
  dealt: Deal
}

/** Plays a game tile by tile, from where it is, and shows each step. */
export function playTiles(bet: TileBet): Promise<Event<never> | null> {
  const { id, mines, tiles, token, amountWei, dealt } = bet
  return playByTile(id, tiles, {
    // Asked for again even if a game with this number is shown: only the service knows whether it is this one.
    // For no more picks than the bet has: a payout limit that it doesn't reach can't refuse it.
    open: () => openDealt(mines, { token, amountWei: BigInt(amountWei) }, dealt, tiles.length),
    pick: (tile) => pickOf(id, tile),
    cashOut: () => cashOutOf(id),
  })
}
