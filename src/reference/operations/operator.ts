import { z } from 'zod'
import { ActAnswer, ModesAnswer, NextActAnswer } from '../../api/operator/answers-schema.ts'
import { ActBody } from '../../api/operator/schema.ts'
import { nextVersion } from '../../operator/modes.ts'
import { NOW, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const order = {
  act: 'unfreeze',
  target: WALLET,
  reason: 'The deposit will not be mined again.',
  nonce: 0,
  expiresAt: Math.floor(NOW / 1_000) + 600,
} as const

const ModesQuery = z.object({ action: z.literal('modes').meta({ description: 'What to read.' }) })

const version = nextVersion(null, { modes: { crash: 'draining' } }, NOW)

export const operatorOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/operate',
    id: 'getNextAct',
    summary: 'The switches, and the nonce of the next act',
    calls: [
      {
        name: 'next',
        summary: "The nonce of the vault owner's next act",
        limit: 'reads',
        answers: { 200: NextActAnswer },
        refusals: ['not_configured'],
        example: { answer: { ok: true, nonce: 0 } },
      },
      {
        name: 'modes',
        summary: "The operator's switches",
        description:
          'Each version takes effect at least ten seconds after it was set. The switches are `all`, `crash`, each game, `lootbox`, `boxes`, `withdrawals`, `token:<token>` and `partner:<id>`; `all` is everything except withdrawals. If several switches concern a call, the strictest counts. The public log has every version (kind `control`).',
        limit: 'reads',
        query: ModesQuery,
        answers: { 200: ModesAnswer },
        refusals: ['unknown_action'],
        example: { query: { action: 'modes' }, answer: { ok: true, version } },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/operate',
    id: 'postAct',
    summary: "Carry out an act of the vault's owner",
    name: 'act',
    description:
      "The vault's owner signs EIP-712 `OwnerAct(string act,string target,string reason,uint256 nonce,uint256 expiresAt)` in the vault's domain; `npm run operate` does this. Each nonce is carried out once; repeating the act returns its result.",
    limit: 'money',
    body: ActBody,
    answers: { 200: ActAnswer },
    refusals: ['not_configured', 'signature_invalid', 'nonce_mismatch', 'chain_unavailable'],
    example: {
      body: { ...order, signature: `0x${'5d'.repeat(64)}1b` },
      answer: {
        ok: true,
        act: {
          ...order,
          at: NOW,
          result: { isDone: true, message: 'Deposits written off: 1. Withdrawals continue.' },
        },
      },
    },
  },
]
