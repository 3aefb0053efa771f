import type { z } from 'zod'
import type {
  PlayerAnswer,
  VerifiedPlayerAnswer,
} from '../../../api/operator/inspection-answers-schema.ts'
import { TOKENS } from '../../../money/token.ts'
import { isFailure } from '../../api.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useState } from '../../hooks.ts'
import { showCount } from '../../locale.ts'
import { ActButton } from '../act-button.tsx'
import { amountOf, namedAmount } from '../amount.ts'
import { ask, useAnswer } from '../answers.ts'
import { Table } from '../table.tsx'
import type { ViewProps } from '../views.ts'
import { Journal } from './journal.tsx'

type Answer = z.infer<typeof PlayerAnswer>

const ACCOUNTS = { chips: 'Chips', in_play: 'In play', withdrawing: 'Withdrawing' } as const
const MORE_ACCOUNTS = { quarantine: 'Quarantine', partner: 'With partners' } as const
const TOTALS = {
  deposited: 'Deposited',
  withdrawn: 'Withdrawn',
  wagered: 'Wagered',
  returned: 'Returned',
  debited: 'Debited by partners',
} as const

/** One wallet's ledger, with the acts that operators may sign for it. */
export function Player({ wallet, ...props }: ViewProps & { wallet: string }) {
  const { answer, problem } = useAnswer<Answer>('/player', { wallet })
  return (
    <>
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      {answer && (
        <>
          <Panel title="Player">
            <Standing answer={answer} {...props} />
          </Panel>
          <Panel title="Balances and totals">
            <Amounts answer={answer} />
          </Panel>
          <Panel title="Withdrawals">
            <Withdrawals answer={answer} />
          </Panel>
          <Panel title="Limits that the player has set">
            <Limits answer={answer} />
          </Panel>
          <Journal wallet={wallet} first={answer} />
        </>
      )}
    </>
  )
}

function Standing({ answer, state, onWish }: { answer: Answer } & Omit<ViewProps, 'rest'>) {
  const { wallet, entries, openBets, isFrozen, missingDeposits } = answer
  const buttons = { state, onWish }
  return (
    <>
      <p class="address">{wallet}</p>
      <dl class="facts">
        <dt>Frozen by an operator</dt>
        <dd class={isFrozen ? 'bad' : ''}>{isFrozen ? 'yes' : 'no'}</dd>
        <dt>Deposits that the chain has dropped</dt>
        <dd class={missingDeposits > 0 ? 'bad' : ''}>{missingDeposits}</dd>
        <dt>Open bets</dt>
        <dd>{openBets}</dd>
        <dt>Entries in the journal</dt>
        <dd>{showCount(entries)}</dd>
      </dl>
      <div class="row">
        <Verify wallet={wallet} />
        <ActButton wish={{ act: isFrozen ? 'unfreeze' : 'freeze', target: wallet }} {...buttons} />
        {missingDeposits > 0 && (
          <ActButton wish={{ act: 'write-off', target: wallet }} {...buttons} />
        )}
      </div>
    </>
  )
}

/** Has the journal replayed. */
function Verify({ wallet }: { wallet: string }) {
  const [verdict, setVerdict] = useState<{ isRight: boolean; text: string } | null>(null)
  const verify = async () => {
    setVerdict({ isRight: true, text: 'Replaying…' })
    const query = { action: 'verify', wallet }
    const found = await ask<z.infer<typeof VerifiedPlayerAnswer>>('/player', query)
    if (isFailure(found)) return setVerdict({ isRight: false, text: found.error.message })
    const { isRight, problem, entries, archived } = found
    const text = isRight
      ? `Verified: the journal’s entries add up to the balances. Replayed ${showCount(entries - (archived ?? 0))} of ${showCount(entries)} entries.`
      : `Verification failed: ${problem}.`
    setVerdict({ isRight, text })
  }
  return (
    <>
      <button type="button" onClick={() => void verify()}>
        Verify the journal
      </button>
      <p class={verdict?.isRight === false ? 'bad' : ''} role="status">
        {verdict?.text}
      </p>
    </>
  )
}

function Amounts({ answer: { balances, totals } }: { answer: Answer }) {
  const names = { ...ACCOUNTS, ...MORE_ACCOUNTS, ...TOTALS }
  return (
    <Table
      caption="Balances and totals by token"
      columns={['Token', ...Object.values(names), 'Bets']}
      empty=""
      rows={TOKENS.map((token) => {
        const shown: Record<string, string> = { ...balances[token], ...totals[token] }
        const amounts = Object.keys(names).map((name) => amountOf(shown[name] ?? '0', token))
        return [token, ...amounts, showCount(BigInt(totals[token].bets))]
      })}
    />
  )
}

function Withdrawals({ answer: { withdrawals } }: { answer: Answer }) {
  return (
    <Table
      caption="The newest withdrawals"
      columns={['Nonce', 'Amount', 'Status', 'Transaction']}
      empty="None so far."
      rows={withdrawals.map(({ nonce, token, amountWei, status, txHash }) => [
        nonce,
        namedAmount(amountWei, token),
        status,
        txHash === null ? '–' : <span class="address">{txHash}</span>,
      ])}
    />
  )
}

function Limits({ answer: { protection } }: { answer: Answer }) {
  const { limits, excluded, excludedUntil } = protection
  return (
    <>
      {excluded && (
        <p class="bad">
          Excluded from play
          {excludedUntil !== null && (
            <>
              {' '}
              until <Time at={excludedUntil} />
            </>
          )}
          .
        </p>
      )}
      <Table
        caption="Limits and what they have used"
        columns={['Limit', 'Window', 'Most', 'Used']}
        empty="None."
        rows={limits.map(({ kind, window, token, amountWei, minutes, used }) => [
          kind,
          window,
          token === null ? `${minutes} min` : namedAmount(amountWei ?? '0', token),
          token === null ? `${used} min` : namedAmount(used, token),
        ])}
      />
    </>
  )
}
