import { capital } from '../../core/words.ts'
import {
  GAME_NAMES,
  isPaidByTables,
  newestTables,
  specOf,
  type GameName,
} from '../../games/games.ts'
import { expectedValue } from '../../lootbox/prizes.ts'
import { edgeOf, lessEdge, showShare } from '../components/average.tsx'
import { Panel } from '../components/panel.tsx'
import { localDecimal } from '../locale.ts'
import { AverageValue } from '../lootbox/prizes.tsx'
import { useTerms, type HelpTerms } from './terms.ts'

const LOADING = 'Loading…'

/** A game's average return, under the terms in force. */
export function ReturnsOf({ game, terms }: { game: string; terms: HelpTerms | null }) {
  if (!terms) return <p class="loading">{LOADING}</p>
  if (terms.kind === 'none') return <p>{terms.message}</p>
  if (terms.kind === 'crash') return <EdgeReturns edgeBps={terms.table.edgeBps} game="crash" />
  if (terms.kind === 'lootbox') {
    const { prizes, expectedValue: average, prices, price } = terms.terms
    return <AverageValue prizes={prizes} expectedValue={average} prices={prices} priceWei={price} />
  }
  if (terms.kind === 'boxes') {
    return (
      <>
        {terms.kinds.map(({ kind, price, tiers }) => {
          const prizes = tiers.map((tier) => ({ ...tier, asset: 'REWARD', amountWei: tier.prize }))
          return (
            <AverageValue
              key={kind}
              prizes={prizes}
              expectedValue={expectedValue(prizes)}
              priceWei={price}
            />
          )
        })}
      </>
    )
  }
  const name = GAME_NAMES.find((each) => each === game)
  return name ? <PlayReturns game={name} edgeBps={terms.config.edgeBps} /> : null
}

/** The returns of every game. */
export function AllReturns() {
  const [table, config] = [useTerms('crash'), useTerms(GAME_NAMES[0] ?? '')]
  return (
    <>
      <h1>Returns</h1>
      <p class="lead">
        Of every unit staked, this much comes back on average: each outcome’s exact probability
        times what it pays, with nothing sampled. A short run can end anywhere.
      </p>
      <Panel title="Crash">
        <ReturnsOf game="crash" terms={table} />
      </Panel>
      {GAME_NAMES.map((game) => (
        <Panel key={game} title={capital(game)}>
          <ReturnsOf game={game} terms={config} />
        </Panel>
      ))}
      <Panel title="Lootbox and boxes">
        <p>
          Their averages stand beside their prizes: see <a href="#/help/lootbox">Lootbox</a> and{' '}
          <a href="#/help/boxes">Boxes</a>.
        </p>
      </Panel>
    </>
  )
}

/** The return of every choice of a game that pays by the edge. */
function EdgeReturns({ game, edgeBps }: { game: string; edgeBps: number }) {
  const share = lessEdge(edgeBps)
  const what = game === 'crash' ? 'Every auto cash-out' : 'Every choice'
  return (
    <p>
      {what} returns <strong>{showShare(share)}</strong> of the stake on average: the house edge is{' '}
      <strong>{showShare(edgeOf(share))}</strong>. A payout is the inverse of its chance, less the
      edge, rounded down to a whole smallest unit.
    </p>
  )
}

function PlayReturns({ game, edgeBps }: { game: GameName; edgeBps: number }) {
  const terms = { edgeBps, tables: newestTables() }
  if (!isPaidByTables(game)) return <EdgeReturns game={game} edgeBps={edgeBps} />
  const { by, note, head, rows } = specOf(game).returnsTable(terms)
  const name = `Average return of ${game} ${by}`
  return (
    <>
      <p>
        The pay tables set the return, which is exact {by}. The house edge is 100% minus the return.
      </p>
      {note !== undefined && <p>{note}</p>}
      <div class="scrolled" tabindex={0} role="region" aria-label={name}>
        <table class="table">
          <caption class="visually-hidden">{name}</caption>
          <thead>
            <tr>
              {head.map((cell) => (
                <th key={cell} scope="col">
                  {capital(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row[0]}>
                {row.map((cell, column) =>
                  column === 0 ? (
                    <th key={column} scope="row">
                      {cell}
                    </th>
                  ) : (
                    <td key={column}>{localDecimal(cell)}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
