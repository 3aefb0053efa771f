import type { Lie } from '../lie.ts'

const PLAYS = 'durable-objects/ledger/plays.ts'

const AUDITED = { story: 'export', caughtBy: 'audit', proof: 'manifest' } as const

/** Lies of the exported history. */
export const EXPORT_LIES: Lie[] = [
  {
    ...AUDITED,
    name: 'a round is left out of the history',
    edits: [
      [
        'durable-objects/exporter/rounds.ts',
        'const rows = stored.map((round) => {',
        'const rows = stored.filter(({ result }) => result.roundId !== 2).map((round) => {',
      ],
    ],
    finding: ['round 3: round 2 is missing before it'],
  },
  {
    ...AUDITED,
    name: 'a play is left out of the history',
    edits: [
      [
        'durable-objects/exporter/plays.ts',
        '(answer?.plays ?? []).map((play) => {',
        '(answer?.plays ?? []).filter(({ nonce }) => nonce !== 2).map((play) => {',
      ],
    ],
    finding: ['play 2 is missing'],
  },
  {
    ...AUDITED,
    name: 'rounds are written into the history with lower crashes',
    edits: [
      [
        'src/history/rounds.ts',
        'JSON.stringify(result),\n',
        "JSON.stringify(result.kind === 'settled' ? { ...result, crash: 100 } : result),\n",
      ],
    ],
    finding: ['round 1: this does not hold: seed and pepper give a crash at 1x'],
  },
  {
    ...AUDITED,
    name: 'plays are settled with a higher edge than their terms say',
    edits: [
      [
        PLAYS,
        '{ seed, seedHash, clientSeed, nonce },\n      request,',
        '{ seed, seedHash, clientSeed, nonce },\n      { ...request, edgeBps: request.edgeBps + 200 },',
      ],
    ],
    finding: ['this does not hold: its edge is that of the terms'],
  },
  {
    ...AUDITED,
    name: 'plays of better terms are exported under others that nobody was shown',
    edits: [[PLAYS, '?? journal.terms.of(operation.seq)', "?? 'ab'.repeat(32)"]],
    finding: [`its terms ${'ab'.repeat(32)} are not in the public log`],
  },
]
