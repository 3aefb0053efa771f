/**
 * What a game's values look like. A game describes each value once; the edge derives from it which requests it
 * accepts, what the API reference says, and how a verifier reads a play.
 */

interface Described {
  description: string
}

/** A whole number. */
interface Whole extends Described {
  kind: 'whole'
  min: number
  max?: number
}

/** One of a few words. */
interface Choice extends Described {
  kind: 'choice'
  options: readonly string[]
}

/** What a parameter may have besides. */
interface Sent {
  /** Its name in a request, if it has another one there. */
  wireName?: string
}

/** A number with at most two decimals in a request; in the rules a whole number of hundredths. */
interface Hundredths extends Described, Sent {
  kind: 'hundredths'
  min: number
  max: number
}

/** Distinct whole numbers of a range, at least one. */
interface Distinct extends Described, Sent {
  kind: 'distinct'
  min: number
  max: number
  most: number
  /** What they are called where a count may be sent instead, which means the first so many. */
  orCountOf?: string
}

/** A parameter: what a player chooses. One with a fallback may be left out of a request. */
export type ParamField =
  | (Whole & Sent & { max: number; fallback?: number })
  | (Choice & Sent & { fallback?: string })
  | Hundredths
  | Distinct

/** A number, with decimals. */
interface Decimal extends Described {
  kind: 'decimal'
  min?: number
}

/** Whole numbers of a range, in an order that means something. */
interface Wholes extends Described {
  kind: 'wholes'
  min: number
  max: number
}

interface Text extends Described {
  kind: 'text'
  pattern: RegExp
}

/** A part of an outcome. */
export type MetaField = Whole | Choice | Decimal | Wholes | Text

/** What each of several outcomes pays. */
interface Pays extends Described {
  kind: 'pays'
}

/** A table for each of a few words. */
interface ByOption extends Partial<Described> {
  kind: 'byOption'
  options: readonly string[]
  each: TableField
}

/** A table for each of several numbers. */
interface ByNumber extends Partial<Described> {
  kind: 'byNumber'
  each: TableField
}

/** A pay table, as the configuration shows it. */
export type TableField = Pays | ByOption | ByNumber

type ValueOf<Field> = Field extends { options: readonly (infer Option)[] }
  ? Option
  : Field extends { kind: 'distinct' | 'wholes' }
    ? number[]
    : Field extends { kind: 'text' }
      ? string
      : number

/** The values that fields describe. */
export type Values<Fields> = { -readonly [Name in keyof Fields]: ValueOf<Fields[Name]> }
