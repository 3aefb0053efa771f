import type { BoxWatch } from '../invariants/box-watch.ts'
import type { World } from '../world/world.ts'
import { BoxOwner } from './box-owner.ts'
import { Collector, type BoxFair } from './collectors.ts'
import type { Player } from './players.ts'

/** Returns the owner of the boxes and the players who collect them; nobody in histories without boxes. */
export function boxSellers(
  world: World,
  watch: BoxWatch,
  players: readonly Player[],
  told: BoxFair['told'],
): { boxOwner: BoxOwner | null; collectors: Collector[] } {
  const { chain, boxes } = world
  if (!chain || !boxes) return { boxOwner: null, collectors: [] }
  const fair = { world, chain, watch, wallets: players.map(({ wallet }) => wallet), told }
  return {
    boxOwner: new BoxOwner(world, chain, boxes),
    collectors: players.map(({ name, wallet }) => new Collector(fair, wallet, name)),
  }
}
