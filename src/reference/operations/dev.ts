import { z } from 'zod'
import {
  CloseDayAnswer,
  FaucetAnswer,
  OperatorsAnswer,
  PlayersAnswer,
} from '../../api/dev/answers-schema.ts'
import { OPERATORS, PLAYERS } from '../../api/dev/players.ts'
import { FaucetBody, SolvencyBody } from '../../api/dev/schema.ts'
import { SolvencyAnswer } from '../../api/solvency/answers-schema.ts'
import { EXPORTED_DAY, LOG_KEY, ME, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'
import { SOLVENCY_STATEMENT } from './solvency.ts'

export const devOperations: TagOperation[] = [
  {
    method: 'post',
    path: '/api/dev/faucet',
    id: 'postFaucet',
    summary: 'Chips for local play',
    name: 'faucet',
    description: 'Local play only. In production it answers 404.',
    limit: null,
    body: FaucetBody,
    answers: { 200: FaucetAnswer },
    refusals: ['not_found', 'idempotency_conflict'],
    example: {
      body: { wallet: WALLET, token: 'USDG', amountWei: '97500000', id: 'first' },
      answer: { ok: true, me: ME },
    },
  },
  {
    method: 'post',
    path: '/api/dev/solvency',
    id: 'postDevSolvency',
    summary: 'A count of all debts now',
    name: 'count',
    description:
      'Counts now instead of at the next hour. Chips of other wallets may be five minutes old. Local play only. In production it answers 404.',
    limit: null,
    body: SolvencyBody,
    answers: { 200: SolvencyAnswer },
    refusals: ['not_found', 'not_configured', 'closed', 'chain_unavailable'],
    example: { body: { wallet: WALLET }, answer: SOLVENCY_STATEMENT },
  },
  {
    method: 'post',
    path: '/api/dev/close-day',
    id: 'postCloseDay',
    summary: 'Export the current day',
    name: 'close-day',
    description:
      'Local play only. Exports the current UTC day up to now, once; what comes later is in the next day. In production it answers 404.',
    limit: null,
    body: z.object({}),
    answers: { 200: CloseDayAnswer },
    refusals: ['not_found'],
    example: { body: {}, answer: { ok: true, day: EXPORTED_DAY } },
  },
  {
    method: 'get',
    path: '/api/dev/players',
    id: 'getPlayers',
    summary: 'Wallets for local play',
    name: 'players',
    description: 'Local play only. In production it answers 404.',
    limit: null,
    answers: { 200: PlayersAnswer },
    refusals: ['not_found'],
    example: { answer: { ok: true, players: PLAYERS.slice(0, 1), logKey: LOG_KEY } },
  },
  {
    method: 'get',
    path: '/api/dev/operators',
    id: 'getDevOperators',
    summary: 'Operators for local play',
    name: 'operators',
    description: 'Local play only. In production it answers 404.',
    limit: null,
    answers: { 200: OperatorsAnswer },
    refusals: ['not_found'],
    example: { answer: { ok: true, operators: OPERATORS.slice(0, 1) } },
  },
]
