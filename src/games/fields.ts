/**
 * Descriptions of a game's values. A game describes each value once. Request schemas, the API reference and the
 * verifier's reading of plays follow from it.
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

/** One of several words. */
interface Choice extends Described {
  kind: 'choice'
  options: readonly string[]
}

/** Something that a request contains. */
interface SentField {
  /** Its name in a request; the parameter's own name by default. */
  wireName?: string
}

/** A number with at most two decimals in a request. The rules count in whole hundredths. */
interface Hundredths extends Described, SentField {
  kind: 'hundredths'
  min: number
  max: number
}

/** Distinct whole numbers of a range, at least one. */
interface Distinct extends Described, SentField {
  kind: 'distinct'
  min: number
  max: number
  most: number
  /** Lets a request send a count instead, meaning the first values of the range. The noun is for messages. */
  orCountOf?: string
}

/** A parameter that a player chooses. A request may omit one with a fallback. */
export type ParamField =
  | (Whole & SentField & { max: number; fallback?: number })
  | (Choice & SentField & { fallback?: string })
  | Hundredths
  | Distinct

/** A number, with decimals. */
interface Decimal extends Described {
  kind: 'decimal'
  min?: number
}

/** Whole numbers of a range, in a meaningful order. */
interface Wholes extends Described {
  kind: 'wholes'
  min: number
  max: number
}

interface Text extends Described {
  kind: 'text'
  pattern: RegExp
}

/** One value of an outcome. */
export type MetaField = Whole | Choice | Decimal | Wholes | Text

/** The payouts of several outcomes, in order. */
interface Pays extends Described {
  kind: 'pays'
}

/** A table for each of several words. */
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

/** A pay table in the public configuration. */
export type TableField = Pays | ByOption | ByNumber

type ValueOf<Field> = Field extends { options: readonly (infer Option)[] }
  ? Option
  : Field extends { kind: 'distinct' | 'wholes' }
    ? number[]
    : Field extends { kind: 'text' }
      ? string
      : number

/** The type of the values that fields describe. */
export type Values<Fields> = { -readonly [Name in keyof Fields]: ValueOf<Fields[Name]> }
