import { TOKENS } from '../../money/token.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { showCount } from '../locale.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { countOf, type ShownBets } from './bet-news.ts'
import { BetRows } from './bet-rows.tsx'
import { bets } from './bets.ts'
import { live } from './live.ts'
import { isVoided } from './table.ts'

/** Lists all bets of the current round as they come and are cashed out. */
export function BetsPanel() {
  const shown = useStore(bets)
  const { table } = useStore(live)
  const { credentials, player } = useStore(session)
  const isEnded = table?.phase === 'results' && table.roundId === shown?.roundId
  const isRefunded = isEnded && isVoided(table)
  return (
    <div class="round-bets">
      <Panel title="Bets in this round">
        {!shown || countOf(shown) === 0 ? (
          <p class="empty">
            No one has bet in this round yet.
            {player && !credentials && ' Bets with fun chips aren’t listed.'}
          </p>
        ) : (
          <>
            <Totals shown={shown} isRefunded={isRefunded} />
            <BetRows
              bets={shown.bets}
              own={credentials?.wallet}
              label={`Bets in round ${shown.roundId}`}
              roundId={isEnded ? shown.roundId : undefined}
              isVoided={isRefunded}
            />
          </>
        )}
        <p class="whole-round">
          {isEnded && <a href={`#/round/${shown.roundId}`}>Round {shown.roundId} and its proof</a>}
        </p>
      </Panel>
    </div>
  )
}

function Totals({ shown, isRefunded }: { shown: ShownBets; isRefunded: boolean }) {
  const players = countOf(shown)
  const isAll = players === shown.bets.length
  const out = shown.bets.filter(({ multiplier }) => multiplier !== null && multiplier > 0).length
  return (
    <ul class="totals">
      <li>{players === 1 ? '1 player' : `${showCount(players)} players`}</li>
      {TOKENS.filter((token) => shown.totals[token].count > 0).map((token) => (
        <li key={token}>
          <Money amountWei={shown.totals[token].amountWei} token={token} /> staked
        </li>
      ))}
      {out > 0 && !isRefunded && (
        <li class="good">
          {out} {isAll ? '' : `of the largest ${shown.bets.length} `}cashed out
        </li>
      )}
    </ul>
  )
}
