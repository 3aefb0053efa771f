import { isGain, toHundredths } from '../../money/multiplier.ts'
import { shortAddress } from '../account.tsx'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { showHundredths } from '../locale.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { BetHead } from './bet-rows.tsx'
import { live } from './live.ts'

/** Lists recent cash-outs, newest first. */
export function Wins() {
  const { table } = useStore(live)
  const { credentials } = useStore(session)
  const wins = table?.recentWins ?? []
  return (
    <Panel title="Recent wins">
      {wins.length === 0 ? (
        <p class="empty">No one has cashed out yet.</p>
      ) : (
        <table class="table wins">
          <BetHead />
          <tbody>
            {wins.map(({ wallet, token, amount, mult, payout }, index) => (
              <tr key={index} class={wallet === credentials?.wallet ? 'own' : ''}>
                <td>{wallet === credentials?.wallet ? 'You' : shortAddress(wallet)}</td>
                <td>
                  <Money amountWei={amount} token={token} />
                </td>
                <td>{showHundredths(toHundredths(mult))}</td>
                <td class={isGain({ payout, amount }) ? 'payout' : ''}>
                  <Money amountWei={payout} token={token} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
