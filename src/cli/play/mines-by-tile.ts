import type { Check } from '../../fairness/check.ts'
import type { Selection } from '../../games/games.ts'
import type { MinesGame } from '../../games/mines/open.ts'
import { maxPicksOf } from '../../games/mines/rule.ts'
import type { PlayAnswer } from '../../games/play-request.ts'
import { READER_CLOCK_SKEW_MS } from '../../verify/opening.ts'
import type { SeenPlay } from '../../verify/play.ts'
import type { Player } from '../shared/player.ts'
import { say } from '../shared/terminal.ts'
import type { KnownFacts, Receipts } from './receipts.ts'

/** A play as it is sent, but for its choice of tiles. */
interface SentPlay {
  token: string
  amountWei: string
  clientSeed: string
  nonce: number
}

/** The facts that decide when a game ends, as shown before it. */
interface Limits {
  edgeBps: number
  maxPayout: bigint
}

export interface Picked {
  answer: PlayAnswer
  /** With the tiles picked until the game ended. */
  selection: Selection
  /** The subject of the last receipt; null for that of a play. */
  last: KnownFacts | null
  /** Its end, according to its answers. */
  seen: Pick<SeenPlay, 'opened' | 'ended'>
  checks: Check[]
}

/** Picks tiles one by one until all are picked or the game ends, and cashes out. */
export async function pickByTile(
  player: Player,
  receipts: Receipts,
  sent: SentPlay,
  { mines, picked }: Extract<Selection, { game: 'mines' }>['params'],
  limits: Limits,
): Promise<Picked> {
  const { nonce } = sent
  const maxPicks = maxPicksOf({ ...limits, mines, amountWei: BigInt(sent.amountWei) })
  const opened = await player.openMines({ ...sent, params: { mines }, maxPicks })
  const known = { kind: 'mines-open', game: opened.game } as const
  const checks = [
    ...checkOpened(opened.game, maxPicks),
    ...(await receipts.check(opened.receipt, known)),
  ]
  const seenAt = (ended: number | 'cash-out') => ({ opened: opened.game, ended })
  for (const [index, tile] of picked.entries()) {
    const { play, game, hit, me, receipt } = await player.pickMines(nonce, tile)
    say(`  tile ${tile}: ${hit ? 'a mine' : `safe, pays ${game.multiplier}x`}`)
    const last = { kind: 'mines-pick', game } as const
    if (play) {
      const answer: PlayAnswer = { ok: true, ...play, me, ...(receipt && { receipt }) }
      const params = { mines, picked: picked.slice(0, index + 1) }
      const selection: Selection = { game: 'mines', params }
      return { answer, selection, last, seen: seenAt(tile), checks }
    }
    checks.push(...(await receipts.check(receipt, last)))
  }
  const answer = await player.cashOutMines(nonce)
  const selection: Selection = { game: 'mines', params: { mines, picked } }
  return { answer, selection, last: null, seen: seenAt('cash-out'), checks }
}

/** The house knows the mines, so it must not choose when the game ends. */
function checkOpened({ openedAt, maxPicks }: MinesGame, asked: number): Check[] {
  return [
    { claim: `its last pick is the one you asked for, ${asked}`, holds: maxPicks === asked },
    {
      claim: 'it opened just now, by your own clock',
      holds: Math.abs(openedAt - Date.now()) <= READER_CLOCK_SKEW_MS,
    },
  ]
}
