import type { GameName } from '../../games/games.ts'
import type { View } from '../views.ts'

/** The picture of every game, loaded when somebody goes there. A new one is added here. */
export const PICTURES: Record<GameName, View['load']> = {
  mines: () => import('./mines/view.tsx'),
  limbo: () => import('./limbo/view.tsx'),
  plinko: () => import('./plinko/view.tsx'),
  keno: () => import('./keno/view.tsx'),
}
