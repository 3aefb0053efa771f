import { useId } from 'hono/jsx/dom'
import type { z } from 'zod'
import type { BooksAnswer } from '../../../api/operator/answers-schema.ts'
import { DAY_MS, dateOf } from '../../../core/utc-day.ts'
import { reportCsv } from '../../../daybook/report.ts'
import { authorityOf, includesRole } from '../../../operator/roles.ts'
import { Panel } from '../../components/panel.tsx'
import { Select } from '../../components/select.tsx'
import { useState } from '../../hooks.ts'
import { saveCsv } from '../../save-file.ts'
import { amountOf } from '../amount.ts'
import { useAnswer } from '../answers.ts'
import { Table } from '../table.tsx'
import type { ViewProps } from '../views.ts'

type Answer = z.infer<typeof BooksAnswer>
type Row = Answer['rows'][number]

const DAYS_AT_FIRST = 7
const KINDS = { Everything: '', Games: 'game', Partners: 'partner', 'The house': 'house' }
const AMOUNTS = [
  ...(['wagered', 'returned', 'ggr', 'fees'] as const),
  ...(['prizes', 'gas', 'losses', 'restored'] as const),
] as const
const COLUMNS = 'Day,Asset,Of,Wagered,Returned,GGR,Fees,Prizes,Gas,Losses,Restored'.split(',')

/** The results of games, partners and the house, by day and asset. */
export function Books(props: Pick<ViewProps, 'state' | 'onWish'>) {
  const [from, setFrom] = useState(dateOf(Date.now() - DAYS_AT_FIRST * DAY_MS))
  const [to, setTo] = useState(dateOf(Date.now()))
  const [kind, setKind] = useState('')
  const { answer, problem } = useAnswer<Answer>('/books', { from, to })
  const rows = answer?.rows.filter((row) => kind === '' || row.kind === kind) ?? []
  return (
    <Panel title="Books">
      <div class="filters">
        <DayField label="From" day={from} onChange={setFrom} />
        <DayField label="To" day={to} onChange={setTo} />
        <Select label="Of" options={KINDS} value={kind} onChoose={setKind} />
        <button type="button" onClick={() => saveCsv(reportCsv(rows), `books-${from}-${to}.csv`)}>
          Download CSV
        </button>
      </div>
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      {answer && <Rows rows={rows} />}
      {answer && <Notes days={answer.days} {...props} />}
    </Panel>
  )
}

function Rows({ rows }: { rows: Row[] }) {
  return (
    <Table
      caption="Books by day, asset, game and partner"
      columns={COLUMNS}
      empty="Nothing was counted on these days. Each day is counted after 00:15 (UTC) on the next day."
      rows={rows.map((row) => [
        row.day,
        row.asset,
        row.kind === 'partner' ? `Partner ${row.name}` : row.name,
        ...AMOUNTS.map((name) => (row[name] === '0' ? '–' : amountOf(row[name], row.asset))),
      ])}
    />
  )
}

/** Notes on some days: those that have not ended, and those that don't balance. */
function Notes({ days, state, onWish }: { days: Answer['days'] } & Omit<ViewProps, 'rest'>) {
  const open = days.filter(({ isClosed }) => !isClosed)
  const wrong = days.filter(({ problems }) => problems.length > 0)
  const mayCount = includesRole(state.operator.role, authorityOf(countAgain('')).role)
  return (
    <>
      <p class="hint">
        Amounts are exact. Every line debits one account and credits another
        {wrong.length === 0 && ', and all days agree with the journals'}.
        {open.map(({ day }) => ` ${day} has not ended.`)}
      </p>
      <ul class="acts">
        {wrong.map(({ day, problems }) => (
          <li key={day}>
            <p class="bad">{day} is not what the journals amount to:</p>
            {problems.map((text) => (
              <p key={text}>{text}</p>
            ))}
            {mayCount && (
              <button type="button" onClick={() => onWish(countAgain(day))}>
                Count {day} again
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function countAgain(day: string) {
  return { act: 'reproject', target: `books:${day}` } as const
}

interface DayFieldProps {
  label: string
  day: string
  onChange: (day: string) => void
}

function DayField({ label, day, onChange }: DayFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={day}
        onChange={(event: Event) => {
          const { value } = event.target as HTMLInputElement
          if (value !== '') onChange(value)
        }}
      />
    </div>
  )
}
