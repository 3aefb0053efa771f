import { keno } from './keno/game.ts'
import { limbo } from './limbo/game.ts'
import { mines } from './mines/game.ts'
import { plinko } from './plinko/game.ts'

/** Every game by its name on the wire, in the order in which they are shown. A new one is added here. */
export const GAMES = { mines, limbo, plinko, keno }
