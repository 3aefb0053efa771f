import { z } from 'zod'
import { JsonNumber } from '../core/json.ts'
import { STATUS, type ErrorCode } from '../core/refusal.ts'
import { REFUSALS } from './refusals.ts'

/** The part of JSON Schema that zod generates here. */
export interface JsonSchema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  propertyNames?: JsonSchema
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  discriminator?: { propertyName: string; mapping?: Record<string, string | undefined> }
  examples?: unknown[]
}

const COMPONENTS = '#/components/schemas/'

/** Collects a document's zod schemas as JSON Schema, the ones with an id as components. */
export class Schemas {
  readonly #components = new Map<string, JsonSchema>()

  /** Returns a reference to a schema of a request ("input") or an answer. @param id used if the schema has none */
  refTo(schema: z.ZodType, io: 'input' | 'output', id?: string): JsonSchema {
    const known = schema.meta()?.id
    const named = known === undefined && id !== undefined ? schema.meta({ id }) : schema
    return this.#convert(z.object({ root: named }), io).properties?.['root'] ?? {}
  }

  /** Returns the fields of a query. */
  fieldsOf(query: z.ZodObject): Record<string, { schema: JsonSchema; isRequired: boolean }> {
    const { properties = {}, required = [] } = this.#convert(query, 'input')
    return Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        { schema, isRequired: required.includes(name) },
      ]),
    )
  }

  refusal(code: ErrorCode): JsonSchema {
    return this.refTo(refusals.get(code) as z.ZodType, 'output')
  }

  anyRefusal(): JsonSchema {
    const anyOf = codes.map((code) => this.refusal(code))
    this.#components.set('Refusal', { description: 'Any refusal.', anyOf })
    return { $ref: `${COMPONENTS}Refusal` }
  }

  /** Returns all schemas with an id, by id. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const written = z.toJSONSchema(schema, {
      io,
      unrepresentable: ({ zodSchema }) =>
        isSourceNumber(zodSchema) ? { type: 'number' } : 'throw',
    })
    const { $defs = {}, ...root } = JSON.parse(
      JSON.stringify(written).replaceAll('"#/$defs/', `"${COMPONENTS}`),
    ) as JsonSchema & { $defs?: Record<string, JsonSchema> }
    for (const [id, definition] of Object.entries($defs)) {
      this.#components.set(id, tidy(definition))
    }
    return tidy(root)
  }
}

const codes = Object.keys(STATUS) as ErrorCode[]

const refusals = new Map(codes.map((code) => [code, describeRefusal(code)]))

function describeRefusal(code: ErrorCode): z.ZodType {
  const { means, details, example } = REFUSALS[code]
  const error = z
    .object({
      code: z.literal(code).meta({ description: 'A stable code, for programs.' }),
      message: z.string().meta({ description: 'What happened and what to do, for a person.' }),
      ...(details && { details: describedDetails(details) }),
    })
    .meta({ description: 'The reason for the refusal.' })
  return z
    .object({ ok: z.literal(false).meta({ description: 'Always false in a refusal.' }), error })
    .meta({
      id: `Refusal_${code}`,
      description: `${STATUS[code]}: ${means}`,
      examples: [
        { ok: false, error: { code, message: means, ...(example && { details: example }) } },
      ],
    })
}

function describedDetails(details: z.ZodType): z.ZodType {
  return details.meta()?.description === undefined
    ? details.meta({ description: 'Data that helps a program correct its call.' })
    : details
}

/** Returns whether a zod schema accepts numbers kept as their source text. */
function isSourceNumber(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, new JsonNumber('1')).success
}

/**
 * Rewrites generated JSON Schema the way a person would write it: without the bounds of safe integers,
 * and with null as a second type. Objects stay open, because answers may get more fields.
 */
function tidy(schema: JsonSchema): JsonSchema {
  const { minimum, maximum, additionalProperties, properties, items, anyOf, oneOf, ...rest } =
    schema
  const tidied: JsonSchema = {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(properties && { properties: mapValues(properties, tidy) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: tidy(additionalProperties),
    }),
    ...(items && { items: tidy(items) }),
    ...(anyOf && { anyOf: anyOf.map(tidy) }),
    ...(oneOf && { oneOf: oneOf.map(tidy) }),
  }
  const [first, second, ...more] = tidied.anyOf ?? []
  const isNullable = second?.type === 'null' && more.length === 0
  if (!isNullable || typeof first?.type !== 'string') return tidied
  const { anyOf: _anyOf, ...outer } = tidied
  return {
    ...first,
    ...outer,
    type: [first.type, 'null'],
    ...(first.enum && { enum: [...first.enum, null] }),
  }
}

function mapValues<T>(record: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
