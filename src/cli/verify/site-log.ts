import { isoTime } from '../../core/utc-day.ts'
import { openCheckpoint, type Checkpoint } from '../../transparency/checkpoint.ts'
import { parseEntry, type LoggedEntry, type LogKind } from '../../transparency/entry.ts'
import { Frontier } from '../../transparency/frontier.ts'
import { EntryNames } from '../../transparency/id-set.ts'
import {
  inclusionPath,
  isIncluded,
  isSameHash,
  leafHash,
  treeHash,
  type Hash,
} from '../../transparency/merkle.ts'
import { parseVerifierKey, SIGNATURE_TYPE, type VerifierKey } from '../../transparency/note.ts'
import { predecessorOf, type Predecessor } from '../../transparency/predecessor.ts'
import { subtreeHash } from '../../transparency/tile-hashes.ts'
import { tilePath, TILE_WIDTH, type Tile } from '../../transparency/tiles.ts'
import { isAhead } from '../../verify/entry-times.ts'
import { LogReader, NoLog } from '../monitor/log-reader.ts'
import { otherLog } from '../monitor/other-log.ts'

/** A site may show a checkpoint that is this old. In milliseconds. */
const STALE_MS = 2_000

/** Waits until a site has to show a newer checkpoint than it may show now. */
export function untilFresh(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, STALE_MS))
}

/** The log contradicts its own signature, or has two entries of the same kind and id. */
export class LogBroken extends Error {
  override name = 'LogBroken'
}

/** Returns the notice of a site that says it has no log. A house could say so to a single player. */
export function noLog({ origin }: URL): string {
  return `${origin} says that it keeps no public log. Nothing was compared with what others see: each player can be told something else.`
}

/** The public log of a site, as one signed checkpoint has it. */
export class SiteLog {
  /** The key that signed the checkpoint. */
  readonly key: VerifierKey
  readonly #reader: LogReader
  readonly #checkpoint: Checkpoint
  /** The entries of the bundles that were read, by kind and id. */
  readonly #read = new Map<string, LoggedEntry>()
  /** The tiles of hashes that were read, by path: the proofs of a long search share most of theirs. */
  readonly #tiles = new Map<string, Promise<Hash[]>>()
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

