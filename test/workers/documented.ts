import { expect } from 'vitest'
import { parse } from 'yaml'
import yaml from '../../reference/openapi.yaml?raw'
import type { OpenApi, OpenApiOperation } from '../../src/reference/document.ts'
import { ReferenceSchemas } from '../shared/reference-schemas.ts'

/** The published API reference. */
export const reference = parse(yaml) as OpenApi

const schemas = new ReferenceSchemas(reference)

/** The properties of an answer that the reference distinguishes. */
export interface Documented {
  /** Null for an unknown path or method. */
  operation: OpenApiOperation | null
  status: string
  /** The requested action, or null if there was none. */
  action: string | null
  /** For a refusal. */
  code: string | null
}

/** The answers received by this file's tests. */
export const documented: Documented[] = []

interface Answer {
  status: number
  headers: Headers
  text: string
  body: unknown
}

/**
 * Checks an answer against the reference: status, headers, content type and body; if it is not a refusal,
 * also the request. An answer may not have a field that is missing from the reference.
 */
export async function expectDocumented(
  path: string,
  init: RequestInit | undefined,
  answer: Answer,
): Promise<void> {
  const { pathname: asked, searchParams } = new URL(path, 'https://fairhouse.test')
  const pathname = asked.replace(/(?<=^\/api\/.*)\/$/, '')
  const method = (init?.method ?? 'GET').toLowerCase()
  const operation = reference.paths[pathname]?.[method]
  const code = codeOf(answer.body)
  if (!operation) {
    expect(['not_found', 'method_not_allowed']).toContain(code)
    await expectValid(['components', 'schemas', 'Refusal'], answer.body, answer.text)
    documented.push({ operation: null, status: String(answer.status), action: null, code })
    return
  }
  const status = String(answer.status)
  const documentedAs = status in operation.responses ? status : '4XX'
  const response = operation.responses[documentedAs]
  expect(Object.keys(operation.responses), `${method} ${path}: ${answer.text}`).toContain(
    documentedAs,
  )
  if (documentedAs !== status) {
    expect(code, `${method} ${path} lists ${answer.text}`).toBe('method_not_allowed')
  }
  for (const header of Object.keys(response?.headers ?? {})) {
    if (header !== 'allow') expect(answer.headers.get(header), header).not.toBeNull()
  }
  const at = ['paths', pathname, method]
  if (answer.text !== '') {
    const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
    expect(Object.keys(response?.content ?? {})).toContain(type)
    await expectValid(
      [...at, 'responses', documentedAs, 'content', type, 'schema'],
      answer.body,
      `${method} ${path} answers ${answer.text}`,
    )
  }
  const sent = typeof init?.body === 'string' ? init.body : null
  if (answer.status < 400 && pathname !== '/api/rpc') {
    expectQuery(operation, searchParams)
    if (sent !== null) {
      const body = [...at, 'requestBody', 'content', 'application/json', 'schema']
      await expectValid(body, JSON.parse(sent), `${method} ${path} takes ${sent}`)
    }
  }
  documented.push({ operation, status, action: actionOf(sent, searchParams), code })
}

/** Checks that every key of an answered query is documented. */
function expectQuery({ parameters = [] }: OpenApiOperation, query: URLSearchParams): void {
  const names = parameters.map(({ name }) => name)
  for (const name of query.keys()) expect(names).toContain(name)
  for (const { name, required } of parameters) {
    if (required) expect([...query.keys()]).toContain(name)
  }
}

function codeOf(body: unknown): string | null {
  const refusal = body as { error?: { code?: unknown } } | null
  return typeof refusal?.error?.code === 'string' ? refusal.error.code : null
}

function actionOf(sent: string | null, query: URLSearchParams): string | null {
  if (sent === null) return query.get('action')
  try {
    const body = JSON.parse(sent) as { action?: unknown }
    return typeof body.action === 'string' ? body.action : null
  } catch {
    return null
  }
}

export async function expectValid(at: string[], value: unknown, what: string): Promise<void> {
  const problem = await schemas.problemWith(at, value)
  expect(problem, `${what}\n${problem}`).toBeNull()
}
