import { capital } from '../../core/words.ts'
import type { FeedPlay } from '../../games/play-request.ts'
import { isGain } from '../../money/multiplier.ts'
import type { Unit } from '../../money/token.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { showMultiplier } from '../locale.ts'
import { useStore } from '../store.ts'
import { desk } from './desk.ts'

/** The player's last plays, each with a link to verify it. */
export function Results() {
  const { plays } = useStore(desk)
  return (
    <Panel title="Your last plays">
      {plays.length === 0 ? (
        <p class="empty">Nothing played yet. Every play can be checked from here.</p>
      ) : (
        <table class="table wins plays">
          <thead>
            <tr>
              <th scope="col">Play</th>
              <th scope="col">Bet</th>
              <th scope="col">Result</th>
              <th scope="col">Payout</th>
              <th scope="col">
                <span class="visually-hidden">Check</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {plays.map((play) => (
              <Row key={play.nonce} play={play} />
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

function Row({ play }: { play: FeedPlay<Unit> }) {
  const { wallet, nonce, game, amount, token, multiplier, payout } = play
  return (
    <tr>
      <td>
        {capital(game)} <span class="optional">{nonce}</span>
      </td>
      <td>
        <Money amountWei={amount} token={token} />
      </td>
      <td>{showMultiplier(multiplier)}</td>
      <td class={isGain(play) ? 'payout' : ''}>
        <Money amountWei={payout} token={token} />
      </td>
      <td>
        <a href={`#/play/${wallet}/${nonce}`} aria-label={`Verify play ${nonce}`}>
          Verify
        </a>
      </td>
    </tr>
  )
}
