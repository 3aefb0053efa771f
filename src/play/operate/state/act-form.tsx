import { useId } from 'hono/jsx/dom'
import { isTargetOf, type ActName } from '../../../operator/act.ts'
import { authorityOf, includesRole, type Role } from '../../../operator/roles.ts'
import { Panel } from '../../components/panel.tsx'
import { Select } from '../../components/select.tsx'
import { useState } from '../../hooks.ts'
import type { Wish } from '../act-dialog.tsx'

/** The acts that no switch has a button for, with their kind of target. */
const OFFERED = {
  freeze: { label: 'Freeze a wallet', target: 'Wallet' },
  unfreeze: { label: 'End a freeze', target: 'Wallet' },
  'write-off': { label: 'Write off lost deposits', target: 'Wallet or house' },
  'confirm-withdrawal': { label: 'Withdrawal: it was paid', target: 'Wallet:nonce' },
  'release-withdrawal': { label: 'Withdrawal: refund it', target: 'Wallet:nonce' },
  terms: { label: 'Set terms of play', target: 'Terms as JSON: {"crash.edgeBps": 150}' },
  reproject: { label: 'Rebuild D1', target: 'positions, everything or books:<day>' },
} as const satisfies Partial<Record<ActName, object>>

type Offered = keyof typeof OFFERED

/** Orders an act that no switch has a button for. */
export function ActForm({ role, onWish }: { role: Role; onWish: (wish: Wish) => void }) {
  const id = useId()
  const allowed = (Object.keys(OFFERED) as Offered[]).filter((act) =>
    includesRole(role, authorityOf({ act, target: '' }).role),
  )
  const [act, setAct] = useState<Offered>('freeze')
  const [target, setTarget] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  if (allowed.length === 0) return null
  const submit = (event: Event) => {
    event.preventDefault()
    const isRight = isTargetOf(act, target.trim())
    setIsWrong(!isRight)
    if (isRight) onWish({ act, target: target.trim() })
  }
  return (
    <Panel title="Other acts">
      <form class="order" onSubmit={submit}>
        <Select
          label="Act"
          options={Object.fromEntries(allowed.map((name) => [OFFERED[name].label, name]))}
          value={act}
          onChoose={(value) => setAct(value as Offered)}
        />
        <div class="field">
          <label for={id}>{OFFERED[act].target}</label>
          <input
            id={id}
            value={target}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isWrong ? 'true' : undefined}
            aria-describedby={`${id}-hint`}
            onInput={(event: Event) => setTarget((event.target as HTMLInputElement).value)}
          />
          <p class={isWrong ? 'hint wrong' : 'hint'} id={`${id}-hint`}>
            {isWrong && `Enter ${OFFERED[act].target}. The capitals of a wallet are its checksum.`}
          </p>
        </div>
        <button type="submit">Continue</button>
      </form>
    </Panel>
  )
}
