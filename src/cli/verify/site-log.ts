import { isoTime } from '../../core/utc-day.ts'
import { openCheckpoint, type Checkpoint } from '../../transparency/checkpoint.ts'
import { parseEntry, type Logged, type LogKind } from '../../transparency/entry.ts'
import { Frontier } from '../../transparency/frontier.ts'
import { EntryNames } from '../../transparency/id-set.ts'
import { inclusionPath, isIncluded, isSameHash, leafHash } from '../../transparency/merkle.ts'
import { parseVerifierKey, SIGNATURE_TYPE, type VerifierKey } from '../../transparency/note.ts'
import { predecessorOf, type Predecessor } from '../../transparency/predecessor.ts'
import { subtreeHash } from '../../transparency/tile-hashes.ts'
import { TILE_WIDTH } from '../../transparency/tiles.ts'
import { isAhead } from '../../verify/entry-times.ts'
import { LogReader, NoLog } from '../monitor/log-reader.ts'
import { otherLog } from '../monitor/other-log.ts'

/** The log contradicts its own signature, or has two entries of the same kind and id. */
export class LogBroken extends Error {
  override name = 'LogBroken'
}

/** Returns what to tell of a site that says it has no log. A house could say so to a single player. */
export function noLog({ origin }: URL): string {
  return `${origin} says that it keeps no public log. Nothing was compared with what others see: each player can be told something else.`
}

interface ReadEntry extends Logged {
  bytes: Uint8Array
}

/** The public log of a site, as one signed checkpoint has it. */
export class SiteLog {
  /** The key that signed the checkpoint. */
  readonly key: VerifierKey
  readonly #reader: LogReader
  readonly #checkpoint: Checkpoint
  readonly #read = new Map<string, ReadEntry>()
  /** The number of bundles that were not read yet; the newest are read first. */
  #unread: number
  /** The time of the newest entry in the last bundle that was read, in unix milliseconds. */
  #readFrom = Infinity
  /** The time of the newest entry that was read, in unix milliseconds; 0 before any was. */
  newestAt = 0

  private constructor(reader: LogReader, key: VerifierKey, checkpoint: Checkpoint) {
    this.key = key
    this.#reader = reader
    this.#checkpoint = checkpoint
    this.#unread = Math.ceil(checkpoint.size / TILE_WIDTH)
  }

  /**
   * Opens the log; null if the site keeps none.
   * @param pinned its key, from elsewhere; null for the one that the site shows
   * @throws LogUnavailable if it does not answer, LogBroken if its checkpoint is not signed with the key, or a
   *   key is pinned and the site keeps no log
   */
  static async open(site: URL, pinned: VerifierKey | null): Promise<SiteLog | null> {
    const reader = new LogReader(site)
    let text: string
    try {
      const key = pinned ?? shownKey(await reader.text('key'))
      text = await reader.text('checkpoint')
      const checkpoint = openCheckpoint(text, key)
      if (checkpoint) return new SiteLog(reader.of(key), key, checkpoint)
    } catch (fault) {
      if (!(fault instanceof NoLog)) throw fault
      if (!pinned) return null
      throw new LogBroken(`${site.origin} keeps no public log, but you gave the key of one`)
    }
    const whose = pinned ? 'the key that you gave' : 'the key that the site shows'
    const other = pinned && (await otherLog(reader, text, pinned))
    const shown = other
      ? `: the site now shows the log ${other.key.name}, which is another one`
      : ''
    throw new LogBroken(`its checkpoint is not signed with ${whose}${shown}`)
  }

  /**
   * Returns an entry that is proven to be in the log; null if it has none of this name. Of two entries with this
   * name it may return the later one, unless both are in the bundles read so far: only {@link entries} reads all.
   * @param notBefore in unix milliseconds: bundles with only older entries are not read
   * @throws LogBroken if the log serves another entry than its checkpoint has, or two with one name were read
   */
  async find(kind: LogKind, id: string, notBefore = 0): Promise<Logged | null> {
    const name = `${kind} ${id}`
    while (!this.#read.has(name) && this.#unread > 0 && this.#readFrom >= notBefore) {
      await this.#readBundle(--this.#unread)
    }
    const found = this.#read.get(name)
    return found ? this.#proven(found) : null
  }

