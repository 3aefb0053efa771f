import type { ViewProps } from '../views.ts'
import { ActForm } from './act-form.tsx'
import { DecidedActs, WaitingActs } from './acts.tsx'
import { Overview } from './overview.tsx'
import { Switches } from './switches.tsx'

/** The state of everything, and the operators' acts. */
export default function StateView({ state, onWish }: ViewProps) {
  return (
    <div class="operate">
      <div class="column">
        <WaitingActs state={state} />
        <Overview state={state} />
      </div>
      <div class="column">
        <Switches state={state} onWish={onWish} />
        <ActForm role={state.operator.role} onWish={onWish} />
        <DecidedActs state={state} />
      </div>
    </div>
  )
}
