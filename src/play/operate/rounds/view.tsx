import type { z } from 'zod'
import type {
  ComparedRoundAnswer,
  RoundsAnswer,
} from '../../../api/operator/inspection-answers-schema.ts'
import { isFailure } from '../../api.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useState } from '../../hooks.ts'
import { showCount, showMultiplier } from '../../locale.ts'
import { ask, useAnswer } from '../answers.ts'
import { Table } from '../table.tsx'

type Answer = z.infer<typeof RoundsAnswer>
type Round = Answer['newest'][number]

/** The newest rounds and voids, beside drand's own record of their beacons. */
export default function RoundsView() {
  const { answer, problem } = useAnswer<Answer>('/rounds')
  return (
    <div class="column">
      <p class="refusal" role="alert">
        {problem?.message}
      </p>
      {answer && (
        <>
          <Panel title="Voided rounds">
            <Rounds
              caption="The newest voided rounds"
              rounds={answer.voided}
              empty="No round was voided."
            />
          </Panel>
          <Panel title="Newest rounds">
            <Rounds
              caption="The newest rounds of all"
              rounds={answer.newest}
              empty="No round has ended."
            />
          </Panel>
        </>
      )}
    </div>
  )
}

function Rounds({ caption, rounds, empty }: { caption: string; rounds: Round[]; empty: string }) {
  return (
    <Table
      caption={caption}
      columns={['Round', 'Ended', 'Bets', 'Result', 'Beacon', 'drand']}
      empty={empty}
      rows={rounds.map((round) => {
        const { roundId, endedAt, betCount, crash, reason, beacon } = round
        return [
          showCount(roundId),
          <Time at={endedAt} />,
          showCount(betCount),
          crash === null ? <span class="bad">void: {reason}</span> : showMultiplier(crash),
          beacon ?? '–',
          beacon === null ? '–' : <Compare key={roundId} roundId={roundId} />,
        ]
      })}
    />
  )
}

/** Asks drand's relays for a round's beacon. */
function Compare({ roundId }: { roundId: number }) {
  const [outcome, setOutcome] = useState<{ text: string; isBad: boolean } | null>(null)
  const compare = async () => {
    setOutcome({ text: 'Asking…', isBad: false })
    const query = { action: 'beacon', round: String(roundId) }
    const found = await ask<z.infer<typeof ComparedRoundAnswer>>('/rounds', query)
    setOutcome(isFailure(found) ? { text: found.error.message, isBad: true } : wordsOf(found))
  }
  if (outcome) return <span class={outcome.isBad ? 'bad' : ''}>{outcome.text}</span>
  return (
    <button type="button" onClick={() => void compare()}>
      Compare<span class="visually-hidden"> round {roundId}</span>
    </button>
  )
}

function wordsOf({ signature, isSame }: z.infer<typeof ComparedRoundAnswer>) {
  if (signature === null) return { text: 'no relay has it', isBad: false }
  if (isSame === null) return { text: 'has it: it came too late for us', isBad: true }
  return isSame ? { text: 'the same', isBad: false } : { text: 'another one', isBad: true }
}
