import { useState } from 'hono/jsx/dom'
import { listed } from '../../core/words.ts'
import type { Disclosure } from '../../crash/disclosure.ts'
import { GAME_NAMES } from '../../games/games.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { keptIds } from '../keepsakes.ts'
import type { Proof } from './proof.ts'
import { useEffect } from '../hooks.ts'

/** Recomputes an outcome on the player's machine, by the rules that the service plays by. */
export default function VerifyView({ rest }: { rest: string[] }) {
  const address = rest.join('/')
  return (
    <>
      <h1 class="visually-hidden">Verify</h1>
      {address === '' ? <WhatToVerify /> : <Verified key={address} address={rest} />}
    </>
  )
}

/** The part of the address after #/verify says what: crash, bet, play, opening or box, and which. */
async function prove([kind = '', ...names]: string[]): Promise<Proof | Failure> {
  const [first = '', second = ''] = names.map(decodeURIComponent)
  switch (kind) {
    case 'crash':
      return (await import('./crash.ts')).proveRound(first)
    case 'bet':
      return (await import('./crash.ts')).proveBet(first, second)
    case 'play':
      return (await import('./play.ts')).provePlay(first, second)
    case 'opening':
      return (await import('./opening.ts')).proveOpening(first)
    case 'box':
      return (await import('./box.ts')).proveBox(first)
    default:
      return fail('not_found', 'There is nothing of this kind to verify.')
  }
}

function Verified({ address }: { address: string[] }) {
  const [proof, setProof] = useState<Proof | Failure | null>(null)
  useEffect(() => {
    prove(address).then(setProof, () =>
      setProof(fail('unreachable', 'This could not be loaded. Reload the page to try again.')),
    )
  }, [])
  if (!proof) return <p class="loading">Computing …</p>
  if (isFailure(proof)) {
    return (
      <Panel title="Verify">
        <Refusal problem={proof.error} token="ETH" />
        <p>
          <a href="#/verify">What can be verified</a>
        </p>
      </Panel>
    )
  }
  return <ShownProof proof={proof} />
}

function ShownProof({ proof: { title, steps, checks, note } }: { proof: Proof }) {
  const holds = checks.every((check) => check.holds)
  return (
    <div class="proof">
      <Panel title={title}>
        {checks.length > 0 && (
          <p class={holds ? 'verdict good' : 'verdict bad'} role="status">
            {holds ? 'Everything holds.' : 'This does not hold. Keep this page and tell others.'}
          </p>
        )}
        <ul class="checks">
          {checks.map(({ claim, holds: isSo }) => (
            <li key={claim} class={isSo ? 'good' : 'bad'}>
              <span class="mark" aria-hidden="true">
                {isSo ? '✓' : '✗'}
              </span>
              <span class="visually-hidden">{isSo ? 'Holds: ' : 'Does not hold: '}</span>
              <span>{claim}</span>
            </li>
          ))}
        </ul>
        {note && <p class="hint">{note}</p>}
      </Panel>
      <Panel title="Step by step, computed in this browser">
        <dl class="steps">
          {steps.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      </Panel>
    </div>
  )
}

function WhatToVerify() {
  const [rounds, setRounds] = useState<number[]>([])
  useEffect(() => {
    const load = async () => {
      const told = await get<Disclosure>('/api/crash/verify-seeds')
      if (!isFailure(told)) setRounds(told.rounds.map(({ roundId }) => roundId))
    }
    void load()
  }, [])
  return (
    <div class="proof">
      <Panel title="Verify">
        <p>
          Every outcome is committed to before and told after. Here your browser computes it anew,
          by the same open rules, and holds it against what this page saw before you played.
        </p>
      </Panel>
      <Listed
        title="Rounds of crash"
        none="No round with bets has ended yet."
        items={rounds.map((id) => [`#/verify/crash/${id}`, `Round ${id}`])}
      />
      <Listed
        title="Your plays"
        none={`You have not played ${listed(GAME_NAMES, 'or')} in this browser.`}
        items={keptIds('plays').map((id) => [
          `#/verify/play/${id}`,
          `Play ${id.split('/')[1] ?? ''}`,
        ])}
      />
      <Listed
        title="Your openings"
        none="You have not opened a lootbox in this browser."
        items={keptIds('openings').map((id) => [
          `#/verify/opening/${encodeURIComponent(id)}`,
          `${id.slice(0, 14)}…${id.slice(-10)}`,
        ])}
      />
    </div>
  )
}

function Listed(props: { title: string; none: string; items: [href: string, text: string][] }) {
  const { title, none, items } = props
  return (
    <Panel title={title}>
      {items.length === 0 && <p class="hint">{none}</p>}
      <ul class="links">
        {items.map(([href, text]) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
