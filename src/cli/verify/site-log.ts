import { openCheckpoint, type Checkpoint } from '../../transparency/checkpoint.ts'
import { parseEntry, type Logged, type LogKind } from '../../transparency/entry.ts'
import { Frontier } from '../../transparency/frontier.ts'
import { inclusionPath, isIncluded, isSameHash, leafHash } from '../../transparency/merkle.ts'
import { parseVerifierKey } from '../../transparency/note.ts'
import { subtreeHash } from '../../transparency/tile-hashes.ts'
import { TILE_WIDTH } from '../../transparency/tiles.ts'
import { LogReader, NoLog } from '../monitor/log-reader.ts'

/** The log contradicts its own signature. */
export class LogBroken extends Error {
  override name = 'LogBroken'
}

/** The public log of a site, as one signed checkpoint has it. */
export class SiteLog {
  /** The key that signed the checkpoint, as the site shows it. */
  readonly key: string
  readonly #reader: LogReader
  readonly #checkpoint: Checkpoint
  readonly #read = new Map<string, Logged & { bytes: Uint8Array }>()
  /** The number of bundles that were not read yet; the newest are read first. */
  #unread: number

  private constructor(reader: LogReader, key: string, checkpoint: Checkpoint) {
    this.key = key
    this.#reader = reader
    this.#checkpoint = checkpoint
    this.#unread = Math.ceil(checkpoint.size / TILE_WIDTH)
  }

  /**
   * Opens the log; null if the site keeps none.
   * @throws LogUnavailable if it does not answer, LogBroken if the site's key did not sign its checkpoint
   */
  static async open(site: URL): Promise<SiteLog | null> {
    const reader = new LogReader(site)
    try {
      const text = (await reader.text('key')).trim()
      const key = parseVerifierKey(text)
      const checkpoint = key && openCheckpoint(await reader.text('checkpoint'), key)
      if (checkpoint) return new SiteLog(reader, text, checkpoint)
    } catch (fault) {
      if (fault instanceof NoLog) return null
      throw fault
    }
    throw new LogBroken('the log’s checkpoint is not signed with the key that the site shows')
  }

  /** Returns an entry that is proven to be in the log; null if it has none of this name. */
  async find(kind: LogKind, id: string): Promise<Logged | null> {
    const name = `${kind} ${id}`
    while (!this.#read.has(name) && this.#unread > 0) await this.#readBundle(--this.#unread)
    const found = this.#read.get(name)
    if (!found) return null
    const { index, entry, bytes } = found
    const { size } = this.#checkpoint
    const { hashes } = this.#reader
    const path = inclusionPath(index, size)
    const proof = await Promise.all(path.map((range) => subtreeHash(range, size, hashes)))
    if (isIncluded({ index, leaf: leafHash(bytes) }, this.#checkpoint, proof))
      return { index, entry }
    throw new LogBroken(`entry ${index} of the log is not the signed one`)
  }

  /** Reads all entries in order. @throws LogBroken at the end, if they are not the signed ones */
  async *entries(): AsyncGenerator<Logged> {
    const { size, root } = this.#checkpoint
    const tree = new Frontier()
    for await (const bytes of this.#reader.entries(0, size)) {
      const logged = loggedOf(bytes, tree.size)
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
    for await (const bytes of this.#reader.entries(from, to)) {
      const logged = loggedOf(bytes, index++)
      const { kind, id } = logged.entry
      this.#read.set(`${kind} ${id}`, { ...logged, bytes })
    }
  }
}

function loggedOf(bytes: Uint8Array, index: number): Logged {
  const entry = parseEntry(bytes)
  if (!entry) throw new LogBroken(`entry ${index} of the log has a wrong form`)
  return { index, entry }
}
