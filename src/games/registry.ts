import { keno } from './keno/game.ts'
import { limbo } from './limbo/game.ts'
import { mines } from './mines/game.ts'
import { plinko } from './plinko/game.ts'

/** Every game by its wire name, in display order. Add a new game here. */
export const GAMES = { mines, limbo, plinko, keno }
