import { minesMultiplier, TILES } from '../../../games/mines/rule.ts'
import { SHOWN_DECIMALS } from '../../../games/play.ts'
import { showDown } from '../../../money/rational.ts'
import { AverageRows, lessEdge } from '../../components/average.tsx'
import { showMultiplier } from '../../locale.ts'
import type { ShownGame } from '../desk.ts'
import { showChance } from '../words.ts'

interface Props {
  /** The open game; null before. */
  game: ShownGame | null
  /** The number of mines of a new game. */
  mines: number
  /** Null until it is known. */
  edgeBps: number | null
}

/** The open game's payouts now and after one more tile, with that tile's chance. */
export function TileOdds({ game, mines, edgeBps }: Props) {
  const safe = TILES - (game?.mines ?? mines) - (game?.picked.length ?? 0)
  const left = TILES - (game?.picked.length ?? 0)
  const next = game ? game.next : firstOf(mines, edgeBps)
  return (
    <dl class="odds">
      {game && (
        <div>
          <dt>Pays now</dt>
          <dd data-testid="pays-now">{showMultiplier(game.multiplier)}</dd>
        </div>
      )}
      <div>
        <dt>{game && game.picked.length > 0 ? 'Next tile pays' : 'First tile pays'}</dt>
        <dd>{next === null ? '–' : showMultiplier(next)}</dd>
      </div>
      {game && (
        <div>
          <dt>Cashes out after</dt>
          <dd>{game.maxPicks === 1 ? '1 tile' : `${game.maxPicks} tiles`}</dd>
        </div>
      )}
      <div>
        <dt>Chance</dt>
        <dd>{showChance(safe / left)}</dd>
      </div>
      <AverageRows share={edgeBps === null ? null : lessEdge(edgeBps)} />
    </dl>
  )
}

function firstOf(mines: number, edgeBps: number | null): number | null {
  if (edgeBps === null) return null
  return showDown(minesMultiplier({ mines, picked: [0] }, { edgeBps }), SHOWN_DECIMALS)
}
