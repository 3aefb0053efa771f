import type { Edit } from '../simulation/world/bundle.ts'

/** A lie of a dishonest house, as edits to the service's sources. */
export interface Lie {
  name: string
  edits: Edit[]
  /** What the players and the monitor do meanwhile. */
  story:
    | 'table'
    | 'page'
    | 'late visitor'
    | 'two visitors'
    | 'patient visitor'
    | 'late round'
    | 'export'
    | 'lootbox'
    | 'lootbox day'
    | 'vault'
    | 'another count'
  /** Which public tool catches it. */
  caughtBy: 'monitor' | 'verify' | 'verify spin' | 'verify solvency' | 'audit'
  /** Texts of its finding. */
  finding: string[]
  /** What it leaves for others to check; null if only the player can tell. */
  proof: Proof | null
}

/**
 * - `entries`: entries of the log, each with the path to a signed checkpoint.
 * - `checkpoints`: two signed checkpoints of which at most one can be true.
 * - `receipts`: signed receipts that contradict each other, or a disclosure.
 * - `statement`: what the house says it owes and holds, as the log has it.
 * - `manifest`: the hashes of the exported files, whose own hash the log has.
 */
export type Proof = 'entries' | 'checkpoints' | 'receipts' | 'statement' | 'manifest'
