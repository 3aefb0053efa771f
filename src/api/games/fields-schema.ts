import { z } from 'zod'
import type { MetaField, ParamField, TableField } from '../../games/fields.ts'
import { specOf, wireNameOf, type GameName, type Selection } from '../../games/games.ts'
import { Multiplier, WholeNumber } from '../http/schema.ts'

/** Derives zod schemas from the games' descriptions of their values. */

type Fields<Field> = Record<string, Field>

/** Returns the schema of a game's params in a request. Parses to the params of its rule. */
export function paramsSchema<G extends GameName>(game: G): z.ZodType<Selection<G>['params']> {
  const spec = specOf(game)
  const fields: Fields<ParamField> = spec.params
  const entries = Object.entries(fields)
  const schema = z
    .object(
      Object.fromEntries(
        entries.map(([name, field]) => [wireNameOf(name, field), paramSchema(field)]),
      ),
    )
    .transform(
      (sent) =>
        Object.fromEntries(
          entries.map(([name, field]) => {
            const value = sent[wireNameOf(name, field)]
            return [name, 'fallback' in field ? (value ?? field.fallback) : value]
          }),
        ) as Selection<G>['params'],
    )
    .superRefine((params, context) => {
      const problem = spec.problem?.(params)
      if (!problem) return
      const name = String(problem.param)
      const path = [wireNameOf(name, fields[name])]
      context.addIssue({ code: 'custom', path, message: problem.message })
    })
  return schema
}

function paramSchema(field: ParamField): z.ZodType {
  const schema = requiredSchema(field)
  const optional = 'fallback' in field ? schema.nullish() : schema
  return optional.describe(field.description)
}

function requiredSchema(field: ParamField): z.ZodType {
  switch (field.kind) {
    case 'whole':
      return WholeNumber(field.min, field.max)
    case 'choice':
      return z.enum(field.options)
    case 'hundredths':
      return Multiplier(field.min, field.max)
    case 'distinct':
      return field.orCountOf === undefined
        ? Distinct(field)
        : DistinctOrCount(field, field.orCountOf)
  }
}

interface Range {
  min: number
  max: number
  most: number
}

/** Parses distinct numbers of a range, in the order given. */
function Distinct({ min, max, most }: Range) {
  return z
    .array(WholeNumber(min, max))
    .min(1, 'pick at least one')
    .max(most, `pick at most ${most}`)
    .refine((picks) => new Set(picks).size === picks.length, 'pick each number once')
}

/** Parses distinct numbers, or a count, which stands for the first ones. */
function DistinctOrCount(range: Range, things: string) {
  const { min, max, most } = range
  return z.union(
    [
      WholeNumber(1, most).transform((count) =>
        Array.from({ length: count }, (_, index) => min + index),
      ),
      Distinct(range),
    ],
    `must be a number of ${things}, or distinct ${things} from ${min} to ${max}`,
  )
}

/** Returns the schema of the details of a game's outcome. */
export function metaSchema(game: GameName): z.ZodObject {
  const fields: Fields<MetaField> = specOf(game).meta
  const schemas = mapped(fields, (field) => valueSchema(field).describe(field.description))
  return z.object(schemas).meta({ title: game })
}

function valueSchema(field: MetaField): z.ZodType {
  switch (field.kind) {
    case 'whole':
      return within(z.int(), field)
    case 'decimal':
      return within(z.number(), field)
    case 'wholes':
      return z.array(within(z.int(), field))
    case 'choice':
      return z.enum(field.options)
    case 'text':
      return z.string().regex(field.pattern)
  }
}

function within(number: z.ZodNumber, { min, max }: { min?: number; max?: number }): z.ZodNumber {
  const above = min === undefined ? number : number.min(min)
  return max === undefined ? above : above.max(max)
}

/** Returns the schemas of a game's pay tables in the public configuration. */
export function tableSchemas(game: GameName): Record<string, z.ZodType> {
  return mapped(specOf(game).tables?.fields ?? {}, tableSchema)
}

function tableSchema(field: TableField): z.ZodType {
  const schema = shapeOf(field)
  return field.description === undefined ? schema : schema.describe(field.description)
}

function shapeOf(field: TableField): z.ZodType {
  switch (field.kind) {
    case 'pays':
      return z.array(z.number().min(0))
    case 'byOption':
      return z.object(
        Object.fromEntries(field.options.map((option) => [option, tableSchema(field.each)])),
      )
    case 'byNumber':
      return z.record(z.string(), tableSchema(field.each))
  }
}

function mapped<Field>(
  fields: Fields<Field>,
  schemaOf: (field: Field) => z.ZodType,
): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]))
}
