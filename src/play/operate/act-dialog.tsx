import { useId } from 'hono/jsx/dom'
import type { Act } from '../../operator/act.ts'
import { authorityOf } from '../../operator/roles.ts'
import type { Problem } from '../api.ts'
import { Modal } from '../components/modal.tsx'
import { useState } from '../hooks.ts'
import { submitAct } from './operator.ts'
import { modeLabel } from './verbs.ts'

export type Wish = Pick<Act, 'act' | 'target'>

/** Asks for the reason of an act, and has it signed. */
export function ActDialog({ wish, onClose }: { wish: Wish; onClose: () => void }) {
  const id = useId()
  const [reason, setReason] = useState('')
  const [isSigning, setIsSigning] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { role, operators } = authorityOf(wish)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isSigning || reason.trim() === '') return
    setIsSigning(true)
    const found = await submitAct({ ...wish, reason: reason.trim() })
    setIsSigning(false)
    if (found) setProblem(found)
    else onClose()
  }
  return (
    <Modal title={titleOf(wish)} onClose={onClose}>
      <form onSubmit={(event: Event) => void submit(event)}>
        <p>
          {operators === 2
            ? `Another operator (${role} or above) has to confirm this within an hour.`
            : 'Only your signature is needed.'}
        </p>
        <div class="field">
          <label for={id}>Reason, for the journal</label>
          <input
            id={id}
            value={reason}
            maxlength={500}
            autocomplete="off"
            onInput={(event: Event) => setReason((event.target as HTMLInputElement).value)}
          />
        </div>
        <p class="refusal" role="alert">
          {problem?.message}
        </p>
        <div class="row">
          <button
            type="submit"
            class="primary"
            aria-disabled={isSigning || reason.trim() === '' ? 'true' : undefined}
          >
            {isSigning ? 'Sign in your wallet…' : operators === 2 ? 'Sign and propose' : 'Sign'}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Modal>
  )
}

function titleOf({ act, target }: Wish): string {
  return act === 'mode' ? modeLabel(target) : `${act} ${target}`
}
