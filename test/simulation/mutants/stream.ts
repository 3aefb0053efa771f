import type { Mutant } from './mutants.ts'

const STREAM = 'durable-objects/crash-stream.ts'
const MESSAGES = 'src/crash/stream.ts'

const UNREPORTED = 'viewers watch while reports are lost'

export const STREAM_MUTANTS: Mutant[] = [
  {
    name: 'a report that is late takes viewers back',
    edits: [[MESSAGES, '  if (roundId < sent.roundId) return { sent, messages: [] }\n', '']],
    within: 2_000,
    theme: UNREPORTED,
  },
  {
    name: 'a stream that was evicted forgets what it has told',
    edits: [
      [STREAM, 'row ? (JSON.parse(row.told) as StreamState) : null', 'null as StreamState | null'],
    ],
    within: 1_000,
    theme: UNREPORTED,
  },
  {
    name: 'a stream that has lost a report waits for the next one',
    edits: [[STREAM, '      return this.#alarmAt\n', '      return null\n']],
    within: 500,
    theme: UNREPORTED,
  },
]
