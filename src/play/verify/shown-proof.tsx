import { Panel } from '../components/panel.tsx'
import { Receipts } from '../components/receipts.tsx'
import { signedInWallet } from '../session.ts'
import { Computation } from './computation.tsx'
import type { Proof } from './proof.ts'

/** The receipts for the result that the address names. */
export function ReceiptsFor({ address: [kind, first = '', second = ''] }: { address: string[] }) {
  const ofRound = (roundId: string) => [`bet/${roundId}`, `cashout/${roundId}`]
  if (kind === 'crash') return <Receipts wallet={signedInWallet()} abouts={ofRound(first)} />
  if (kind === 'bet') return <Receipts wallet={first} abouts={ofRound(second)} />
  return kind === 'play' ? <Receipts wallet={first} abouts={[`play/${second}`]} /> : null
}

interface ProofView {
  proof: Proof
  /** The part after `#/verify/` in the address of the proof. */
  address: string[]
}

function verdictOf(holds: boolean, mayBeClock: boolean): string {
  if (holds) return 'Verified: the result is correct.'
  return mayBeClock
    ? 'Not verified: a time does not fit this device’s clock. Check first whether the clock is right.'
    : 'Not verified: at least one check failed. Save this page as evidence.'
}

/** Shows a proof: the verdict, its checks and its steps. */
export function ShownProof({ proof: { title, steps, checks, note }, address }: ProofView) {
  const failed = checks.filter((check) => !check.holds)
  const holds = failed.length === 0
  const mayBeClock = failed.every(({ isByOwnClock }) => isByOwnClock === true)
  return (
    <div class="proof">
      <Panel title={title}>
        {checks.length > 0 && (
          <p class={holds ? 'verdict good' : 'verdict bad'} role="status">
            {verdictOf(holds, mayBeClock)}
          </p>
        )}
        <ul class="checks">
          {checks.map(({ claim, holds: isSo }) => (
            <li key={claim} class={isSo ? 'good' : 'bad'}>
              <span class="mark" aria-hidden="true">
                {isSo ? '✓' : '✗'}
              </span>
              <span class="visually-hidden">{isSo ? 'Passed: ' : 'Failed: '}</span>
              <span>{claim}</span>
            </li>
          ))}
        </ul>
        {note && <p class="hint">{note}</p>}
        <ReceiptsFor address={address} />
      </Panel>
      <Panel title="Steps, computed in this browser">
        <Computation steps={steps} />
      </Panel>
    </div>
  )
}
