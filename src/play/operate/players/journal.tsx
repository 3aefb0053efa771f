import type { z } from 'zod'
import type { PlayerAnswer } from '../../../api/operator/inspection-answers-schema.ts'
import { isFailure, type Problem } from '../../api.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useState } from '../../hooks.ts'
import { namedAmount } from '../amount.ts'
import { ask } from '../answers.ts'
import { Table } from '../table.tsx'

type Answer = z.infer<typeof PlayerAnswer>
type Page = Pick<Answer, 'journal' | 'next'>

/** A wallet's journal, page by page. It stands still once older entries are shown. */
export function Journal({ wallet, first }: { wallet: string; first: Page }) {
  const [read, setRead] = useState<Page | null>(null)
  const { journal, next } = read ?? first
  const [problem, setProblem] = useState<Problem | null>(null)
  const readMore = async () => {
    const older = await ask<Answer>('/player', { wallet, before: String(next) })
    if (isFailure(older)) return setProblem(older.error)
    setRead({ journal: [...journal, ...older.journal], next: older.next })
  }
  return (
    <Panel title="Journal">
      <Table
        caption="Journal, the newest entry first"
        columns={['Entry', 'Time', 'Operation', 'Moved']}
        empty="Empty."
        rows={journal.map(({ seq, at, operationId, postings }) => [
          seq,
          <Time at={at} />,
          <span class="address">{operationId}</span>,
          postings.length === 0
            ? '–'
            : postings.map(({ token, from, to, amountWei }) => (
                <span class="posting">
                  {namedAmount(amountWei, token)} {from} → {to}
                </span>
              )),
        ])}
      />
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      {next !== null && (
        <button type="button" onClick={() => void readMore()}>
          Show older entries
        </button>
      )}
    </Panel>
  )
}
