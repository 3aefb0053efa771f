import type { Token } from '../money/token.ts'
import type { Meta, Selection } from '../games/play.ts'
import type { DisclosedPlay } from './play.ts'

/** A settled play as the API tells it: as an answer to `play`, or in the feed. */
export interface ToldPlay extends Omit<DisclosedPlay, 'selection' | 'amountWei'> {
  game: Selection['game']
  token: Token
  /** In smallest units. */
  amount: string
}

/** A told play in the form that is verified. What was chosen is taken from its result. */
export function disclosedPlay({ game, amount, ...play }: ToldPlay): DisclosedPlay {
  return { ...play, amountWei: BigInt(amount), selection: selectionOf(game, play.meta) }
}

/** What was chosen, as the result tells it. */
function selectionOf(game: Selection['game'], meta: Meta): Selection {
  if (game === 'mines' && 'mines' in meta) {
    return { game, params: { mines: meta.mines.length, picked: meta.picked } }
  }
  if (game === 'limbo' && 'target' in meta) {
    return { game, params: { target: Math.round(meta.target * 100) } }
  }
  if (game === 'plinko' && 'path' in meta) {
    return { game, params: { risk: meta.risk, rows: meta.rows } }
  }
  if (game === 'keno' && 'draws' in meta) {
    return { game, params: { picks: meta.picks, risk: meta.risk } }
  }
  throw new Error(`this is not what ${game} comes to`)
}
