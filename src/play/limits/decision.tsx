import { Panel } from '../components/panel.tsx'
import { LimitForm } from './limit-form.tsx'

/** Asks a player to set a limit, or to decide against one, before they deposit. */
export function LimitDecision({ onDecline }: { onDecline: () => void }) {
  return (
    <Panel title="Set a deposit limit">
      <div class="stack">
        <p>
          Before you deposit, choose the most that you can deposit. You can lower this limit at any
          time.
        </p>
        <LimitForm first="deposit" />
        <button type="button" class="wide" onClick={onDecline}>
          Continue without a limit
        </button>
      </div>
    </Panel>
  )
}
