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

/** Returns the operations and actions of the recorded OpenAPI document that no request exercised. */
export function neverCalled({ exchanges }: Recording): string[] {
  const text = exchanges.find(({ name }) => name === DOCUMENT)?.answer.body
  if (text === undefined) return [DOCUMENT]
  return documented(parse(text) as Document)
    .filter((call) => !exchanges.some((exchange) => isOf(call, exchange)))
    .map(({ operationId, action }) => (action === null ? operationId : `${operationId} ${action}`))
}

function documented({ paths, components }: Document): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      actionsOf(operation, components.schemas).map((action) => ({
        ...{ operationId: operation.operationId, action },
        ...{ method: method.toUpperCase(), path },
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
