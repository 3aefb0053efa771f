import type { z } from 'zod'
import type { PartnersAnswer } from '../../../api/operator/inspection-answers-schema.ts'
import { TOKENS } from '../../../money/token.ts'
import { MODES } from '../../../operator/modes.ts'
import { Panel } from '../../components/panel.tsx'
import { ActButton } from '../act-button.tsx'
import { amountOf } from '../amount.ts'
import { useAnswer } from '../answers.ts'
import { Table } from '../table.tsx'
import type { ViewProps } from '../views.ts'

type Answer = z.infer<typeof PartnersAnswer>
type Partner = Answer['partners'][number]

/** The partners: their limits, their movements, and the debts to them. */
export default function PartnersView(props: ViewProps) {
  const { answer, problem } = useAnswer<Answer>('/partners')
  return (
    <div class="column">
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      {answer?.partners.length === 0 && <p class="empty">No partner is configured.</p>}
      {answer?.partners.map((partner) => (
        <Panel key={partner.id} title={partner.id}>
          <Terms partner={partner} {...props} />
          <h3>Limits and today</h3>
          <Limits partner={partner} />
          <h3>Statement and settlement</h3>
          <Settlement partner={partner} />
          <p class="hint">
            {answer.countedTo === null
              ? 'No day has been counted so far.'
              : `Counted up to ${answer.countedTo}.`}{' '}
            A positive amount is owed to the partner. After paying it, set “settled” in PARTNERS to
            the new total. <a href="#/money">The books</a> have each day.
          </p>
        </Panel>
      ))}
    </div>
  )
}

function Terms({ partner, ...props }: { partner: Partner } & ViewProps) {
  const { id, mode, keys, consent, requireBodyHash } = partner
  return (
    <>
      <dl class="facts">
        <dt>Switch</dt>
        <dd class={mode === 'open' ? '' : 'bad'}>{mode}</dd>
        <dt>Keys</dt>
        <dd class={keys === 0 ? 'bad' : ''}>{keys}</dd>
        <dt>Debits need the player’s permission</dt>
        <dd>{consent === 'required' ? 'yes' : 'no'}</dd>
        <dt>Body hash required</dt>
        <dd>{requireBodyHash ? 'yes' : 'no'}</dd>
      </dl>
      <div class="row">
        {MODES.filter((each) => each !== mode).map((each) => (
          <ActButton
            key={each}
            wish={{ act: 'mode', target: `partner:${id}=${each}` }}
            {...props}
          />
        ))}
      </div>
    </>
  )
}

function Limits({ partner: { id, tokens } }: { partner: Partner }) {
  return (
    <Table
      caption={`Limits of ${id}, and today`}
      columns={[
        'Token',
        'One credit',
        'Credits a day',
        'May owe',
        'Debits per hour and player',
        'Credited',
        'Debited',
      ]}
      empty=""
      rows={TOKENS.map((token) => {
        const { creditLimitWei, dayLimitWei, maxDebtWei, debitHourWei } = tokens[token]
        const { creditedWei, debitedWei } = tokens[token]
        const limits = [creditLimitWei, dayLimitWei, maxDebtWei, debitHourWei]
        return [
          token,
          ...[...limits, creditedWei, debitedWei].map((wei) =>
            wei === null ? 'unlimited' : amountOf(wei, token),
          ),
        ]
      })}
    />
  )
}

function Settlement({ partner: { id, tokens } }: { partner: Partner }) {
  return (
    <Table
      caption={`Statement and settlement of ${id}`}
      columns={['Token', 'Debits', 'Credits', 'Settled', 'Owed']}
      empty=""
      rows={TOKENS.map((token) => {
        const { wagered, returned, settledWei, owedWei } = tokens[token]
        const amounts = [wagered, returned, settledWei]
        return [
          token,
          ...amounts.map((amountWei) => amountOf(amountWei, token)),
          <strong>{amountOf(owedWei, token)}</strong>,
        ]
      })}
    />
  )
}
