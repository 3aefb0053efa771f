import { z } from 'zod'
import { listed } from '../core/words.ts'

/** The types in the words of a person who writes TOML or JSON. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  record: 'a table',
}

/** Describes a valid value if its schema has no message of its own. To be passed to `safeParse` as `error`. */
export function worded(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing'
  if (issue.code === 'invalid_type') return `must be ${typeOf(issue)}`
  if (issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject) {
    return `has an unknown name. It takes ${listed(Object.keys(issue.inst.shape))}.`
  }
  if (issue.code === 'invalid_value') {
    return `must be ${listed(
      issue.values.map((value) => `"${String(value)}"`),
      'or',
    )}`
  }
  if (issue.code === 'invalid_format' && issue.format === 'url') {
    return 'must be a URL, such as https://example.com'
  }
  if (issue.code === 'too_small') return sized(issue.origin, 'least', issue.minimum)
  if (issue.code === 'too_big') return sized(issue.origin, 'most', issue.maximum)
  return undefined
}

function typeOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (inst instanceof z.ZodObject) return `a table with ${listed(Object.keys(inst.shape))}`
  return TYPES[expected] ?? expected
}

function sized(origin: string, bound: 'least' | 'most', size: number | bigint): string {
  const unit = { string: ' characters', array: ' entries' }[origin]
  if (unit === undefined) return `must be at ${bound} ${size}`
  const isEmpty = bound === 'least' && Number(size) === 1
  return isEmpty ? 'must not be empty' : `must have at ${bound} ${size}${unit}`
}

/**
 * Returns the problems of settings: the name of each, and a description of a valid value. The texts have no values,
 * because some are secret, and no wrong keys of a table, because a secret may stand in their place.
 */
export function problemsOf({ issues }: z.ZodError): string[] {
  const problems = issues.map(({ code, path, message }) => {
    const place = z.core.toDotPath(code === 'invalid_key' ? path.slice(0, -1) : path)
    return place === '' ? message : `${place}: ${message}`
  })
  return [...new Set(problems)]
}
