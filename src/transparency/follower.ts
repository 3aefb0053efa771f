import { bytesToHex } from '@noble/hashes/utils'
import { fromBase64, toBase64 } from '../core/base64.ts'
import { invariant } from '../core/invariant.ts'
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts'
import { parseEntry, type LoggedEntry } from './entry.ts'
import { Frontier } from './frontier.ts'
import { EntryNames, type StoredIds } from './id-set.ts'
import { EMPTY_ROOT, isSameHash, leafHash, type Hash } from './merkle.ts'
import { parseNote } from './note.ts'

/** A promise that the house has broken, and the proof for others. */
export interface Breach {
  /** The claim that should hold. */
  claim: string
  /** The finding instead. */
  finding: string
  /** Signed checkpoints, entries with their places in the log, answers. */
  evidence: object
}

/** The state that a {@link Follower} has to keep between two runs, as JSON. */
export interface FollowerState {
  /** The latest signed checkpoint; null before the first. */
  checkpoint: string | null
  /** The right edge of its tree, in base64. */
  levels: string[][]
  ids: Record<string, StoredIds>
}

/** Follows a log. Checks that it only ever grows, by entries in the right form, and never repeats a kind and id. */
export class Follower {
  #checkpoint: string | null = null
  #tree = new Frontier()
  readonly #names: EntryNames
  /** The hashes of the entries that the latest checkpoint added and that were not taken yet. */
  #waiting: Hash[] = []
  #taken = 0

  /** @throws if the state is damaged */
  constructor(state?: FollowerState) {
    this.#names = new EntryNames(state?.ids)
    if (!state) return
    const levels = state.levels.map((hashes) =>
      hashes.map((text) => fromBase64(text) ?? EMPTY_ROOT),
    )
    this.#tree = new Frontier(levels)
    this.#taken = this.#tree.size
    this.#checkpoint = state.checkpoint
    const known = this.checkpoint
    const isWhole =
      !known || (known.size === this.size && isSameHash(known.root, this.#tree.root()))
    invariant(isWhole, 'the kept tree is the one of the kept checkpoint')
  }

  /** The number of entries of the latest checkpoint. */
  get size(): number {
    return this.#tree.size
  }

  /** The number of entries that were taken. The others of the latest checkpoint come first. */
  get taken(): number {
    return this.#taken
  }

  /** The latest checkpoint; null before the first. */
  get checkpoint(): Checkpoint | null {
    const note = this.#checkpoint === null ? null : parseNote(this.#checkpoint)
    return note && parseCheckpoint(note.body)
  }

  /** The latest checkpoint as it was signed; null before the first. */
  get signed(): string | null {
    return this.#checkpoint
  }

  /**
   * Accepts a checkpoint that is not smaller than the latest.
   * @param text a signed checkpoint, verified
   * @param leaves the hashes of the entries that it adds
   */
  extend(text: string, { size, root }: Checkpoint, leaves: readonly Hash[]): Breach | null {
    invariant(this.#waiting.length === 0, 'the entries of a checkpoint are taken before the next')
    invariant(size === this.size + leaves.length, 'each added entry has a hash')
    const tree = new Frontier(this.#tree.levels)
    for (const leaf of leaves) tree.append(leaf)
    if (!isSameHash(tree.root(), root)) return this.forked(text)
    this.#tree = tree
    this.#waiting = [...leaves]
    this.#checkpoint = text
    return null
  }

  /** The breach of a signed checkpoint that contradicts the latest one. */
  forked(text: string): Breach {
    return {
      claim: 'the log only ever grows, and shows everybody the same entries',
      finding:
        this.#checkpoint === null
          ? 'the entries that the log serves are not those that it signed'
          : 'a signed checkpoint does not begin with the entries of an earlier one',
      evidence: { earlier: this.#checkpoint, later: text },
    }
  }

  /** Takes the next entry of the latest checkpoint. */
  take(bytes: Uint8Array): { logged: LoggedEntry } | { breach: Breach } {
    const [leaf] = this.#waiting
    invariant(leaf, 'the latest checkpoint has another entry')
    const index = this.#taken
    const place = { checkpoint: this.#checkpoint, index, bytes: toBase64(bytes) }
    if (!isSameHash(leafHash(bytes), leaf)) {
      const evidence = { ...place, expected: bytesToHex(leaf) }
      return broken('each entry is the one that was signed', `entry ${index} is another`, evidence)
    }
    const entry = parseEntry(bytes)
    if (!entry) {
      const finding = `entry ${index} is not canonical JSON with a known kind, an id and a time`
      return broken('each entry has the published form', finding, place)
    }
    this.#waiting.shift()
    this.#taken++
    if (this.#names.add(entry)) return { logged: { index, entry } }
    const finding = `entry ${index} is a second ${entry.kind} ${entry.id}`
    return broken('no two entries have the same kind and id', finding, place)
  }

  /** Returns the state to keep. Call it once all entries of the latest checkpoint are taken. */
  state(): FollowerState {
    invariant(this.#waiting.length === 0, 'all entries are taken')
    return {
      checkpoint: this.#checkpoint,
      levels: this.#tree.levels.map((hashes) => hashes.map(toBase64)),
      ids: this.#names.stored(),
    }
  }
}

function broken(claim: string, finding: string, evidence: object): { breach: Breach } {
  return { breach: { claim, finding, evidence } }
}
