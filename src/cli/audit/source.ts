import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { isDay, manifestName, publicPath, type ExportedDay } from '../../exports/manifest.ts'
import { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'
import { readAs } from '../verify/read.ts'

/** Where an export is read from. */
export interface ExportSource {
  name: string
  /** Returns all days, oldest first. A folder does not say which hashes they should have. */
  days(): Promise<(Pick<ExportedDay, 'day'> & { sha256: string | null })[]>
  /** Opens a file by its name in the export. @throws CommandError if it is not there */
  open(name: string): Promise<Readable>
}

/** Returns the export of a service or in a folder. */
export function exportSource(source: string): ExportSource {
  return /^https?:\/\//.test(source) ? fromService(source) : fromFolder(source)
}

const Days = z.object({ days: z.array(z.object({ day: z.string(), sha256: z.string() })) })

function fromService(url: string): ExportSource {
  const client = new Client(url)
  return {
    name: url,
    async days() {
      const days: { day: string; sha256: string }[] = []
      for (;;) {
        const before = days.at(-1)?.day
        const query = before === undefined ? {} : { before }
        const answer = await client.get('/api/history/exports', query)
        const page = readAs(Days, answer, `${url} does not list its exports`)
        // A service that repeats its newest days must not be asked forever.
        const earlier = page.days.filter(
          ({ day }) => isDay(day) && (before === undefined || day < before),
        )
        if (earlier.length === 0) return days.toReversed()
        days.push(...earlier)
      }
    },
    async open(name) {
      const file = await client.file(publicPath(name))
      if (!file) throw new CommandError(`${url} has no ${publicPath(name)}.`)
      return file
    },
  }
}

/** A folder with the layout of the export: `manifest/2026-11-22.json`, `plays/2026-11-22.jsonl.gz`, … */
function fromFolder(folder: string): ExportSource {
  return {
    name: folder,
    async days() {
      const names = await readdir(join(folder, 'manifest')).catch(() => {
        throw new CommandError(
          `${folder} has no folder "manifest". Name the folder of an export, with manifest/, rounds/ and the others.`,
        )
      })
      const days = names.map((name) => name.replace(/\.json$/, '')).filter(isDay)
      return days.toSorted().map((day) => ({ day, sha256: null }))
    },
    async open(name) {
      const path = join(folder, name)
      await access(path).catch(() => {
        throw new CommandError(`${path} can't be read.`)
      })
      return createReadStream(path)
    },
  }
}

/** A manifest's text and hash. */
export async function readManifest(
  source: ExportSource,
  day: string,
): Promise<{ text: string; sha256: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of await source.open(manifestName(day))) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return { text: bytes.toString(), sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** The longest line of an export. A row takes less than a tenth of it. */
const MAX_CHARS = 100_000

/** A compressed file of lines, and afterwards its hash. */
export class LineFile {
  readonly #source: ExportSource
  readonly #name: string
  readonly #hash: Hash = createHash('sha256')

  constructor(source: ExportSource, name: string) {
    this.#source = source
    this.#name = name
  }

  /** Reads the lines, one by one. @throws CommandError if the file is not compressed text */
  async *lines(): AsyncGenerator<string> {
    const file = await this.#source.open(this.#name)
    const unpacked = createGunzip()
    file.on('data', (chunk: Buffer) => this.#hash.update(chunk))
    file.on('error', (fault) => unpacked.destroy(fault))
    file.pipe(unpacked)
    let rest = ''
    try {
      for await (const text of unpacked.setEncoding('utf8')) {
        const lines = `${rest}${text as string}`.split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > MAX_CHARS) throw new Error('a line is too long')
        yield* lines
      }
    } catch (cause) {
      if (cause instanceof CommandError) throw cause
      throw new CommandError(`${this.#name} can't be unpacked: ${String(cause)}`)
    }
    if (rest !== '') yield rest
  }

  /** Returns the sha256 of the file in hex, once all lines have been read. */
  sha256(): string {
    return this.#hash.digest('hex')
  }
}

/** Splits lines into chunks of a size, of which the last may be smaller. */
export async function* chunksOf(
  lines: AsyncIterable<string>,
  size: number,
): AsyncGenerator<string[]> {
  let chunk: string[] = []
  for await (const line of lines) {
    if (chunk.push(line) < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
