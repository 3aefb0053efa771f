import { html, inline, table, type Html } from './html.ts'
import type { JsonSchema } from './schemas.ts'

/** Renders a schema's fields as a table, nested ones by their paths, or its type if it has no fields. */
export function fieldsTable(schema: JsonSchema): Html {
  const choices = schema.oneOf ?? schema.anyOf
  if (choices && !schema.properties) {
    return html`${choices.map((choice) =>
      choice.properties
        ? html`<p><strong>${choice.title ?? ''}</strong></p>
            ${fieldsTable(choice)}`
        : html`<p>${typeOf(choice)}</p>`,
    )}`
  }
  const rows = fieldsOf(schema, '')
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  return table(
    ['field', 'type', 'description'],
    rows.map(({ path, isOptional, schema: field }) => [
      nameCell(path, isOptional),
      typeOf(field),
      [inline(field.description ?? ''), range(field)],
    ]),
  )
}

/** Renders the name of a field or parameter. */
export function nameCell(name: string, isOptional: boolean): Html {
  return html`<code>${name}</code>${isOptional ? html` <i>optional</i>` : null}`
}

interface Field {
  path: string
  isOptional: boolean
  schema: JsonSchema
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema, at: string): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${at}${name}`
    const inner = schema.items?.properties ? schema.items : schema
    const within = `${path}${schema.items ? '[]' : ''}.`
    return [{ path, isOptional: !required.includes(name), schema }, ...fieldsOf(inner, within)]
  })
}

/** Describes a schema's type in a few words. */
export function typeOf(schema: JsonSchema): Html {
  const { $ref, type, enum: values, items, anyOf, oneOf, additionalProperties } = schema
  if ($ref !== undefined) return html`<a href="#${refName($ref)}">${refName($ref)}</a>`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (values) return joined(values.map((value) => html`<code>${JSON.stringify(value)}</code>`))
  const choices = anyOf ?? oneOf
  if (choices) return joined(choices.map(typeOf))
  if (items) return html`list of ${items.properties ? 'objects' : typeOf(items)}`
  if (typeof additionalProperties === 'object') {
    return html`object by name of
    ${additionalProperties.properties ? 'objects' : typeOf(additionalProperties)}`
  }
  return html`${[type ?? 'any'].flat().join(' or ')}`
}

function joined(parts: Html[]): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`
}

function range({ minimum, maximum, minItems, maxItems, maxLength }: JsonSchema): Html | null {
  const limits = [
    minimum === undefined || minimum === 0 ? null : `At least ${minimum}.`,
    maximum === undefined ? null : `At most ${maximum}.`,
    minItems === undefined ? null : `At least ${minItems} items.`,
    maxItems === undefined ? null : `At most ${maxItems} items.`,
    maxLength === undefined ? null : `At most ${maxLength} characters.`,
  ].filter((limit) => limit !== null)
  return limits.length === 0 ? null : html` ${limits.join(' ')}`
}

export function refName(ref: string): string {
  return ref.replace('#/components/schemas/', '')
}

/** Returns a schema's alternatives, resolved, with their names. */
export function variantsOf(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
): { name: string | null; schema: JsonSchema }[] {
  const { $ref } = schema
  const found = $ref === undefined ? schema : schemas[refName($ref)]
  const choices = found?.oneOf ?? found?.anyOf
  if (choices?.some((choice) => choice.$ref !== undefined)) {
    return choices.flatMap((choice) => variantsOf(choice, schemas))
  }
  return [{ name: $ref === undefined ? null : refName($ref), schema: found ?? {} }]
}
