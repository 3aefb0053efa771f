import { setTimeout as sleep } from 'node:timers/promises'
import { logGeneration } from '../../transparency/checkpoint.ts'
import type { Hash } from '../../transparency/merkle.ts'
import type { VerifierKey } from '../../transparency/note.ts'
import { hashesOf } from '../../transparency/tile-hashes.ts'
import {
  entriesOf,
  logPath,
  tilePath,
  tilesOf,
  TILE_WIDTH,
  type Tile,
} from '../../transparency/tiles.ts'
import { retryAfter } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'

const TIMEOUT_MS = 10_000
const LIMITED_TRIES = 20
/** More than any tile, and than any bundle of ours. */
const MAX_BYTES = 20_000_000
/** The tiles that are fetched at the same time. */
const ABREAST = 4

/** The log did not answer as it should. It may be down; by itself this proves nothing. */
export class LogUnavailable extends CommandError {
  override name = 'LogUnavailable'
}

/** The site says that it keeps no log. */
export class NoLog extends LogUnavailable {
  override name = 'NoLog'
}

/** Reads a log over HTTP. Verifies nothing. */
export class LogReader {
  readonly #site: URL
  readonly #generation: number

  /** @param site its origin @param generation of its log, for the tiles */
  constructor(site: URL, generation = 1) {
    this.#site = site
    this.#generation = generation
  }

  /** Returns a reader of the tiles of the log that a key belongs to. */
  of({ name }: Pick<VerifierKey, 'name'>): LogReader {
    return new LogReader(this.#site, logGeneration(this.#site.origin, name) ?? 1)
  }

  async text(path: 'checkpoint' | 'key'): Promise<string> {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        await this.#get(`log/${path}`),
      )
    } catch (fault) {
      if (fault instanceof CommandError) throw fault
      throw new LogUnavailable(`The log's ${path} is not text in UTF-8.`, { cause: fault })
    }
  }

  readonly hashes = async (tile: Tile): Promise<Hash[]> => {
    const hashes = hashesOf(await this.#get(this.#pathOf(tile)), tile.width)
    if (!hashes) throw new LogUnavailable(`${tilePath(tile)} does not have ${tile.width} hashes.`)
    return hashes
  }

  /** Reads the hashes of entries. */
  async leaves(from: number, size: number): Promise<Hash[]> {
    const leaves: Hash[] = []
    for await (const tile of this.#tiles(0, from, size, this.hashes)) leaves.push(...tile)
    return leaves
  }

  /** Reads entries in order. */
  async *entries(from: number, size: number): AsyncGenerator<Uint8Array> {
    const read = async (tile: Tile) => {
      const entries = entriesOf(await this.#get(this.#pathOf(tile)))
      if (entries?.length === tile.width) return entries
      throw new LogUnavailable(`${tilePath(tile)} does not have ${tile.width} entries.`)
    }
    for await (const entries of this.#tiles('entries', from, size, read)) yield* entries
  }

  /** Reads the tiles of a level, several at a time, without the hashes before `from`. */
  async *#tiles<T>(
    level: Tile['level'],
    from: number,
    size: number,
    read: (tile: Tile) => Promise<T[]>,
  ): AsyncGenerator<T[]> {
    const tiles = tilesOf(level, from, size)
    for (let at = 0; at < tiles.length; at += ABREAST) {
      const some = tiles.slice(at, at + ABREAST)
      const parts = await Promise.all(some.map(read))
      for (const [place, part] of parts.entries()) {
        yield part.slice(Math.max(0, from - (some[place]?.index ?? 0) * TILE_WIDTH))
      }
    }
  }

  #pathOf(tile: Tile): string {
    return logPath(this.#generation, tilePath(tile))
  }

  async #get(path: string): Promise<Uint8Array> {
    const url = new URL(`/${path}`, this.#site)
    for (let tries = 1; ; tries++) {
      const { response, bytes } = await this.#fetch(url)
      if (response.ok && bytes.length <= MAX_BYTES) return bytes
      if (!response.ok && isNotConfigured(bytes)) {
        throw new NoLog(`${url.origin} keeps no public log.`)
      }
      if (response.status !== 429 || tries === LIMITED_TRIES) {
        throw new LogUnavailable(`${url.href} answers with status ${response.status}.`)
      }
      await sleep(retryAfter(response) * 1_000)
    }
  }

  async #fetch(url: URL): Promise<{ response: Response; bytes: Uint8Array }> {
    let response: Response | null = null
    try {
      response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
    } catch (cause) {
      const problem = response
        ? 'did not send its whole answer. Try again later.'
        : 'does not answer. Is the service running?'
      throw new LogUnavailable(`${url.origin} ${problem}`, { cause })
    }
  }
}

/** Returns whether an error answer is `not_configured`. */
function isNotConfigured(bytes: Uint8Array): boolean {
  try {
    const answer = JSON.parse(new TextDecoder().decode(bytes)) as { error?: { code?: unknown } }
    return answer?.error?.code === 'not_configured'
  } catch {
    return false
  }
}
