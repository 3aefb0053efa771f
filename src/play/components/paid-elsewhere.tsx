import { useId } from 'hono/jsx/dom'
import { wrong, type Problem } from '../api.ts'
import { useState } from '../hooks.ts'
import { Refusal } from './refusal.tsx'

interface Props {
  question: string
  /** The button's label. */
  action: string
  onHash: (txHash: string) => void
}

/** Takes a payment that this page does not know about. */
export function PaidElsewhere({ question, action, onHash }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    const hash = text.trim().toLowerCase()
    const isHash = /^0x[0-9a-f]{64}$/.test(hash)
    const advice = 'Enter a transaction hash: 0x followed by 64 characters, 0–9 or a–f.'
    setProblem(isHash ? null : wrong(advice))
    if (isHash) onHash(hash)
  }
  return (
    <details class="more">
      <summary>{question}</summary>
      <form onSubmit={submit}>
        <p class="muted">
          A payment is accepted for 24 hours. If your wallet has replaced it, enter the new one.
        </p>
        <div class="field">
          <label for={id}>Transaction hash of the payment</label>
          <input
            id={id}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event: Event) => setText((event.target as HTMLInputElement).value)}
          />
        </div>
        <button type="submit">{action}</button>
        <Refusal problem={problem} token="ETH" />
      </form>
    </details>
  )
}
