import { z } from 'zod'
import { ActivityAnswer, ExportsAnswer } from '../../api/history/answers-schema.ts'
import { ActivityQuery, ExportsQuery } from '../../api/history/schema.ts'
import { Credentials } from '../../api/http/schema.ts'
import { EXPORTED_DAY, NOW, ROUND_ID, SIGNED, STAKE } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const totals = { wagered: '0', returned: '0', deposited: '0', withdrawn: '0', bets: 0 }

const file = z
  .string()
  .describe(
    'The bytes: JSON of a manifest (`application/json`), of any other file gzip (`application/gzip`).',
  )

export const historyOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/history',
    id: 'getActivity',
    summary: "A wallet's activity",
    name: 'activity',
    description:
      'Everything that moved the chips of a wallet, newest first: ended bets, plays, deposits, withdrawals, and what partners moved. With `format=csv` the page is a file, and its header `fairhouse-next` has the `before` of the next page.',
    caller: 'wallet',
    limit: 'reads',
    query: z.object({ ...Credentials.shape, ...ActivityQuery.shape }),
    answers: { 200: ActivityAnswer },
    refusals: ['invalid_request', 'archive_unavailable'],
    example: {
      query: SIGNED,
      answer: {
        ok: true,
        entries: [
          {
            seq: 7,
            at: NOW,
            kind: 'crash',
            token: 'USDG',
            amountWei: STAKE,
            payout: '3750000',
            roundId: ROUND_ID,
            outcome: 'won',
            multiplier: 1.5,
          },
        ],
        next: 7,
        totals: {
          ETH: totals,
          USDG: { ...totals, wagered: STAKE, returned: '3750000', deposited: '100000000', bets: 1 },
        },
      },
    },
  },
  {
    method: 'get',
    path: '/api/history/exports',
    id: 'getExports',
    summary: 'The exported days',
    name: 'exports',
    description:
      'Each closed UTC day of the whole history: its manifest lists one file for the rounds, bets, plays, openings and boxes. The files are public, under `/exports/v1/`, and never change; `reference/exports.md` describes their rows. `npm run audit` recomputes all of them. An answer has at most 1,000 days; earlier ones follow with `before`, until an answer has none.',
    limit: 'reads',
    networkLimit: 'exports',
    query: ExportsQuery,
    answers: { 200: ExportsAnswer },
    refusals: ['invalid_request'],
    example: { answer: { ok: true, days: [EXPORTED_DAY] } },
  },
  {
    method: 'get',
    path: '/exports/v1/{folder}/{file}',
    id: 'getExportFile',
    summary: 'A file of an exported day',
    contentType: 'application/*',
    pathFields: {
      folder: { description: 'The kind of rows, or `manifest`.', example: 'rounds' },
      file: { description: 'The day, and the type of the file.', example: '2026-11-21.jsonl.gz' },
    },
    name: 'file',
    description: 'A file never changes. Ranges and entity tags are supported.',
    limit: 'reads',
    answers: { 200: file, 206: file, 304: null, 412: null },
    refusals: ['not_found'],
    example: { answer: null },
  },
]
