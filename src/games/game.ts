import type { Step } from '../fairness/check.ts'
import type { Rational } from '../money/rational.ts'
import type { MetaField, ParamField, TableField } from './fields.ts'
import type { ReturnsTable } from './returns.ts'
import type { Line } from './sketch.ts'
import type { Draw, RandomStream } from './stream.ts'
import type { TableVersion } from './tables.ts'

/** What a play is paid by: fixed when it is made, disclosed with it. */
export interface PayTerms {
  /** The edge of the games without pay tables. */
  edgeBps: number
  /** The version of the pay tables: what the other games pay, their edge included. */
  tables: number
}

/** What a play came to: the multiplier that is paid (zero when lost) and what there is to see. */
export interface Outcome<Meta> {
  multiplier: Rational
  meta: Meta
}

/** A play whose draw is known. */
export type DrawnPlay<Meta> = Draw & PayTerms & { meta: Meta }

/** Everything that service, verifier, reference, terminal and page know of a game. */
export interface GameSpec<Params, Meta> {
  /** How it is won, in a sentence. */
  rule: string
  /** What a player chooses, in the order in which a play stores it. */
  params: { [Name in keyof Params]: ParamField }
  /** Returns what is wrong with params that are each right alone; null for params that can be played. */
  problem?(params: Params): { param: keyof Params; message: string } | null
  /** Params as a request has them: what the terminal plays by default. */
  example: object
  /** What a play came to, in the order in which it is stored and shown. */
  meta: { [Name in keyof Meta]: MetaField }
  play(params: Params, stream: RandomStream, terms: PayTerms): Outcome<Meta>
  /** The most that a choice can pay, as a multiple of the stake. */
  best(params: Params, terms: PayTerms): Rational
  /** What was chosen, as the outcome shows it. */
  chosen(meta: Meta): Params
  /** The exact return of a choice: each outcome's probability times what it pays, summed. */
  returns(params: Params, terms: PayTerms): Rational
  /** The exact returns of all choices, or of a few that stand for all. */
  returnsTable(terms: PayTerms): ReturnsTable
  /** The pay tables; a game without them pays by the edge. */
  tables?: {
    versions: readonly TableVersion<unknown>[]
    /** What the configuration shows of them. */
    fields: Record<string, TableField>
    /** Returns the values of these fields, in hundredths. */
    shown(version: number): Record<string, unknown>
  }
  words: {
    /** What was chosen, in a few words: "3 mines, tiles 0, 12". */
    choice(meta: Meta): string
    /** How it went, in a few words: "Mine under tile 12". */
    result(meta: Meta): string
    /** What was drawn, as the end of "the seeds give …". */
    draw(meta: Meta): string
  }
  /** How the outcome follows from the random stream, step by step. */
  proof(play: DrawnPlay<Meta>): Step[]
  /** A picture of the outcome for the terminal. */
  sketch(meta: Meta): Line[]
}
