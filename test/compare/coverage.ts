import { parse } from 'yaml'
import type { Exchange, Recording } from './recording.ts'

interface Schema {
  $ref?: string
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  properties?: Record<string, { const?: string }>
}

interface Operation {
  operationId: string
  parameters?: { name: string; schema: { enum?: string[] } }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** An operation of the OpenAPI document, with one of its actions if it has several. */
interface Call {
  operationId: string
  method: string
  path: string
  action: string | null
}

const DOCUMENT = 'reference: the document'

/** Lists the operations and actions of the recorded OpenAPI document that no request exercised. */
export function coverage({ exchanges }: Recording): { missing: string[]; report: string } {
  const text = exchanges.find(({ name }) => name === DOCUMENT)?.answer.body
  if (text === undefined) return { missing: [DOCUMENT], report: '' }
  const document = parse(text) as Document
  const calls = documented(document).map((call) => ({
    name: call.action === null ? call.operationId : `${call.operationId} ${call.action}`,
    statuses: exchanges
      .filter((exchange) => isOf(call, exchange))
      .map(({ answer }) => answer.status),
  }))
  const missing = calls.filter(({ statuses }) => statuses.length === 0)
  const refused = calls.filter(({ statuses }) => statuses.every((status) => status >= 400))
  const unseen = codesOf(document).filter(
    (code) => !exchanges.some((exchange) => has(exchange, code)),
  )
  const lines = [
    `${calls.length - missing.length} of ${calls.length} documented calls were made.`,
    `Always refused: ${refused.map(({ name }) => name).join(', ') || 'none'}.`,
    `Codes never answered: ${unseen.join(', ') || 'none'}.`,
  ]
  return { missing: missing.map(({ name }) => name), report: lines.join('\n') }
}

function documented({ paths, components }: Document): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      actionsOf(operation, components.schemas).map((action) => ({
        operationId: operation.operationId,
        action,
        method: method.toUpperCase(),
        path,
      })),
    ),
  )
}

/** Returns the actions of a body or a query; null stands for a call without an action. */
function actionsOf(
  { parameters = [], requestBody }: Operation,
  schemas: Record<string, Schema>,
): (string | null)[] {
  if (!requestBody) {
    const inQuery = parameters.find(({ name }) => name === 'action')?.schema.enum ?? []
    return [null, ...inQuery]
  }
  const schema = resolved(requestBody.content['application/json']?.schema ?? {}, schemas)
  const { discriminator, properties } = schema
  if (discriminator?.propertyName === 'action') return Object.keys(discriminator.mapping)
  return [properties?.['action']?.const ?? null]
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (schemas[name] ?? {})
}

function isOf({ method, path, action }: Call, { request }: Exchange): boolean {
  const url = new URL(request.path, 'http://service')
  if (request.method !== method || url.pathname !== path) return false
  if (method === 'GET') return url.searchParams.get('action') === action
  return action === null || request.body?.includes(`"action":"${action}"`) === true
}

function codesOf({ components }: Document): string[] {
  return Object.keys(components.schemas).flatMap((name) => /^Refusal_(.+)$/.exec(name)?.[1] ?? [])
}

function has({ answer }: Exchange, code: string): boolean {
  return answer.body.includes(`"code":"${code}"`)
}
