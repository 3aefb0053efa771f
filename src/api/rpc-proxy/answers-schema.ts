import { z } from 'zod'
import { CODE } from '../../rpc-proxy/protocol.ts'
import { MAX_BATCH } from '../../rpc-proxy/request.ts'
import { describedComponent, record, text, variant } from '../http/answers-schema.ts'

const version = z.literal('2.0').describe('Always 2.0.')
const id = z
  .union([z.string(), z.number(), z.null()])
  .describe('Identifies the call in its answer. A call without an id gets no answer.')

const Call = describedComponent('RpcCall', 'A JSON-RPC 2.0 call.', {
  jsonrpc: version,
  id: id.optional(),
  method: text('One of the allowed methods.'),
  params: z
    .array(z.unknown())
    .nullish()
    .describe('Parameters by position, not by name, nested at most 8 levels deep.'),
})

const Answer = z
  .union([
    variant('result', {
      jsonrpc: version,
      id,
      result: z.unknown().describe("The node's result."),
    }),
    variant('error', {
      jsonrpc: version,
      id,
      error: record('The error.', {
        code: z.int().describe(
          `The proxy's codes: ${Object.entries(CODE)
            .map(([name, code]) => `${code} ${name}`)
            .join(', ')}; a node's own errors are passed on.`,
        ),
        message: text('What went wrong.'),
        data: z.unknown().optional().describe('More data from the node.'),
      }),
    }),
  ])
  .meta({ id: 'RpcAnswer', description: 'A JSON-RPC 2.0 answer.' })

export const RpcBody = z
  .union([Call, z.array(Call).min(1).max(MAX_BATCH)])
  .meta({ id: 'RpcBody', description: `One call, or a batch of at most ${MAX_BATCH}.` })

export const RpcAnswers = z.union([Answer, z.array(Answer).min(1)]).meta({
  id: 'RpcAnswers',
  description: "One answer, or a batch's answers in the order of its calls.",
})
