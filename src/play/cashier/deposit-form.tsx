import { useState } from 'hono/jsx/dom'
import type { PublicChain } from '../../vault/terms.ts'
import type { Token } from '../../money/token.ts'
import { exactAmount, readAmount } from '../amounts.ts'
import { fail, type Problem } from '../api.ts'
import { AmountField } from '../components/amount-field.tsx'
import { Transaction } from '../components/copied.tsx'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Steps } from '../components/steps.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import {
  chipsFor,
  depositing,
  isUnderWay,
  startDeposit,
  type Deposit,
  type DepositStep,
} from './deposit.ts'
import { useEffect } from '../hooks.ts'
import { holdings, mostToDeposit } from './holdings.ts'

const STEPS: DepositStep[] = ['wallet', 'sent', 'confirming', 'arriving', 'here']
/** What each step but the last leads to. */
const MILESTONES = ['Sent', 'In a block', 'Confirmed', 'Chips are here']

export function DepositForm({ chain, feeBps }: { chain: PublicChain; feeBps: number }) {
  const [token, setToken] = useState<Token>('ETH')
  const [text, setText] = useState('')
  const [own, setOwn] = useState<Problem | null>(null)
  const held = useStore(holdings)
  const state = useStore(depositing)
  const owner = useStore(session).credentials?.wallet
  const isBusy = isUnderWay(state)
  const amountWei = readAmount(text, token)
  // A refusal names what was typed and held then.
  useEffect(() => setOwn(null), [token, text, held?.[token]])

  const submit = (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    const wrong = whyNot(amountWei, token, held?.[token] ?? null)
    setOwn(wrong)
    if (!wrong && amountWei !== null) void startDeposit(chain, token, amountWei, feeBps)
  }
  return (
    <Panel title="Deposit">
      <form onSubmit={submit}>
        <TokenChoice token={token} onChoose={setToken} />
        <AmountField token={token} text={text} bounds={null} onText={setText} />
        <p class="holds">
          <span>
            Your wallet holds {held ? <Money amountWei={held[token]} token={token} /> : '…'}
          </span>
          <button
            type="button"
            class="small"
            aria-label={`Max: all ${token} of the wallet`}
            onClick={() =>
              void mostToDeposit(token).then((wei) => setText(exactAmount(wei, token)))
            }
          >
            Max
          </button>
        </p>
        <p class="fee">
          {feeBps === 0 ? 'No fee.' : `Fee ${feeBps / 100} %.`}{' '}
          {amountWei !== null && (
            <>
              You get <Money amountWei={chipsFor(amountWei, feeBps)} token={token} /> in chips.
            </>
          )}
        </p>
        <button type="submit" class="primary wide" aria-disabled={isBusy ? 'true' : 'false'}>
          {isBusy ? 'Depositing …' : `Deposit ${token}`}
        </button>
        <Refusal problem={own ?? state.problem} token={token} />
      </form>
      {state.deposit?.wallet === owner && state.deposit && (
        <Progress chain={chain} deposit={state.deposit} />
      )}
    </Panel>
  )
}

function Progress({ chain, deposit }: { chain: PublicChain; deposit: Deposit }) {
  const { step, confirmations } = useStore(depositing)
  const { token, amountWei, creditWei, hash } = deposit
  const current = STEPS.indexOf(step)
  const counted = `${confirmations} of ${chain.confirmations}`
  const waits = ['Confirm in your wallet', 'Waiting for a block', `Confirming: ${counted}`]
  return (
    <div class="progress">
      <h3>
        {step === 'here' ? 'Deposited' : 'Depositing'} {exactAmount(amountWei, token)} {token}
      </h3>
      <Steps
        label="Progress of the deposit"
        steps={MILESTONES}
        waits={[...waits, 'Chips are on their way']}
        current={current}
      />
      {step === 'here' && (
        <p class="good">
          +<Money amountWei={creditWei} token={token} /> in chips
        </p>
      )}
      {hash && <Transaction hash={hash} />}
    </div>
  )
}

function whyNot(amountWei: bigint | null, token: Token, held: bigint | null): Problem | null {
  if (amountWei === null) return fail('wallet', `Type an amount of ${token}, such as 0.5.`).error
  if (held === null || amountWei <= held) return null
  const has = `${exactAmount(held, token)} ${token}`
  return fail('wallet', `Your wallet holds ${has}: deposit that much at most.`).error
}
