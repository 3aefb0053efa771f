import type { Step } from '../fairness/check.ts'
import type { Rational } from '../money/rational.ts'
import type { MetaField, ParamField, TableField } from './fields.ts'
import type { ReturnsTable } from './returns.ts'
import type { Line } from './sketch.ts'
import type { Draw, RandomStream } from './stream.ts'
import type { TableVersion } from './tables.ts'

/** The terms that pay a play: fixed when it is made and disclosed with it. */
export interface PayTerms {
  /** The edge of the games without pay tables. */
  edgeBps: number
  /** The version of the pay tables, which pay the other games and include their edge. */
  tables: number
}

/** The outcome of a play: the paid multiplier, zero for a loss, and the details to show. */
export interface Outcome<Meta> {
  multiplier: Rational
  meta: Meta
}

/** The details of a play and everything they follow from. */
export type DrawnPlay<Meta> = Draw & PayTerms & { meta: Meta }

/** Everything that the service, the verifier, the API reference, the terminal and the page know about a game. */
export interface GameSpec<Params, Meta> {
  /** How to win, in a sentence or two. */
  rule: string
  /** The player's choices, in their stored order. */
  params: { [Name in keyof Params]: ParamField }
  /** Returns why valid params don't go together, or null if they do. */
  problem?(params: Params): { param: keyof Params; message: string } | null
  /** Params in their wire form; the terminal's default. */
  example: object
  /** The details of an outcome, in their order on the wire and in storage. */
  meta: { [Name in keyof Meta]: MetaField }
  play(params: Params, stream: RandomStream, terms: PayTerms): Outcome<Meta>
  /** Returns the highest multiplier that a choice can win. */
  best(params: Params, terms: PayTerms): Rational
  /** Returns the params of a play from the details of its outcome. */
  chosen(meta: Meta): Params
  /** Returns the exact expected payout of a choice, as a share of the stake. */
  returns(params: Params, terms: PayTerms): Rational
  /** Returns the exact returns of all choices, or of a representative few. */
  returnsTable(terms: PayTerms): ReturnsTable
  /** A game without pay tables pays by the edge. */
  tables?: {
    versions: readonly TableVersion<unknown>[]
    /** The fields of the public configuration that show them. */
    fields: Record<string, TableField>
    /** Returns the values of those fields, in hundredths. */
    shown(version: number): Record<string, unknown>
  }
  words: {
    /** The choice: "3 mines, tiles 0, 12". */
    choice(meta: Meta): string
    /** The result: "Mine under tile 12". */
    result(meta: Meta): string
    /** The draw, as the end of "the seeds give …". */
    draw(meta: Meta): string
  }
  /** Returns the steps from the random stream to the outcome. */
  proof(play: DrawnPlay<Meta>): Step[]
  /** Returns a picture of the outcome for the terminal. */
  sketch(meta: Meta): Line[]
}
