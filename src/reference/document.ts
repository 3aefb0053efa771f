import { STATUS, type ErrorCode } from '../core/refusal.ts'
import { capital } from '../core/words.ts'
import { ABOUT } from './about.ts'
import { LIMITS, TAGS, type Call, type Operation } from './operation.ts'
import { REFUSALS } from './refusals.ts'
import { Schemas, type JsonSchema } from './schemas.ts'

/** The part of OpenAPI 3.1 that this document uses. */
export type OpenApi = ReturnType<typeof openApi>

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { required: true; content: Record<string, Content> }
  responses: Record<string, OpenApiResponse>
}

interface Parameter {
  name: string
  in: 'query' | 'path'
  required: boolean
  description: string
  schema: JsonSchema
  /** By call name. */
  examples: Record<string, { value: string }>
}

export interface OpenApiResponse {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, Content>
}

export interface Content {
  schema: JsonSchema
  examples?: Record<string, { summary: string; value: unknown }>
}

const JSON_TYPE = 'application/json'

/** The headers of every answer. */
const HEADERS = {
  RequestId: {
    name: 'x-request-id',
    description: 'The id of this answer. Quote it in questions about the answer.',
  },
  CacheControl: { name: 'cache-control', description: 'Always `no-store`.' },
}
/** The headers of some answers. */
const RetryAfter = { name: 'retry-after', description: 'The number of seconds to wait.' }
const Allow = { name: 'allow', description: "The path's methods, in an answer with status 405." }
const Receipt = {
  name: 'fairhouse-receipt',
  description:
    'The receipt: a compact JWS (ES256). A repeated call has a receipt with the same claims and another signature. Absent if the site has no keys for receipts, or could not sign.',
}

/** Describes operations as an OpenAPI 3.1 document. */
export function openApi(operations: Operation[]) {
  const schemas = new Schemas()
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const operation of operations) {
    ;(paths[operation.path] ??= {})[operation.method] = describe(operation, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairhouse',
      version: '1.0.0',
      summary: 'A provably fair game and wallet service.',
      license: { name: 'MIT', identifier: 'MIT' },
      description: ABOUT,
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components(),
      headers: componentHeaders({ ...HEADERS, RetryAfter, Allow, Receipt }),
      securitySchemes: {
        partnerToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            "HS256, signed with the partner's key. Claims: `iss` (the partner), `aud` = `wallet-bridge`, `iat`, `exp` (at most 30 seconds after `iat`), `jti` for calls that move money (8 to 64 characters, different for each call) and, if required, `bodyHash` (hex sha256 of the body).",
        },
        metricsToken: {
          type: 'http',
          scheme: 'bearer',
          description: "The operator's secret `METRICS_TOKEN`.",
        },
        operator: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            "An operator's sign-in: `Wallet <wallet>.<issuedAt>.<signature>`, where the wallet has signed the message of `GET /api/operate?action=sign-in`. It is valid for 15 minutes. Where Cloudflare Access is configured, calls of operators need its `Cf-Access-Jwt-Assertion`, too.",
        },
      },
    },
  }
}

function securityOf(calls: readonly Call[]): object[] {
  if (calls.some(({ caller }) => caller === 'partner')) return [{ partnerToken: [] }]
  // Some calls of that operation need none.
  if (calls.some(({ caller }) => caller === 'operator')) return [{ operator: [] }, {}]
  if (calls.some(({ caller }) => caller === 'operator or monitor')) {
    return [{ operator: [] }, { metricsToken: [] }]
  }
  return calls.some(({ caller }) => caller === 'monitor') ? [{ metricsToken: [] }] : []
}

function componentHeaders(headers: Record<string, { description: string }>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description }]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  )
}

function describe(operation: Operation, schemas: Schemas): OpenApiOperation {
  const { calls } = operation
  const parameters = [...pathParametersOf(operation), ...parametersOf(calls, schemas)]
  const requestBody = requestBodyOf(calls, schemas)
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: descriptionOf(calls),
    security: securityOf(calls),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      ...answersOf(operation, schemas),
      ...(isFile(operation) ? { '4XX': NO_SUCH_CALL } : refusalsOf(operation, schemas)),
    },
  }
}

/** The refusal of operations that serve files. */
const NO_SUCH_CALL: OpenApiResponse = { description: 'Refuses other methods.', headers: {} }

function isFile({ path }: Operation): boolean {
  return path.startsWith('/reference')
}

