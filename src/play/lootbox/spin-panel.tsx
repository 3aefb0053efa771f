import { useId } from 'hono/jsx/dom'
import { isOwnMachine } from '../../core/own-machine.ts'
import { detailOf, wrong, type Problem } from '../api.ts'
import { Copied } from '../components/copied.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { useState } from '../hooks.ts'
import { isBusy } from '../job.ts'
import { useStore } from '../store.ts'
import { maySpin, openOf, spin, spinning } from './opening.ts'
import { PrizeTable } from './prizes.tsx'
import type { LootboxAnswer } from './terms.ts'
import { BoxStage } from './won.tsx'

/** Offers one free opening a day for a post. */
export function SpinPanel({ terms, code }: { terms: LootboxAnswer; code: string }) {
  const state = useStore(spinning)
  const { prizes, expectedValue } = terms.spin
  const won = openOf(state)?.tier ?? null
  return (
    <Panel title="Free spin, once a day">
      <div class="stack">
        {maySpin(state, terms.day) && terms.hasSpun ? (
          <p>You have used today’s free spin. The next one is available at midnight UTC.</p>
        ) : (
          <SpinForm terms={terms} code={code} />
        )}
        {state.step !== 'idle' && <BoxStage state={state} terms={terms} />}
        <PrizeTable {...{ prizes, expectedValue, won }} caption="Prizes in the free spin" />
      </div>
    </Panel>
  )
}

function SpinForm({ terms, code }: { terms: LootboxAnswer; code: string }) {
  const id = useId()
  const [link, setLink] = useState('')
  const [own, setOwn] = useState<Problem | null>(null)
  const state = useStore(spinning)
  const { hosts } = terms.spin
  const busy = isBusy(state)
  if (state.step === 'done' && !maySpin(state, terms.day)) return null
  const submit = (event: Event) => {
    event.preventDefault()
    if (busy) return
    const problem = link.trim() === '' ? wrong('Paste the link to your post.') : null
    setOwn(problem)
    if (!problem) void spin(link.trim())
  }
  return (
    <form onSubmit={submit}>
      <ol class="numbered">
        <li>
          Write a public post that contains your code: <Copied text={code} name="share code" />
        </li>
        <li>
          Publish it on{' '}
          {hosts.map((host, index) => (
            <span key={host}>
              {index > 0 && ' or '}
              <a href={siteOf(host)} target="_blank" rel="noopener noreferrer">
                {host}
              </a>
            </span>
          ))}
          .
        </li>
        <li>
          <label for={id}>Paste the link to your post:</label>
          <div class="field">
            <input
              id={id}
              type="url"
              inputmode="url"
              autocomplete="off"
              placeholder={`${siteOf(hosts[0] ?? '')}…`}
              value={link}
              onInput={(event: Event) => setLink((event.target as HTMLInputElement).value)}
            />
          </div>
        </li>
      </ol>
      <button type="submit" class="primary wide" aria-disabled={busy ? 'true' : 'false'}>
        {busy ? 'Checking your post…' : 'Spin for free'}
      </button>
      <Refusal problem={own ?? (state.problem && inWords(state.problem, hosts))} token="ETH" />
    </form>
  )
}

/** A site on this machine has no certificate. */
function siteOf(host: string): string {
  const { hostname } = new URL(`http://${host}`)
  return `${isOwnMachine(hostname) ? 'http' : 'https'}://${host}/`
}

function inWords(problem: Problem, hosts: string[]): Problem {
  if (detailOf(problem, 'reason') !== 'unknown_provider') return problem
  return { ...problem, message: `Use a post on ${hosts.join(' or ')}.` }
}
