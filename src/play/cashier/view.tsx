import { useRef } from 'hono/jsx/dom'
import type { PublicChain } from '../../vault/table-config.ts'
import { SignInPanel } from '../account.tsx'
import { isFailure, type Problem } from '../api.ts'
import { Refusal } from '../components/refusal.tsx'
import type { TableState } from '../crash/table.ts'
import { useEffect, useState } from '../hooks.ts'
import { LimitDecision } from '../limits/decision.tsx'
import { protecting } from '../limits/limits.ts'
import { mustDecide } from '../limits/review.ts'
import { useReview } from '../limits/use-review.ts'
import { repeatedly } from '../pause.ts'
import { readMe, session } from '../session.ts'
import { useStore } from '../store.ts'
import { DepositForm } from './deposit-form.tsx'
import { depositing, depositJob } from './deposit.ts'
import { Faucet } from './faucet.tsx'
import { readHoldings } from './holdings.ts'
import { Owed } from './owed.tsx'
import { WithdrawForm } from './withdraw-form.tsx'
import { withdrawalJob } from './withdraw.ts'

const READ_EVERY_MS = 5_000

type Terms = TableState['config']

export default function Cashier() {
  const [terms, setTerms] = useState<Terms | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const owner = useStore(session).credentials?.wallet
  const chain = terms?.chain
  useEffect(() => {
    if (owner === undefined) return
    return repeatedly(async () => {
      const state = await readMe()
      if (!state) return
      if (isFailure(state)) return setProblem(state.error)
      setProblem(null)
      setTerms(state.config)
    }, READ_EVERY_MS)
  }, [owner])
  useEffect(() => {
    if (!chain || owner === undefined) return
    void depositJob(chain).resume()
    void withdrawalJob(chain).resume()
    return repeatedly(() => readHoldings(chain), READ_EVERY_MS)
    // The terms that change, the minimum and a pause, are only shown.
  }, [!chain, owner])
  return (
    <div class="prizes">
      <h1>Deposit & withdraw</h1>
      <p class="lead">
        Chips are your claim on tokens in the vault contract. Withdrawing yours takes your wallet’s
        signature, but you trust us not to empty the vault. You can <a href="#/limits">limit</a>{' '}
        what you deposit, bet and lose.
      </p>
      <Refusal problem={terms ? null : problem} token="ETH" />
      {owner === undefined ? <SignInPanel toSee="balance" /> : terms && <Forms terms={terms} />}
    </div>
  )
}

/** Shows the form for deposits once the player has decided about a limit. */
function Deposit(props: { chain: PublicChain; feeBps: number }) {
  const { protection, problem } = useStore(protecting)
  const { step } = useStore(depositing)
  const reviewing = useReview()
  // A deposit that is under way, and limits that can't be read, leave nothing to decide.
  const isFree = step !== 'idle' || (problem !== null && !protection)
  const isDeciding =
    !isFree && protection !== null && reviewing !== null && mustDecide(protection, reviewing.review)
  const wasDeciding = useRef(false)
  useEffect(() => {
    // The focused button has gone.
    if (wasDeciding.current && !isDeciding) document.getElementById('main')?.focus()
    wasDeciding.current = isDeciding
  }, [isDeciding])
  if (isDeciding) return <LimitDecision onDecline={() => reviewing.change({ hasDecided: true })} />
  if (isFree || reviewing) return <DepositForm {...props} />
  return <p class="loading">Loading…</p>
}

function Forms({ terms }: { terms: Terms }) {
  if (!terms.chain) return <Faucet />
  return (
    <div class="panels">
      <Deposit chain={terms.chain} feeBps={terms.depositFeeBps} />
      <WithdrawForm chain={terms.chain} />
      <Owed />
    </div>
  )
}
