import { isSmall, type Withdrawal, type WithdrawalStatus } from '../../ledger/withdrawal.ts'
import type { Token } from '../../money/token.ts'
import type { PublicChain } from '../../vault/table-config.ts'
import { exactAmount, readAmount } from '../amounts.ts'
import { wrong, type Problem } from '../api.ts'
import { AmountField } from '../components/amount-field.tsx'
import { Transaction } from '../components/copied.tsx'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Receipts } from '../components/receipts.tsx'
import { Refusal, useRefusalOfChips } from '../components/refusal.tsx'
import { Steps } from '../components/steps.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { useEffect, useState } from '../hooks.ts'
import { isBusy } from '../job.ts'
import { session, signedInWallet } from '../session.ts'
import { useStore } from '../store.ts'
import { startWithdrawal, withdrawalJob, withdrawing } from './withdraw.ts'

const STEPS = ['Signed', 'Accepted', 'Sent', 'In your wallet']
const WAITS = ['Sign in your wallet', 'Submitting', 'Sending', 'Waiting for the chain']

const STEP_OF: Record<WithdrawalStatus, number> = {
  pending: 2,
  submitted: 3,
  confirmed: STEPS.length,
  failed: 3,
}

export function WithdrawForm({ chain }: { chain: PublicChain }) {
  const [token, setToken] = useState<Token>('ETH')
  const [text, setText] = useState('')
  const [own, setOwn] = useState<Problem | null>(null)
  const { me, credentials } = useStore(session)
  const state = useStore(withdrawing)
  const busy = isBusy(state)
  const chips = me && BigInt(me.chips[token]) + BigInt(me.quarantine[token])
  // A refusal quotes the state at that time.
  useEffect(() => setOwn(null), [token, text, chips, chain.isPaused])
  const isWithdrawn = state.step === 'done' && state.news?.status === 'confirmed'
  // Another press must not withdraw the same amount again.
  useEffect(() => {
    if (isWithdrawn) setText('')
  }, [isWithdrawn])
  useRefusalOfChips(withdrawing, me?.chips[token])

  const submit = (event: Event) => {
    event.preventDefault()
    if (busy) return
    const amountWei = readAmount(text, token)
    const problem = whyNot(amountWei, token, chips, chain)
    setOwn(problem)
    if (!problem && amountWei !== null) void startWithdrawal(chain, token, amountWei)
  }
  return (
    <Panel title="Withdraw">
      <form onSubmit={submit}>
        <TokenChoice token={token} onChoose={setToken} />
        <AmountField token={token} text={text} bounds={null} onText={setText} />
        <p class="holds">
          <span>
            You have {chips !== null ? <Money amountWei={chips} token={token} /> : '…'} in chips
          </span>
          <button
            type="button"
            class="small"
            aria-label={`Max: all your ${token} chips`}
            onClick={() => chips !== null && setText(exactAmount(chips, token))}
          >
            Max
          </button>
        </p>
        {me && me.quarantine[token] !== '0' && (
          <p class="muted">
            <Money amountWei={me.quarantine[token]} token={token} /> of it came in above your
            deposit limit, or while that could not be measured. You can only withdraw it, and it
            leaves first.
          </p>
        )}
        <p class="muted">
          No fee and no gas. You only sign; we pay for the transaction. After a few in a day, the
          next may wait until tomorrow.
        </p>
        <button type="submit" class="primary wide" aria-disabled={busy ? 'true' : 'false'}>
          {busy ? 'Withdrawing…' : `Withdraw ${token}`}
        </button>
        <Refusal problem={own ?? state.problem} token={token} />
      </form>
      {state.owner === credentials?.wallet && state.step !== 'idle' && <Progress chain={chain} />}
    </Panel>
  )
}

function Progress({ chain }: { chain: PublicChain }) {
  const { step, ticket: signed, news: withdrawal } = useStore(withdrawing)
  const current = withdrawal ? STEP_OF[withdrawal.status] : step === 'wallet' ? 0 : 1
  return (
    <div class="progress">
      {signed && (
        <h3>
          {withdrawal?.status === 'confirmed' ? 'Withdrawn' : 'Withdrawing'}{' '}
          {exactAmount(signed.amountWei, signed.token)} {signed.token}
        </h3>
      )}
      <Steps label="Withdrawal progress" steps={STEPS} waits={WAITS} current={current} />
      {step === 'wallet' && (
        <button type="button" onClick={() => withdrawalJob(chain).cancel()}>
          Cancel
        </button>
      )}
      {withdrawal && <Outcome withdrawal={withdrawal} />}
    </div>
  )
}

function Outcome({ withdrawal }: { withdrawal: Withdrawal }) {
  const { nonce, status, token, amountWei, txHash } = withdrawal
  return (
    <>
      {status === 'confirmed' && (
        <p class="good">
          +<Money amountWei={amountWei} token={token} /> in your wallet
        </p>
      )}
      {status === 'failed' && (
        <p class="bad">The withdrawal failed on chain. Your chips are back. Try again.</p>
      )}
      {txHash && <Transaction hash={txHash} />}
      <Receipts wallet={signedInWallet()} abouts={[`withdrawal/${nonce}`]} />
    </>
  )
}

function whyNot(
  amountWei: bigint | null,
  token: Token,
  chips: bigint | null,
  chain: PublicChain,
): Problem | null {
  if (chain.isPaused) return wrong('Withdrawals are paused. Try again later.')
  if (amountWei === null) return wrong(`Enter an amount of ${token}, such as 0.5.`)
  const minWei = BigInt(chain.withdrawalMin[token])
  if (isSmall(amountWei, minWei) && amountWei !== chips) {
    return wrong(
      `Withdraw at least ${exactAmount(minWei, token)} ${token}. Once a day you can also withdraw your whole balance, if no ${token} chips are in play.`,
    )
  }
  if (chips === null || amountWei <= chips) return null
  return wrong(`You have ${exactAmount(chips, token)} ${token} in chips. You can’t withdraw more.`)
}
