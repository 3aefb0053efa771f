import { registerSchema, validate, type Validator } from '@hyperjump/json-schema/openapi-3-1'
import type { OpenApi } from '../../src/reference/document.ts'
import type { JsonSchema } from '../../src/reference/schemas.ts'

const URI = 'https://fairhouse.test/reference/openapi'

/** The published API reference, with an independent validator. */
export class ReferenceSchemas {
  readonly #validators = new Map<string, Promise<Validator>>()

  /** There can be one, because schemas are registered by their URI. */
  constructor(reference: OpenApi) {
    registerSchema(
      closed(reference) as never,
      URI,
      // The JSON Schema dialect of OpenAPI 3.1.
      'https://spec.openapis.org/oas/3.1/schema-base',
    )
  }

  /** Returns what is wrong with a value, or null. @param place of its schema in the document */
  async problemWith(place: string[], value: unknown): Promise<string | null> {
    const pointer = place
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const validator = this.#validators.get(pointer) ?? validate(`${URI}#/${pointer}`)
    this.#validators.set(pointer, validator)
    const output = (await validator)(value as never, 'BASIC')
    return output.valid ? null : JSON.stringify(output, null, 2)
  }
}

/** The document with its answers closed: undocumented fields are not allowed. */
function closed(document: OpenApi): OpenApi {
  const copy = structuredClone(document)
  const reached = new Set<string>()
  const responses = Object.values(copy.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.responses),
  )
  visit(responses)
  return copy

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    const schema = node as JsonSchema
    if (schema.properties) schema.additionalProperties ??= false
    if (typeof schema.$ref === 'string') follow(schema.$ref)
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'examples') visit(value)
    }
  }

  function follow(ref: string): void {
    const name = /^#\/components\/schemas\/(.*)$/.exec(ref)?.[1]
    if (name === undefined || reached.has(name)) return
    reached.add(name)
    visit(copy.components.schemas[name])
  }
}
