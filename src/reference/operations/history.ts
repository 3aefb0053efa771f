import { ExportsAnswer } from '../../api/history/answers-schema.ts'
import { EXPORTED_DAY } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

export const historyOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/history/exports',
    id: 'getExports',
    summary: 'The exported days',
    name: 'exports',
    description:
      'Each closed UTC day of the whole history: its manifest lists one file for the rounds, bets, plays, openings and boxes. The files are public, under `/exports/v1/`, and never change; `reference/exports.md` describes their rows. `npm run audit` recomputes all of them.',
    limit: 'reads',
    answers: { 200: ExportsAnswer },
    example: { answer: { ok: true, days: [EXPORTED_DAY] } },
  },
]
