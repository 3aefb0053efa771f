import { creditOf } from '../../ledger/deposit.ts'
import type { Token } from '../../money/token.ts'
import type { PublicChain } from '../../vault/table-config.ts'
import { exactAmount, readAmount } from '../amounts.ts'
import { wrong, type Problem } from '../api.ts'
import { AmountField } from '../components/amount-field.tsx'
import { Transaction } from '../components/copied.tsx'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Steps } from '../components/steps.tsx'
import { TokenChoice } from '../components/token-choice.tsx'
import { useEffect, useState } from '../hooks.ts'
import { isBusy, type JobStep } from '../job.ts'
import { leftOf, protecting } from '../limits/limits.ts'
import { amountOf, nameOf } from '../limits/words.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { walletFailure } from '../wallet/wallet.ts'
import { depositing, depositJob, forgetDeposit, startDeposit } from './deposit.ts'
import { holdings, mostToDeposit } from './holdings.ts'

const STEPS: JobStep[] = ['wallet', 'sent', 'confirming', 'waiting', 'done']
/** The milestone that each step but the last leads to. */
const MILESTONES = ['Sent', 'In a block', 'Confirmed', 'Chips credited']

export function DepositForm({ chain, feeBps }: { chain: PublicChain; feeBps: number }) {
  const [token, setToken] = useState<Token>('ETH')
  const [text, setText] = useState('')
  const [own, setOwn] = useState<Problem | null>(null)
  const held = useStore(holdings)
  const state = useStore(depositing)
  const owner = useStore(session).credentials?.wallet
  const busy = isBusy(state)
  const amountWei = readAmount(text, token)
  // A refusal quotes the state at that time.
  useEffect(() => setOwn(null), [token, text, held?.[token], chain.isPaused])
  // Another press must not deposit the same amount again.
  useEffect(() => {
    if (state.step === 'done') setText('')
  }, [state.step])

  const submit = (event: Event) => {
    event.preventDefault()
    if (busy) return
    const problem =
      whyNot(amountWei, token, held?.[token] ?? null, chain) ?? aboveLimit(amountWei, token)
    setOwn(problem)
    if (!problem && amountWei !== null) void startDeposit(chain, token, amountWei, feeBps)
  }
  return (
    <Panel title="Deposit">
      <form onSubmit={submit}>
        <TokenChoice token={token} onChoose={setToken} />
        <AmountField token={token} text={text} bounds={null} onText={setText} />
        <p class="holds">
          <span>
            Your wallet has {held ? <Money amountWei={held[token]} token={token} /> : '…'}
          </span>
          <button
            type="button"
            class="small"
            aria-label={`Max: all ${token} in your wallet`}
            onClick={() =>
              void mostToDeposit(token).then(
                (wei) => setText(exactAmount(wei, token)),
                (fault) => setOwn(walletFailure(fault).error),
              )
            }
          >
            Max
          </button>
        </p>
        <p class="muted">
          {feeBps === 0 ? 'No fee.' : `Fee ${feeBps / 100}%.`}{' '}
          {amountWei !== null && (
            <>
              You get <Money amountWei={creditOf(amountWei, feeBps)} token={token} /> in chips.
            </>
          )}
        </p>
        <button type="submit" class="primary wide" aria-disabled={busy ? 'true' : 'false'}>
          {busy ? 'Depositing…' : `Deposit ${token}`}
        </button>
        <Refusal problem={own ?? state.problem} token={token} />
      </form>
      {state.owner === owner && state.step !== 'idle' && <Progress chain={chain} />}
    </Panel>
  )
}

function Progress({ chain }: { chain: PublicChain }) {
  const { step, news, ticket } = useStore(depositing)
  const isUnsure = news === 'unsure'
  const counted = `${isUnsure ? 0 : (news ?? 0)} of ${chain.confirmations}`
  const first = isUnsure ? 'Waiting for your wallet' : 'Confirm in your wallet'
  const waits = [first, 'Waiting for a block', `Confirming: ${counted}`]
  return (
    <div class="progress">
      {ticket && (
        <h3>
          {step === 'done' ? 'Deposited' : 'Depositing'}{' '}
          {exactAmount(ticket.amountWei, ticket.token)} {ticket.token}
        </h3>
      )}
      <Steps
        label="Deposit progress"
        steps={MILESTONES}
        waits={[...waits, 'Waiting for your chips']}
        current={isUnsure ? 0 : STEPS.indexOf(step)}
      />
      {isUnsure && <Unsure chain={chain} />}
      {step === 'wallet' && (
        <button type="button" onClick={() => depositJob(chain).cancel()}>
          Cancel
        </button>
      )}
      {ticket && step === 'done' && (
        <p class="good">
          +<Money amountWei={ticket.creditWei} token={ticket.token} /> in chips
        </p>
      )}
      {ticket?.hash && <Transaction hash={ticket.hash} />}
    </div>
  )
}

/** Asks about a deposit whose answer was lost. The form waits meanwhile, so that nothing is deposited twice. */
function Unsure({ chain }: { chain: PublicChain }) {
  return (
    <>
      <p role="alert">
        Your wallet doesn’t say whether it has sent this deposit. Look in your wallet: if it still
        asks, confirm or decline it there.
      </p>
      <button type="button" onClick={() => forgetDeposit(chain)}>
        It wasn’t sent
      </button>
    </>
  )
}

function whyNot(
  amountWei: bigint | null,
  token: Token,
  held: bigint | null,
  chain: PublicChain,
): Problem | null {
  // The chain would take only the gas.
  if (chain.isPaused) return wrong('Deposits are paused. Try again later.')
  if (amountWei === null) return wrong(`Enter an amount of ${token}, such as 0.5.`)
  if (held === null || amountWei <= held) return null
  const has = `${exactAmount(held, token)} ${token}`
  return wrong(`Your wallet has ${has}. You can’t deposit more.`)
}

/** Says why a player's own limits rule a deposit out. Its part above them could only be withdrawn again. */
function aboveLimit(amountWei: bigint | null, token: Token): Problem | null {
  const limit = protecting.value.protection?.limits.find(
    (each) => each.kind === 'deposit' && each.token === token && leftOf(each) < (amountWei ?? 0n),
  )
  if (!limit) return null
  const left = amountOf(limit, leftOf(limit))
  return wrong(`Your ${nameOf(limit).toLowerCase()} has ${left} left. Deposit less.`)
}
