import { type Child } from 'hono/jsx/dom'
import { includesRole } from '../../../operator/roles.ts'
import type { Problem } from '../../api.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useState } from '../../hooks.ts'
import { confirmAct, type ActRecord, type ServiceState } from '../operator.ts'

/** The acts that wait for another operator. */
export function WaitingActs({ state: { acts, operator } }: { state: ServiceState }) {
  return (
    <Panel title="Waiting for another operator">
      {acts.waiting.length === 0 && <p class="empty">Nothing waits.</p>}
      <ul class="acts">
        {acts.waiting.map((act) => (
          <ActRow key={act.hash} act={act}>
            <Confirm act={act} operator={operator} />
          </ActRow>
        ))}
      </ul>
    </Panel>
  )
}

/** The newest acts that have all their signatures. */
export function DecidedActs({ state: { acts } }: { state: ServiceState }) {
  return (
    <Panel title="Latest acts">
      {acts.decided.length === 0 && <p class="empty">No act so far.</p>}
      <ul class="acts">
        {acts.decided.map((act) => (
          <ActRow key={act.hash} act={act}>
            <p class={act.result?.isDone === false ? 'bad' : ''}>
              {act.result?.message ?? 'In progress.'}
            </p>
          </ActRow>
        ))}
      </ul>
    </Panel>
  )
}

function ActRow({ act, children }: { act: ActRecord; children?: Child }) {
  return (
    <li>
      <p>
        <strong>
          {act.act} {act.target}
        </strong>
      </p>
      <p>{act.reason}</p>
      {act.approvals.length === 0 && <p class="muted">By the service itself.</p>}
      <ul class="approvals">
        {act.approvals.map(({ operator, role, at }) => (
          <li key={operator}>
            <span class="address">{operator}</span> ({role}), <Time at={at} />
          </li>
        ))}
      </ul>
      {children}
    </li>
  )
}

function Confirm({ act, operator }: { act: ActRecord; operator: ServiceState['operator'] }) {
  const [isSigning, setIsSigning] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const sign = async () => {
    if (isSigning) return
    setIsSigning(true)
    setProblem(await confirmAct(act))
    setIsSigning(false)
  }
  const isOwn = act.approvals.some(({ operator: wallet }) => wallet === operator.wallet)
  return (
    <>
      <p class="hint">
        Expires <Time at={act.expiresAt * 1_000} />. {isOwn && 'You have signed it.'}
      </p>
      {!isOwn && includesRole(operator.role, act.needs.role) && (
        <button type="button" class="primary" onClick={() => void sign()}>
          {isSigning ? 'Sign in your wallet…' : 'Confirm'}
        </button>
      )}
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
    </>
  )
}
