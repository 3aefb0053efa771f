import { z } from 'zod'
import { RpcAnswers, RpcBody } from '../../api/rpc-proxy/answers-schema.ts'
import { METHODS } from '../../rpc-proxy/methods.ts'
import type { TagOperation } from '../operation.ts'

const chain = z.object({
  chain: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .optional()
    .meta({ description: "A chain id. Default: the service's own chain." }),
})

export const rpcOperations: TagOperation[] = [
  {
    method: 'post',
    path: '/api/rpc',
    id: 'postRpc',
    summary: 'JSON-RPC calls to the chain',
    name: 'rpc',
    description: [
      `Answers have status 200, including refusals and faults, which are reported in JSON-RPC. Every answer has exactly one \`Access-Control-Allow-Origin\`. The content type is not checked. A body with only notifications gets an answer without a body.`,
      `In \`eth_getLogs\`, \`toBlock\` is at most 2000 above \`fromBlock\`. \`eth_call\` and \`eth_estimateGas\` accept no state overrides. \`eth_sendRawTransaction\` is available only if it is switched on. If a node doesn't answer within 5 seconds, the next one is asked.`,
      `Methods: ${METHODS.map((method) => `\`${method}\``).join(', ')}.`,
    ].join('\n\n'),
    limit: 'rpc',
    query: chain,
    body: RpcBody,
    answers: { 200: RpcAnswers },
    example: {
      body: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
      answer: { jsonrpc: '2.0', id: 1, result: '0x1520' },
    },
  },
  {
    method: 'options',
    path: '/api/rpc',
    id: 'preflightRpc',
    summary: "A browser's preflight",
    name: 'preflight',
    description: 'Tells browsers which calls pages on the allowed origins may make.',
    limit: null,
    answers: { 204: null },
    example: { answer: null },
  },
]
