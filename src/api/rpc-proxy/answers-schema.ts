import { z } from 'zod'
import { text } from '../http/answers-schema.ts'
import { CODE } from '../../rpc-proxy/protocol.ts'
import { MAX_BATCH } from '../../rpc-proxy/request.ts'

const version = z.literal('2.0').meta({ description: 'Always 2.0.' })
const id = z
  .union([z.string(), z.number(), z.null()])
  .meta({ description: 'What tells answers apart; a call without one is not answered.' })

const Call = z
  .object({
    jsonrpc: version,
    id: id.optional(),
    method: text('One of the allowed methods.'),
    params: z
      .array(z.unknown())
      .nullish()
      .meta({ description: 'By place, not by name; nested 8 deep at most.' }),
  })
  .meta({ id: 'RpcCall', description: 'A JSON-RPC 2.0 call.' })

const Answer = z
  .union([
    z
      .object({
        jsonrpc: version,
        id,
        result: z.unknown().meta({ description: 'What the node has answered.' }),
      })
      .meta({ title: 'result' }),
    z
      .object({
        jsonrpc: version,
        id,
        error: z
          .object({
            code: z.int().meta({
              description: `Our own: ${Object.entries(CODE)
                .map(([name, code]) => `${code} ${name}`)
                .join(', ')}; a node's own errors pass through.`,
            }),
            message: text('What went wrong.'),
            data: z.unknown().optional().meta({ description: 'What the node says besides.' }),
          })
          .meta({ description: 'Why there is no result.' }),
      })
      .meta({ title: 'error' }),
  ])
  .meta({ id: 'RpcAnswer', description: 'A JSON-RPC 2.0 answer.' })

export const RpcBody = z
  .union([Call, z.array(Call).min(1).max(MAX_BATCH)])
  .meta({ id: 'RpcBody', description: `One call, or a batch of ${MAX_BATCH} at most.` })

export const RpcAnswers = z.union([Answer, z.array(Answer).min(1)]).meta({
  id: 'RpcAnswers',
  description: 'One answer, or those of a batch in the order of its calls.',
})
