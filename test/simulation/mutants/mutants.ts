import type { Edit } from '../world/bundle.ts'
import type { Random } from '../world/random.ts'
import { ANSWER_MUTANTS, PAYOUT_MUTANTS } from './answers.ts'
import { BOX_MUTANTS } from './boxes.ts'
import { CONTRACT_MUTANTS } from './contracts.ts'
import { COST_MUTANTS } from './costs.ts'
import { CRASH_MUTANTS } from './crash.ts'
import { LEAK_MUTANTS } from './leaks.ts'
import { ARCHIVE_MUTANTS, LEDGER_MUTANTS, PLAY_MUTANTS } from './ledgers.ts'
import { LIMIT_MUTANTS } from './limits.ts'
import { LOOTBOX_MUTANTS } from './lootbox.ts'
import { OPERATOR_MUTANTS } from './operators.ts'
import { PARTNER_MUTANTS } from './partners.ts'
import { STREAM_MUTANTS } from './stream.ts'
import { VAULT_MUTANTS } from './vault.ts'

/** A deliberate break of one rule, which the simulation must find. */
export interface Mutant {
  name: string
  edits: Edit[]
  /** It must be found within this many histories. */
  within: number
  /** The theme of the histories that can find it. Others count, and are not played. */
  theme?: string
  /** Returns whether the history of a seed can find it. Others count, and are not played. */
  needs?: (random: Random) => boolean
  /** Whether only the comparison of twins can find it. */
  isOfTwins?: boolean
}

export const MUTANTS: readonly Mutant[] = [
  ...CRASH_MUTANTS,
  ...LEAK_MUTANTS,
  ...LEDGER_MUTANTS,
  ...PLAY_MUTANTS,
  ...ARCHIVE_MUTANTS,
  ...PARTNER_MUTANTS,
  ...VAULT_MUTANTS,
  ...CONTRACT_MUTANTS,
  ...LOOTBOX_MUTANTS,
  ...BOX_MUTANTS,
  ...LIMIT_MUTANTS,
  ...OPERATOR_MUTANTS,
  ...STREAM_MUTANTS,
  ...COST_MUTANTS,
  ...PAYOUT_MUTANTS,
  ...ANSWER_MUTANTS,
]
