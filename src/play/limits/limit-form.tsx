import { useId } from 'hono/jsx/dom'
import type { Token } from '../../money/token.ts'
import { readAmount } from '../amounts.ts'
import { wrong, type Problem } from '../api.ts'
import { AmountField } from '../components/amount-field.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Select } from '../components/select.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { useState } from '../hooks.ts'
import { useStore } from '../store.ts'
import { changeProtection, protecting } from './limits.ts'
import { KIND_OPTIONS, WINDOW_OPTIONS, type Limit } from './words.ts'

/** Sets a limit, or changes it. @param first the kind that is chosen first */
export function LimitForm({ first }: { first: Limit['kind'] }) {
  const [kind, setKind] = useState(first)
  const [window, setWindow] = useState<Limit['window']>('day')
  const [token, setToken] = useState<Token>('USDG')
  const [text, setText] = useState('')
  const [own, setOwn] = useState<Problem | null>(null)
  const { isChanging, problem, problemOf } = useStore(protecting)
  const isTime = kind === 'session'

  const submit = (event: Event) => {
    event.preventDefault()
    const most = isTime ? minutesOf(text) : amountOf(text, token)
    setOwn(most ? null : wrong(adviceFor(isTime, token)))
    if (most) void changeProtection('set', { kind, window, ...most }, 'form', 'Limit saved.')
  }
  return (
    <form onSubmit={submit} aria-label="Set a limit">
      <Select
        label="Limit"
        options={KIND_OPTIONS}
        value={kind}
        onChoose={(value) => setKind(value as Limit['kind'])}
      />
      <Select
        label="Within any"
        options={WINDOW_OPTIONS}
        value={window}
        onChoose={(value) => setWindow(value as Limit['window'])}
      />
      {isTime ? (
        <MinutesField text={text} onText={setText} />
      ) : (
        <>
          <TokenChoice token={token} onChoose={setToken} />
          <AmountField label="At most" token={token} text={text} bounds={null} onText={setText} />
        </>
      )}
      <p class="muted">
        A new or lower limit takes effect at once. A higher one takes effect after 24 hours, once
        you confirm it.
      </p>
      <button type="submit" class="primary wide" aria-disabled={isChanging ? 'true' : 'false'}>
        Set limit
      </button>
      <Refusal problem={own ?? (problemOf === 'form' ? problem : null)} token={token} />
    </form>
  )
}

function MinutesField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>At most, in minutes</label>
      <input
        id={id}
        inputmode="numeric"
        autocomplete="off"
        value={text}
        onInput={(event: Event) => onText((event.target as HTMLInputElement).value)}
      />
    </div>
  )
}

function amountOf(text: string, token: Token): object | null {
  const isZero = /^0+([.,]0*)?$/.test(text.trim())
  const amountWei = isZero ? 0n : readAmount(text, token)
  return amountWei === null ? null : { token, amountWei: String(amountWei) }
}

function minutesOf(text: string): object | null {
  return /^[1-9]\d{0,4}$/.test(text.trim()) ? { minutes: Number(text) } : null
}

function adviceFor(isTime: boolean, token: Token): string {
  return isTime ? 'Enter whole minutes, such as 90.' : `Enter an amount in ${token}, such as 20.`
}