  /**
   * Returns the newest entry of a kind that is proven to be in the log; null if it has none.
   * @param notBefore in unix milliseconds: bundles with only older entries are not read
   * @throws LogBroken if the log serves another entry than its checkpoint has
   */
  async newest(kind: LogKind, notBefore = 0): Promise<Logged | null> {
    for (;;) {
      const newest = this.#ofKind(kind).at(-1)
      if (newest) return this.#proven(newest)
      if (this.#unread === 0 || this.#readFrom < notBefore) return null
      await this.#readBundle(--this.#unread)
    }
  }

  /**
   * Returns the oldest entry of a kind that is proven to be in the log; null if it has none. Reads the whole log.
   * @throws LogBroken if the log serves another entry than its checkpoint has
   */
  async oldest(kind: LogKind): Promise<Logged | null> {
    while (this.#unread > 0) await this.#readBundle(--this.#unread)
    const [oldest] = this.#ofKind(kind)
    return oldest ? this.#proven(oldest) : null
  }

  /** Returns the entries of a kind that were read, in their order. */
  #ofKind(kind: LogKind): ReadEntry[] {
    const found = [...this.#read.values()].filter(({ entry }) => entry.kind === kind)
    return found.toSorted((one, other) => one.index - other.index)
  }

  async #proven({ index, entry, bytes }: ReadEntry): Promise<Logged> {
    await this.#expectIncluded(index, bytes)
    return { index, entry }
  }

  /**
   * Returns the log that this one succeeds; null if it is the site's first.
   * @param now in unix milliseconds, by this machine's clock
   * @throws LogBroken if the log serves another first entry than its checkpoint has, or says that it begins later:
   *   it could excuse everything that it lacks
   */
  async predecessor(now: number): Promise<Predecessor | null> {
    const first = await this.first()
    const predecessor = first && predecessorOf(first.entry)
    if (!predecessor || !isAhead(predecessor.at, now)) return predecessor
    throw new LogBroken(
      `it says that it began at ${isoTime(predecessor.at)}, which is later than your clock`,
    )
  }

  /**
   * Returns the first entry, proven to be in the log; null if it has none.
   * @throws LogBroken if the log serves another one than its checkpoint has
   */
  async first(): Promise<Logged | null> {
    for await (const bytes of this.#reader.entries(0, Math.min(1, this.#checkpoint.size))) {
      await this.#expectIncluded(0, bytes)
      return loggedOf(bytes, 0)
    }
    return null
  }

  async #expectIncluded(index: number, bytes: Uint8Array): Promise<void> {
    const { size } = this.#checkpoint
    const { hashes } = this.#reader
    const path = inclusionPath(index, size)
    const proof = await Promise.all(path.map((range) => subtreeHash(range, size, hashes)))
    if (isIncluded({ index, leaf: leafHash(bytes) }, this.#checkpoint, proof)) return
    throw new LogBroken(`entry ${index} of the log is not the signed one`)
  }

  /**
   * Reads all entries in order.
   * @throws LogBroken at a second entry of the same kind and id, or at the end if they are not the signed ones
   */
  async *entries(): AsyncGenerator<Logged> {
    const { size, root } = this.#checkpoint
    const tree = new Frontier()
    const names = new EntryNames()
    for await (const bytes of this.#reader.entries(0, size)) {
      const logged = loggedOf(bytes, tree.size)
      const { kind, id } = logged.entry
      if (!names.add(logged.entry)) {
        throw new LogBroken(`entry ${logged.index} of the log is a second ${kind} ${id}`)
      }
      tree.append(leafHash(bytes))
      yield logged
    }
    if (!isSameHash(tree.root(), root)) {
      throw new LogBroken('the entries of the log are not the signed ones')
    }
  }

  async #readBundle(bundle: number): Promise<void> {
    const from = bundle * TILE_WIDTH
    const to = Math.min(from + TILE_WIDTH, this.#checkpoint.size)
    let index = from
    let newest = 0
    for await (const bytes of this.#reader.entries(from, to)) {
      const logged = loggedOf(bytes, index++)
      const { kind, id, at } = logged.entry
      const name = `${kind} ${id}`
      const known = this.#read.get(name)
      if (known) {
        throw new LogBroken(
          `entries ${known.index} and ${logged.index} of the log are both ${name}`,
        )
      }
      this.#read.set(name, { ...logged, bytes })
      newest = Math.max(newest, at)
    }
    this.#readFrom = newest
    this.newestAt = Math.max(newest, this.newestAt)
  }
}

function shownKey(text: string): VerifierKey {
  const key = parseVerifierKey(text.trim())
  if (key?.type === SIGNATURE_TYPE.log) return key
  throw new LogBroken('the site shows no valid key')
}

function loggedOf(bytes: Uint8Array, index: number): Logged {
  const entry = parseEntry(bytes)
  if (!entry) throw new LogBroken(`entry ${index} of the log has a wrong form`)
  return { index, entry }
}