/** Returns the headers of an operation's answers. Files have none of their own. */
function headersOf(operation: Operation): Record<string, { $ref: string }> {
  const { RequestId } = HEADERS
  if (isFile(operation)) return {}
  const ofAll = operation.path.startsWith('/api/') ? HEADERS : { RequestId }
  const hasReceipt = operation.calls.some(({ receiptHeader }) => receiptHeader)
  return headerRefs(hasReceipt ? { ...ofAll, Receipt } : ofAll)
}

/** Describes an operation's calls, with a heading for each if there are several. */
function descriptionOf(calls: Call[]): string {
  return calls
    .map((call) => {
      const { name, summary, description } = call
      const told = description === undefined ? [] : [description]
      const head = calls.length > 1 ? [`### ${name}`, [`${summary}.`, ...told].join(' ')] : told
      const terms = [callerOf(call), limitOf(call)].filter(Boolean).join(' ')
      return [...head, ...(terms ? [terms] : [])].join('\n\n')
    })
    .join('\n\n')
}

function callerOf({ caller }: Call): string | null {
  if (caller === 'wallet') return 'Needs the credentials of a wallet: `wallet` and `authSig`.'
  if (caller === 'monitor') return "Needs the operator's token."
  if (caller === 'operator') return "Needs an operator's sign-in, of any role."
  if (caller === 'operator or monitor') {
    return "Needs an operator's sign-in, of any role, or the operator's token."
  }
  return caller === 'partner' ? "Needs a partner's token." : null
}

function limitOf({ limit, networkLimit }: Call): string | null {
  if (limit === null) return null
  const { perSecond, counted } = LIMITS[limit]
  const other = networkLimit ? `, and \`${networkLimit}\` under Limits` : ''
  return `Limit: ${perSecond} calls per second ${counted}${other}.`
}

function pathParametersOf({ pathFields = {}, calls }: Operation): Parameter[] {
  return Object.entries(pathFields).map(([name, { description, example }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
    examples: Object.fromEntries(calls.map((call) => [call.name, { value: example }])),
  }))
}

/** Returns the query parameters of all calls. A parameter is required if every call requires it. */
function parametersOf(calls: Call[], schemas: Schemas): Parameter[] {
  const fields = calls.flatMap(({ name: call, query }) =>
    query
      ? Object.entries(schemas.fieldsOf(query)).map(([name, field]) => ({ call, name, ...field }))
      : [],
  )
  return [...new Set(fields.map(({ name }) => name))].map((name) => {
    const found = fields.filter((field) => field.name === name)
    const { description: _, ...schema } = found[0]?.schema ?? {}
    const choices = found.flatMap(({ schema: { const: choice } }) => choice ?? [])
    return {
      name,
      in: 'query',
      required: found.length === calls.length && found.every(({ isRequired }) => isRequired),
      description: describeField(found),
      schema: choices.length > 0 ? { type: 'string', enum: choices } : schema,
      examples: Object.fromEntries(
        calls.flatMap((call) => {
          const value = call.example.query?.[name]
          return value === undefined ? [] : [[call.name, { value }]]
        }),
      ),
    }
  })
}

