import type { ShownBet } from '../../crash/table-bets.ts'
import { isGain } from '../../money/multiplier.ts'
import { shortAddress } from '../account.tsx'
import { Money } from '../components/money.tsx'
import { showMultiplier } from '../locale.ts'

interface Props {
  bets: readonly ShownBet[]
  /** The player's wallet, whose bet is marked. */
  own: string | undefined
  label: string
  /** Of an ended round, whose bets have pages of their own. */
  roundId: number | undefined
  /** Whether the round was voided, so that every stake was refunded. */
  isVoided: boolean
}

/** A list of bets with a scroll bar of its own, so that a busy round doesn't push the rest of the page away. */
export function BetRows({ bets, own, label, ...round }: Props) {
  return (
    <div class="bet-rows" role="region" aria-label={label} tabindex={0}>
      <table class="table wins bets">
        <BetHead />
        <tbody>
          {bets.map((bet) => (
            <Row key={bet.wallet} bet={bet} isOwn={bet.wallet === own} {...round} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The columns of every list of bets. */
export function BetHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Player</th>
        <th scope="col">Bet</th>
        <th scope="col">Cashed out</th>
        <th scope="col">Payout</th>
      </tr>
    </thead>
  )
}

interface RowProps extends Pick<Props, 'roundId' | 'isVoided'> {
  bet: ShownBet
  isOwn: boolean
}

function Row({ bet, isOwn, roundId, isVoided }: RowProps) {
  const { wallet, token, amountWei, multiplier, payout } = bet
  const player = isOwn ? 'You' : shortAddress(wallet)
  const isOut = multiplier !== null && multiplier > 0 && !isVoided
  const isWon = isOut && isGain({ payout: payout ?? '0', amount: amountWei })
  return (
    <tr
      class={[isOwn && 'own', isWon && 'out', multiplier === 0 && 'gone'].filter(Boolean).join(' ')}
    >
      <td>
        {roundId === undefined ? (
          <span title={wallet}>{player}</span>
        ) : (
          <a href={`#/bet/${wallet}/${roundId}`} title={wallet}>
            {player}
          </a>
        )}
      </td>
      <td>
        <Money amountWei={amountWei} token={token} />
      </td>
      <td>{sayEnd(bet, isVoided)}</td>
      <td class={isWon ? 'payout' : ''}>
        {isOut && payout !== null ? <Money amountWei={payout} token={token} /> : '–'}
      </td>
    </tr>
  )
}

function sayEnd({ multiplier }: ShownBet, isVoided: boolean): string {
  if (isVoided) return 'refunded'
  if (multiplier === null) return 'in play'
  return multiplier === 0 ? 'lost' : showMultiplier(multiplier)
}