  /** The number of its entries. */
  get size(): number {
    return this.#checkpoint.size
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
   * Returns an entry that is proven to be in the log; null if the log is proven to have none of this name. Of two
   * entries with this name it may return the later one, unless both are in the bundles read so far: only
   * {@link entries} reads all.
   * @param notBefore in unix milliseconds: bundles with only older entries are not read
   * @throws LogBroken if the log serves other entries than its checkpoint has, or two with one name were read
   */
  async find(kind: LogKind, id: string, notBefore = 0): Promise<LoggedEntry | null> {
    const name = `${kind} ${id}`
    while (!this.#read.has(name) && this.#unread > 0 && this.#readFrom >= notBefore) {
      await this.#readNext()
    }
    return this.#read.get(name) ?? null
  }

  /**
   * Returns when an entry that was found was logged, at the earliest, in unix milliseconds: its own time or, if it is
   * dated back, that of an entry before it in its bundle or the one before.
   * @throws LogBroken if the log serves other entries than its checkpoint has
   */
  async loggedAt({ index, entry }: LoggedEntry): Promise<number> {
    const bundle = Math.floor(index / TILE_WIDTH)
    while (this.#unread > Math.max(0, bundle - 1)) await this.#readNext()
    const before = [...this.#read.values()].filter((other) => other.index < index)
    return before.reduce((latest, other) => Math.max(latest, other.entry.at), entry.at)
  }

  /**
   * Returns the newest entry of a kind that is proven to be in the log; null if it is proven to have none.
   * @param notBefore in unix milliseconds: bundles with only older entries are not read
   * @throws LogBroken if the log serves other entries than its checkpoint has
   */
  async newest(kind: LogKind, notBefore = 0): Promise<LoggedEntry | null> {
    for (;;) {
      const newest = this.#ofKind(kind).at(-1)
      if (newest) return newest
      if (this.#unread === 0 || this.#readFrom < notBefore) return null
      await this.#readNext()
    }
  }

  /**
   * Returns the oldest entry of a kind that is proven to be in the log; null if it is proven to have none. Reads the
   * whole log.
   * @throws LogBroken if the log serves other entries than its checkpoint has
   */
  async oldest(kind: LogKind): Promise<LoggedEntry | null> {
    while (this.#unread > 0) await this.#readNext()
    return this.#ofKind(kind)[0] ?? null
  }

  /**
   * Returns entries of a kind that are proven to be in the log, in their order: those of the newest bundles, up to one
   * that fits; all if none does, for which it reads the whole log.
   * @throws LogBroken if the log serves other entries than its checkpoint has
   */
  async until(kind: LogKind, fits: (logged: LoggedEntry) => boolean): Promise<LoggedEntry[]> {
    while (this.#unread > 0 && !this.#ofKind(kind).some(fits)) await this.#readNext()
    return this.#ofKind(kind)
  }

  /** Returns the entries of a kind that were read, in their order. */
  #ofKind(kind: LogKind): LoggedEntry[] {
    const found = [...this.#read.values()].filter(({ entry }) => entry.kind === kind)
    return found.toSorted((one, other) => one.index - other.index)
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
   * @throws LogBroken if the log serves other entries than its checkpoint has
   */
  async first(): Promise<LoggedEntry | null> {
    const entries = this.#checkpoint.size === 0 ? [] : await this.#bundle(0)
    return entries[0] ?? null
  }

  /**
   * Reads all entries in order.
   * @throws LogBroken at a second entry of the same kind and id, or at the end if they are not the signed ones
   */
  async *entries(): AsyncGenerator<LoggedEntry> {
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

  /** Reads the newest bundle that was not read yet. */
  async #readNext(): Promise<void> {
    let newest = 0
    for (const logged of await this.#bundle(this.#unread - 1)) {
      const { kind, id, at } = logged.entry
      const name = `${kind} ${id}`
      const known = this.#read.get(name)
      if (known) {
        throw new LogBroken(
          `entries ${known.index} and ${logged.index} of the log are both ${name}`,
        )
      }
      this.#read.set(name, logged)
      newest = Math.max(newest, at)
    }
    this.#unread--
    this.#readFrom = newest
    this.newestAt = Math.max(newest, this.newestAt)
  }

  /**
   * Returns all entries of a bundle, proven to be in the log. An entry that is proven alone would not show what the
   * bundle lacks.
   */
  async #bundle(index: number): Promise<LoggedEntry[]> {
    const { size, root } = this.#checkpoint
    const [start, end] = [index * TILE_WIDTH, Math.min((index + 1) * TILE_WIDTH, size)]
    const entries: Uint8Array[] = []
    for await (const bytes of this.#reader.entries(start, end)) entries.push(bytes)
    // From its bundles up, the log's tree is a tree whose leaves are their roots.
    const bundles = { size: Math.ceil(size / TILE_WIDTH), root }
    const ranges = inclusionPath(index, bundles.size).map((range) => ({
      start: range.start * TILE_WIDTH,
      end: Math.min(range.end * TILE_WIDTH, size),
    }))
    const proof = await Promise.all(ranges.map((range) => subtreeHash(range, size, this.#hashes)))
    const leaf = treeHash(entries.map(leafHash))
    if (!isIncluded({ index, leaf }, bundles, proof)) {
      throw new LogBroken(`entries ${start} to ${end - 1} of the log are not the signed ones`)
    }
    return entries.map((bytes, place) => loggedOf(bytes, start + place))
  }

  readonly #hashes = (tile: Tile): Promise<Hash[]> => {
    const path = tilePath(tile)
    const hashes = this.#tiles.get(path) ?? this.#reader.hashes(tile)
    this.#tiles.set(path, hashes)
    return hashes
  }
}

function shownKey(text: string): VerifierKey {
  const key = parseVerifierKey(text.trim())
  if (key?.type === SIGNATURE_TYPE.log) return key
  throw new LogBroken('the site shows no valid key')
}

function loggedOf(bytes: Uint8Array, index: number): LoggedEntry {
  const entry = parseEntry(bytes)
  if (!entry) throw new LogBroken(`entry ${index} of the log has a wrong form`)
  return { index, entry }
}
