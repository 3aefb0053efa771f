import { useId, useState } from 'hono/jsx/dom'
import { fail, type Problem } from '../api.ts'
import { Refusal } from './refusal.tsx'

interface Props {
  question: string
  /** What is done with the payment. */
  action: string
  onHash: (txHash: string) => void
}

/** For a payment that this page does not know of. */
export function PaidElsewhere({ question, action, onHash }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    const hash = text.trim().toLowerCase()
    const isHash = /^0x[0-9a-f]{64}$/.test(hash)
    setProblem(isHash ? null : fail('wallet', 'A hash is 0x and 64 digits or letters a–f.').error)
    if (isHash) onHash(hash)
  }
  return (
    <details class="more">
      <summary>{question}</summary>
      <form onSubmit={submit}>
        <div class="field">
          <label for={id}>Hash of the payment</label>
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
