import { listed } from '../../core/words.ts'
import type { Disclosure } from '../../crash/disclosure.ts'
import { GAME_NAMES } from '../../games/games.ts'
import { fail, get, isFailure, type Failure } from '../api.ts'
import { Panel } from '../components/panel.tsx'
import { Receipts } from '../components/receipts.tsx'
import { Refusal } from '../components/refusal.tsx'
import { FUN_WALLET } from '../fun/fun.ts'
import { useEffect, useState } from '../hooks.ts'
import { keptIds } from '../keepsakes.ts'
import { keptReceipts } from '../receipts.ts'
import { signedInWallet } from '../session.ts'
import { isNumber, useLoaded } from '../slips/loaded.ts'
import type { Proof } from './proof.ts'
import { ReceiptsFor, ShownProof } from './shown-proof.tsx'

/** Recomputes a result on the player's machine with the service's own rules. */
export default function VerifyView({ rest }: { rest: string[] }) {
  const address = rest.join('/')
  return (
    <>
      <h1 class="visually-hidden">Verify</h1>
      {address === '' ? <WhatToVerify /> : <Verified key={address} address={rest} />}
    </>
  )
}

/** Proves the result that the address after #/verify names: crash, bet, play, opening or box, and its id. */
async function prove([kind = '', ...names]: string[]): Promise<Proof | Failure> {
  const [first = '', second = ''] = names.map(decodeURIComponent)
  switch (kind) {
    case 'crash':
      if (!isNumber(first)) return fail('not_found', 'That isn’t a round number.')
      return (await import('./crash.ts')).proveRound(first)
    case 'bet':
      if (!isNumber(second)) return fail('not_found', 'That isn’t a round number.')
      return (await import('./crash.ts')).proveBet(first, second)
    case 'play':
      if (!isNumber(second)) return fail('not_found', 'That isn’t a play number.')
      return (await import('./play.ts')).provePlay(first, second)
    case 'opening':
      return (await import('./opening.ts')).proveOpening(first, signedInWallet())
    case 'box':
      // A box's number may be longer than others.
      if (!/^\d+$/.test(first)) return fail('not_found', 'That isn’t a box number.')
      return (await import('./box.ts')).proveBox(first)
    default:
      return fail('not_found', 'There’s nothing to verify at this address.')
  }
}

function Verified({ address }: { address: string[] }) {
  const proof = useLoaded(
    () => prove(address),
    'The proof did not load. Reload the page to try again.',
  )
  if (!proof) return <p class="loading">Computing…</p>
  if (isFailure(proof)) {
    return (
      <Panel title="Verify">
        <Refusal problem={proof.error} token="ETH" />
        <ReceiptsFor address={address} />
        <p>
          <a href="#/verify">See what you can verify</a>
        </p>
      </Panel>
    )
  }
  return <ShownProof proof={proof} address={address} />
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
          Every result is locked in before you bet and revealed afterwards. Here your browser
          computes it again by the same public rules, and compares it with what this page showed
          before you played.
        </p>
      </Panel>
      <OwnReceipts />
      <Listed
        title="Crash rounds"
        none="No round with bets has ended yet."
        items={rounds.map((id) => [`#/verify/crash/${id}`, `Round ${id}`])}
      />
      <Listed
        title="Your plays"
        none={`You have not played ${listed(GAME_NAMES, 'or')} in this browser.`}
        items={[...keptIds('plays'), ...keptIds('plays.fun')].map((id) => [
          `#/verify/play/${id}`,
          playName(id),
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

/** @param id the wallet and the play's number */
function playName(id: string): string {
  const [wallet, nonce = ''] = id.split('/')
  return wallet === FUN_WALLET ? `Fun play ${nonce}` : `Play ${nonce}`
}

function OwnReceipts() {
  const wallet = signedInWallet()
  if (wallet === undefined || keptReceipts(wallet).length === 0) return null
  return (
    <Panel title="Your receipts">
      <p>
        The house signs what it accepts from you. If it ever says something else, its own signature
        proves you right. This browser keeps your newest 500 receipts. Download them now and then.
      </p>
      <Receipts wallet={wallet} />
    </Panel>
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
