import { checksumAddress, isAddress, type Hash } from 'viem'
import { z } from 'zod'
import { parsing } from '../../config/parse.ts'
import { JsonNumber } from '../../core/json.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { counted, listed } from '../../core/words.ts'
import { AMOUNT_PATTERN, parseAmount } from '../../money/amount.ts'
import { parseCount } from '../../money/decimal.ts'
import { TOKENS } from '../../money/token.ts'
import type { JsonObject } from './body.ts'

/**
 * The types on the wire. They parse to the types that the rules work with; their `meta` goes into the API
 * reference.
 */

/** A number kept as its source text. */
export const SourceNumber = z.instanceof(JsonNumber, {
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be a number'),
})

const ADDRESS = /^0[xX][0-9a-fA-F]{40}$/

/** A wallet address in any letter case, parsed to EIP-55 form. Refuses a wrong EIP-55 checksum. */
export const Wallet = z
  .string()
  .transform(
    parsing(
      parseWallet,
      'must be a wallet address: 0x and 40 hex digits, in mixed case with its EIP-55 checksum',
    ),
  )
  .meta({
    pattern: ADDRESS.source,
    description:
      'A wallet address in any letter case. In mixed case, its EIP-55 checksum must be right.',
  })

/** Returns a wallet in EIP-55 form; null if the text is not an address or has a wrong checksum. */
export function parseWallet(written: string): string | null {
  // viem remembers thousands of texts that it is asked about, however long they are.
  if (!ADDRESS.test(written)) return null
  const text = written.replace(/^0X/, '0x')
  const isOneCase = text === text.toLowerCase() || /^0x[0-9A-F]{40}$/.test(text)
  return isAddress(text, { strict: !isOneCase }) ? checksumAddress(text) : null
}

export const TokenName = z.enum(TOKENS).describe('The chip token: ETH has 18 decimals, USDG 6.')

/** An amount in the token's smallest unit, as decimal text, parsed to a bigint. */
export const AmountWei = z
  .string()
  .transform(
    parsing(
      parseAmount,
      'must be a whole number of smallest units as a string, at most 2^256 - 1, without a sign or leading zeros',
    ),
  )
  .meta({
    pattern: AMOUNT_PATTERN.source,
    description: "An amount in the token's smallest unit as decimal text, at most 2^256 - 1.",
  })

/** A multiplier with at most two decimals, parsed to hundredths. @param min and max in hundredths */
export function Multiplier(min: number, max: number) {
  return SourceNumber.transform(
    parsing(
      ({ source }) => parseCount(source, 2, { min, max }),
      `must be a number from ${min / 100} to ${max / 100} with at most two decimals`,
    ),
  ).meta({ minimum: min / 100, maximum: max / 100 })
}

/** A whole number within a range. */
export function WholeNumber(min: number, max: number) {
  return SourceNumber.transform(
    parsing(
      ({ source }) => parseCount(source, 0, { min, max }),
      `must be a whole number from ${min} to ${max}`,
    ),
  ).meta({ type: 'integer', minimum: min, maximum: max })
}

/** A whole number within a range, in a query. */
export function QueryNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(min > 0 ? /^[1-9][0-9]{0,15}$/ : /^(0|[1-9][0-9]{0,15})$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

/** The longest signature accepted; a contract wallet's may include its deployment. */
export const MAX_SIGNATURE_CHARS = 8_192

export const Signature = z
  .string()
  .max(MAX_SIGNATURE_CHARS)
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be hex bytes with 0x')

/** A transaction's hash, parsed to lower case. */
export const TxHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a transaction hash (0x and 64 hex digits)')
  .transform((text) => text.toLowerCase() as Hash)
  .describe('The hash of a transaction.')

export const RoundId = WholeNumber(1, Number.MAX_SAFE_INTEGER).describe("A round's number.")

/** A wallet's credentials, in the query of a GET or the body of a POST. */
export const Credentials = z.object({
  wallet: Wallet,
  authSig: z
    .string()
    .describe(
      "The wallet's signature of today's or yesterday's message; see GET /api/auth/message.",
    ),
})

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

/** Words a problem where the schema has no message of its own. */
function worded(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing'
  if (issue.code === 'invalid_type') return `must be ${TYPES[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be ${listed(issue.values.map(String), 'or')}`
  if (issue.code === 'invalid_union' && Array.isArray(issue['options'])) {
    return `must be ${listed(issue['options'].map(String), 'or')}`
  }
  if (issue.code === 'invalid_format' && issue.format === 'date') {
    return 'must be a date as YYYY-MM-DD'
  }
  if (issue.code === 'too_small') {
    return `must have at least ${counted(Number(issue.minimum), partOf(issue.origin))}`
  }
  if (issue.code === 'too_big') {
    return `must have at most ${counted(Number(issue.maximum), partOf(issue.origin))}`
  }
  return undefined
}

function partOf(origin: string): string {
  return origin === 'string' ? 'character' : 'item'
}

/** Parses a value, or refuses it with a list of problems by path. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): { value: T } | Refusal {
  const parsed = schema.safeParse(value, { error: worded })
  if (parsed.success) return { value: parsed.data }
  const details = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }))
  return refuse(
    'invalid_request',
    'The request is not valid. Correct the fields listed in details.',
    details,
  )
}

/**
 * Refuses a body with a key that differs from a known one only in letter case, `_` or `-`. It must be a
 * mistake, and as an unknown key it would be silently ignored.
 */
export function refuseNearMisses(names: readonly string[], body: JsonObject): Refusal | null {
  const known = new Map(names.map((name) => [plain(name), name]))
  const details = Object.keys(body).flatMap((key) => {
    const meant = names.includes(key) ? undefined : known.get(plain(key))
    return meant === undefined
      ? []
      : [{ path: key, message: `is not a known field; send ${meant}` }]
  })
  if (details.length === 0) return null
  return refuse(
    'invalid_request',
    'A field name is misspelt. Correct the fields listed in details.',
    details,
  )
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}
