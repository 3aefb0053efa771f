import { z } from 'zod'
import { AMOUNT_PATTERN, SIGNED_AMOUNT_PATTERN } from '../../money/amount.ts'
import { TOKENS } from '../../money/token.ts'

/** What answers are made of, for the API reference: nothing is parsed with these when the service runs. */

/**
 * Has the compiler hold a schema against what is answered: `describes<Answer>()(schema)` does not compile
 * where an answer is not of the schema.
 */
export function describes<T>() {
  return <S extends z.ZodType>(schema: S & (T extends z.output<S> ? unknown : never)): S => schema
}

export const text = (description: string) => z.string().meta({ description })

export const count = (description: string) => z.int().min(0).meta({ description })

export const unixMs = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, in unix milliseconds.` })

/** @param description without its unit */
export const amount = (description: string) =>
  z
    .string()
    .regex(AMOUNT_PATTERN)
    .meta({ description: `${description}, in the token's smallest unit.` })

/** An amount that may be below zero. */
export const signedAmount = (description: string) =>
  z
    .string()
    .regex(SIGNED_AMOUNT_PATTERN)
    .meta({ description: `${description}, in the token's smallest unit.` })

export const bytes32 = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: `${description}: 32 bytes in lower-case hex, without 0x.` })

export const txHash = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .meta({ description: `${description}: 32 bytes in lower-case hex, with 0x.` })

export const hex = (description: string) =>
  z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/)
    .meta({ description: `${description}, in hex.` })

export const address = (description: string) =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ description: `${description}, in EIP-55 form.` })

export const token = z.enum(TOKENS).meta({ description: 'The chip token.' })

export const perToken = <S extends z.ZodType>(schema: S, description: string) =>
  z.object({ ETH: schema, USDG: schema }).meta({ description })

export const ok = z
  .literal(true)
  .meta({ description: 'Always true in an answer that is no refusal.' })

/** The transaction that the caller's wallet is to send. */
export const Transaction = z
  .object({
    to: address('The contract that is called'),
    data: hex('The call'),
    value: amount("What is sent with it, of the chain's own coin"),
    chainId: count('The chain it is for.'),
  })
  .meta({ id: 'Transaction', description: 'The transaction that the wallet is to send.' })
