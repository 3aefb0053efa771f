import { z } from 'zod'
import { AMOUNT_PATTERN, SIGNED_AMOUNT_PATTERN } from '../../money/amount.ts'
import { TOKENS } from '../../money/token.ts'

/** The building blocks of answers, for the API reference. The running service parses nothing with them. */

/**
 * Checks a schema against an answer's type: `describes<Answer>()(schema)` doesn't compile unless every
 * answer matches the schema.
 */
export function describes<T>() {
  return <S extends z.ZodType>(schema: S & (T extends z.output<S> ? unknown : never)): S => schema
}

export const text = (description: string) => z.string().describe(description)

export const count = (description: string) => z.int().min(0).describe(description)

export const unixMs = (description: string) =>
  z.int().min(0).describe(`${description}, in unix milliseconds.`)

/** @param description without its unit */
export const amount = (description: string) =>
  z.string().regex(AMOUNT_PATTERN).describe(`${description}, in the token's smallest unit.`)

/** A possibly negative amount. @param description without its unit */
export const signedAmount = (description: string) =>
  z.string().regex(SIGNED_AMOUNT_PATTERN).describe(`${description}, in the token's smallest unit.`)

export const bytes32 = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe(`${description}: 32 bytes in lower-case hex, without 0x.`)

export const txHash = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .describe(`${description}: 32 bytes in lower-case hex, with 0x.`)

export const hex = (description: string) =>
  z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/)
    .describe(`${description}, in hex.`)

export const address = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .describe(`${description}, in EIP-55 form.`)

export const token = z.enum(TOKENS).describe('The chip token.')

export const flag = (description: string) => z.boolean().describe(description)

export const oneOf = <const V extends readonly string[]>(description: string, values: V) =>
  z.enum(values).describe(description)

export const orNull = <S extends z.ZodType>(description: string, schema: S) =>
  schema.nullable().describe(description)

export const list = <S extends z.ZodType>(description: string, schema: S) =>
  z.array(schema).describe(description)

export const record = <S extends z.ZodRawShape>(description: string, shape: S) =>
  z.object(shape).describe(description)

export const records = <S extends z.ZodRawShape>(description: string, shape: S) =>
  list(description, z.object(shape))

/** A component of the API reference. */
export const component = <S extends z.ZodRawShape>(id: string, shape: S) =>
  z.object(shape).meta({ id })

export const describedComponent = <S extends z.ZodRawShape>(
  id: string,
  description: string,
  shape: S,
) => z.object(shape).meta({ id, description })

/** One form of a union. */
export const variant = <S extends z.ZodRawShape>(title: string, shape: S) =>
  z.object(shape).meta({ title })

export const perToken = <S extends z.ZodType>(schema: S, description: string) =>
  z.object({ ETH: schema, USDG: schema }).describe(description)

export const ok = z.literal(true).describe('True in every answer except a refusal.')

/** A transaction for the caller's wallet to send. */
export const Transaction = z
  .object({
    to: address('The contract to call'),
    data: hex('The call data'),
    value: amount("The value to send, in the chain's native coin"),
    chainId: count('The chain id.'),
  })
  .meta({ id: 'Transaction', description: 'A transaction for the wallet to send.' })