/** Returns the meaning of a query parameter, by call if the meanings differ. */
function describeField(found: { call: string; schema: JsonSchema }[]): string {
  const meanings = [...new Set(found.map(({ schema }) => schema.description ?? ''))]
  const [first = ''] = meanings
  if (meanings.length <= 1) return first
  return meanings
    .map((meaning) => {
      const meant = found.filter(({ schema }) => (schema.description ?? '') === meaning)
      return `${meant.map(({ call }) => `\`${call}\``).join(', ')}: ${meaning}`
    })
    .join(' ')
}

function requestBodyOf(calls: Call[], schemas: Schemas): OpenApiOperation['requestBody'] | null {
  const bodies = calls.flatMap(({ name, body }) =>
    body ? [{ name, ref: schemas.refTo(body, 'input', `${pascal(name)}Request`) }] : [],
  )
  const [first] = bodies
  if (!first) return null
  const schema: JsonSchema =
    bodies.length === 1
      ? first.ref
      : {
          oneOf: bodies.map(({ ref }) => ref),
          discriminator: {
            propertyName: 'action',
            mapping: Object.fromEntries(bodies.map(({ name, ref }) => [name, ref.$ref])),
          },
        }
  const examples = examplesOf(calls, ({ example }) => example.body)
  return { required: true, content: { [JSON_TYPE]: { schema, examples } } }
}

function answersOf(operation: Operation, schemas: Schemas): OpenApiOperation['responses'] {
  const { calls, contentType = JSON_TYPE } = operation
  const statuses = new Set(calls.flatMap(({ answers }) => Object.keys(answers)))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const answering = calls.filter(({ answers }) => status in answers)
      const all = answering.flatMap(({ answers }) => answers[Number(status)] ?? [])
      const bodies = [...new Set(all)]
      const isFirst = ({ answers }: Call) => Object.keys(answers)[0] === status
      const examples = examplesOf(answering.filter(isFirst), ({ example }) => example.answer)
      const content = bodies.length > 0 && {
        [contentType]: {
          schema: anyOf(bodies.map((body) => schemas.refTo(body, 'output'))),
          ...(Object.keys(examples).length > 0 && { examples }),
        },
      }
      return [
        status,
        {
          description: MEANINGS[status] ?? '',
          headers: status === '101' ? {} : headersOf(operation),
          ...(content && { content }),
        },
      ]
    }),
  )
}

const MEANINGS: Record<string, string> = {
  101: 'A WebSocket. Each message is one JSON text of this form.',
  200: 'The answer.',
  202: 'Still pending. Repeat the same call.',
  204: 'No body.',
  206: 'The part that `Range` asks for.',
  304: 'The caller has the file already. No body.',
  412: 'The file is not the one that the caller named. No body.',
}

function examplesOf(calls: Call[], pick: (call: Call) => unknown): Required<Content>['examples'] {
  return Object.fromEntries(
    calls.flatMap((call) => {
      const value = pick(call)
      return value ? [[call.name, { summary: call.summary, value }]] : []
    }),
  )
}

/** Returns the calls' possible refusals by status, and a catch-all for others. */
function refusalsOf(operation: Operation, schemas: Schemas): OpenApiOperation['responses'] {
  const { calls } = operation
  const codes = new Set(calls.flatMap(codesOf))
  const statuses = new Set([...codes].map((code) => STATUS[code]))
  const byStatus = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => {
      const ofStatus = [...codes].filter((code) => STATUS[code] === status)
      const schema = anyOf(ofStatus.map((code) => schemas.refusal(code)))
      const description = ofStatus.map((code) => `\`${code}\`: ${REFUSALS[code].means}`).join(' ')
      const headers = headerRefs(
        status === STATUS.rate_limited ? { ...HEADERS, RetryAfter } : HEADERS,
      )
      return [status, { description, headers, content: { [JSON_TYPE]: { schema } } }]
    })
  const other: OpenApiResponse = {
    description: 'Any other refusal, such as `method_not_allowed` (405) for other methods.',
    headers: headerRefs({ ...HEADERS, Allow }),
    content: { [JSON_TYPE]: { schema: schemas.anyRefusal() } },
  }
  return { ...Object.fromEntries(byStatus), '4XX': other }
}

/** Returns a call's possible refusals: its own, and those implied by its caller, limit and body. */
function codesOf({ caller, limit, body, query, refusals = [], example }: Call): ErrorCode[] {
  if (limit === 'rpc' || (limit === null && !body)) return [...refusals, 'not_configured']
  const codes: ErrorCode[] = [...refusals]
  if (body || (query && caller)) codes.push('invalid_request')
  if (body) codes.push('unsupported_media_type', 'body_too_large')
  if (example.body && 'action' in example.body) codes.push('unknown_action')
  if (caller === 'wallet') codes.push('auth_required', 'auth_invalid', 'chain_unavailable')
  if (caller?.endsWith('monitor')) codes.push('token_missing', 'token_invalid')
  if (caller?.startsWith('operator')) {
    codes.push('auth_required', 'auth_invalid', 'role_required', 'chain_unavailable')
  }
  if (caller === 'partner') {
    codes.push(
      'token_missing',
      'token_invalid',
      'token_expired',
      'token_lifetime',
      'token_replayed',
    )
  }
  if (limit !== null) codes.push('rate_limited')
  return [...codes, 'internal', 'not_configured']
}

function headerRefs(headers: Record<string, { name: string }>): Record<string, { $ref: string }> {
  return Object.fromEntries(
    Object.entries(headers).map(([id, { name }]) => [name, { $ref: `#/components/headers/${id}` }]),
  )
}

function anyOf(schemas: JsonSchema[]): JsonSchema {
  return schemas.length === 1 && schemas[0] ? schemas[0] : { anyOf: schemas }
}

function pascal(name: string): string {
  return name.split(/[-_]/).map(capital).join('')
}
