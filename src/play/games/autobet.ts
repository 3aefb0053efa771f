import type { Selection } from '../../games/games.ts'
import { TILES } from '../../games/mines/rule.ts'
import { isFailure } from '../api.ts'
import { Autobet } from '../autobet/autobet.ts'
import { playingWallet } from '../session.ts'
import { deal, desk, playDealt, type Deal } from './desk.ts'
import { randomPicks } from './picks.tsx'

/** The choice that automatic plays are on. */
export type AutoChoice = Selection | TileChoice

/** A game of mines that is played tile by tile: always these tiles, or others each time. */
interface TileChoice {
  game: 'tiles'
  mines: number
  tiles: { kind: 'these'; picked: number[] } | { kind: 'random'; count: number }
}

/** The data that a play is sent with. It stays the same when the play is sent again. */
interface Ticket extends Deal {
  /** Of a game that is played tile by tile. */
  tiles: number[]
}

/** Automatic plays. A play is sent again with the same nonce and client seed, so it is the same play. */
export const autobet = new Autobet<AutoChoice, Ticket>({
  name: 'plays',
  player: playingWallet,
  terms: () => desk.value.config?.terms ?? null,
  ready(choice) {
    const { next, isPlaying, game } = desk.value
    const isFree = next && !isPlaying && !(game && choice.game === 'tiles')
    const dealt = isFree ? deal() : null
    return dealt && { id: dealt.nonce, ticket: { ...dealt, tiles: tilesOf(choice) } }
  },
  async place({ id, choice, token, amountWei, ticket }) {
    const { tiles, ...dealt } = ticket
    if (choice.game === 'tiles') {
      const { playTiles } = await import('./mines/autobet.ts')
      return playTiles({ id, mines: choice.mines, tiles, token, amountWei, dealt })
    }
    const draft = { selection: choice, token, amountWei: BigInt(amountWei) }
    const answer = await playDealt(draft, dealt)
    if (!answer) return null
    if (isFailure(answer)) return { kind: 'refused', id, code: answer.error.code }
    return { kind: 'settled', id, payoutWei: answer.payout }
  },
})

function tilesOf(choice: AutoChoice): number[] {
  if (choice.game !== 'tiles') return []
  const { tiles } = choice
  return tiles.kind === 'these' ? tiles.picked : randomPicks(TILES, tiles.count)
}
