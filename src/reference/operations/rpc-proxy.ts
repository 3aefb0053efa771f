import { z } from 'zod'
import { RpcAnswers, RpcBody } from '../../api/rpc-proxy/answers-schema.ts'
import { METHODS } from '../../rpc-proxy/methods.ts'
import type { Operation } from '../operation.ts'

const chain = z.object({
  chain: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .optional()
    .meta({ description: "A chain id; the service's own chain by default." }),
})

export const rpcOperations: Operation[] = [
  {
    method: 'post',
    path: '/api/rpc',
    id: 'postRpc',
    tag: 'RPC proxy',
    summary: 'JSON-RPC calls of the chain',
    calls: [
      {
        name: 'rpc',
        summary: 'JSON-RPC calls of the chain',
        description: [
          `Answers have the status 200, refusals and faults included: they stand in the JSON-RPC answer. Every answer has exactly one \`Access-Control-Allow-Origin\`. The content type is not looked at. A body of notifications alone is answered without a body.`,
          `\`eth_getLogs\` covers 2000 blocks at most. \`eth_call\` and \`eth_estimateGas\` take no state overrides. \`eth_sendRawTransaction\` is there only where it is switched on. A node is given 5 seconds, then the next one is asked.`,
          `Methods: ${METHODS.map((method) => `\`${method}\``).join(', ')}.`,
        ].join('\n\n'),
        limit: 'rpc',
        query: chain,
        body: RpcBody,
        answers: { 200: RpcAnswers },
        refusals: [],
        example: {
          body: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
          answer: { jsonrpc: '2.0', id: 1, result: '0x1520' },
        },
      },
    ],
  },
  {
    method: 'options',
    path: '/api/rpc',
    id: 'preflightRpc',
    tag: 'RPC proxy',
    summary: "A browser's preflight",
    calls: [
      {
        name: 'preflight',
        summary: "A browser's preflight",
        description: 'What pages of the allowed origins may send.',
        limit: null,
        answers: { 204: null },
        refusals: [],
        example: { answer: null },
      },
    ],
  },
]
