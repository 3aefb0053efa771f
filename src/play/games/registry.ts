import type { GameName } from '../../games/games.ts'
import type { View } from '../views.ts'

/** Every game's picture, loaded on demand. Add a new game's here. */
export const PICTURES: Record<GameName, View['load']> = {
  mines: () => import('./mines/view.tsx'),
  limbo: () => import('./limbo/view.tsx'),
  plinko: () => import('./plinko/view.tsx'),
  keno: () => import('./keno/view.tsx'),
}
