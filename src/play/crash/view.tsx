import { toHundredths } from '../../money/multiplier.ts'
import { announce } from '../announce.ts'
import { useEffect } from '../hooks.ts'
import { showHundredths } from '../locale.ts'
import { Bars } from './bars.tsx'
import { BetForm } from './bet-form.tsx'
import { BetsPanel } from './bets-panel.tsx'
import { Commitment } from './commitment.tsx'
import { playAlong } from './hand.ts'
import { History } from './history.tsx'
import { follow, live } from './live.ts'
import { Stage } from './stage.tsx'
import { Wins } from './wins.tsx'

export default function Crash() {
  useEffect(() => {
    const ends = [follow(), playAlong(), tellTransitions()]
    return () => {
      for (const end of ends) end()
    }
  }, [])
  return (
    <div class="crash">
      <h1 class="visually-hidden">Crash</h1>
      <History />
      <Stage />
      <BetForm />
      <BetsPanel />
      <Bars />
      <div class="recent-wins">
        <Wins />
      </div>
      <div class="commitment">
        <Commitment />
      </div>
    </div>
  )
}

/** Announces to screen readers when a round opens, takes off and crashes. */
function tellTransitions(): () => void {
  let last = ''
  return live.subscribe(() => {
    const { table } = live.value
    if (!table) return
    const { roundId, phase, crashPoint } = table
    if (last === `${roundId} ${phase}`) return
    last = `${roundId} ${phase}`
    if (phase === 'betting') announce(`Round ${roundId}: place your bets.`)
    if (phase === 'flight') announce('Take-off.')
    if (phase === 'results')
      announce(
        crashPoint === null
          ? 'Round void. All bets were refunded.'
          : `Crashed at ${showHundredths(toHundredths(crashPoint))}.`,
      )
  })
}
