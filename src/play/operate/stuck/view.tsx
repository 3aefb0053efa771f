import type { z } from 'zod'
import type { StuckAnswer } from '../../../api/operator/inspection-answers-schema.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { ageOf } from '../../status/parts.tsx'
import { ActButton } from '../act-button.tsx'
import { namedAmount } from '../amount.ts'
import { useAnswer } from '../answers.ts'
import type { ViewProps } from '../views.ts'
import { Wallet } from '../wallet.tsx'

type Answer = z.infer<typeof StuckAnswer>
type Item = Answer['stuck'][number]

const KINDS: Record<Item['kind'], string> = {
  withdrawal: 'Withdrawal',
  prize: 'Prize',
  deposit: 'Deposit that the chain has dropped',
  freeze: 'Frozen wallet',
  closed: 'Closed wallet',
  messages: 'Messages that do not arrive',
}

/** Money that does not move: the amount, the cause, since when, and the remedy. */
export default function StuckView(props: ViewProps) {
  const { answer, problem } = useAnswer<Answer>('/stuck')
  const isIn = (wanted: boolean) => answer?.stuck.filter(({ isStuck }) => isStuck === wanted) ?? []
  return (
    <div class="column">
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      <Panel title="Stuck">
        {answer && isIn(true).length === 0 && <p class="empty">Nothing: all money moves.</p>}
        <Items items={isIn(true)} {...props} />
      </Panel>
      <Panel title="On its way">
        {answer && isIn(false).length === 0 && <p class="empty">Nothing.</p>}
        <Items items={isIn(false)} {...props} />
      </Panel>
    </div>
  )
}

function Items({ items, ...props }: ViewProps & { items: Item[] }) {
  return (
    <ul class="acts">
      {items.map((item) => (
        <li key={`${item.kind} ${item.name}`}>
          <p>
            <strong>{KINDS[item.kind]}</strong>
            {item.amountWei !== null && ` of ${namedAmount(item.amountWei, item.asset ?? '')}`}
            {item.wallet === null ? ` ${item.name}` : ' '}
            {item.wallet !== null && <Wallet wallet={item.wallet} />}, since{' '}
            <Time at={item.since} /> ({ageOf(Date.now() - item.since)})
          </p>
          <p>{item.cause}</p>
          <p class="muted">{item.remedy}</p>
          <div class="row">
            {item.acts.map((wish) => (
              <ActButton key={wish.act} wish={wish} {...props} />
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
}
