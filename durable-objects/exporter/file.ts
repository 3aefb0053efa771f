import { bytesToHex } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import type { Part } from '../kernel/kernel.ts'
import { putOnce } from '../kernel/put-once.ts'

/** The file being written: the bytes that are not in the bucket yet, and the parts that are. */
const TABLES = `
  CREATE TABLE file_bytes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE file_parts (
    part_number INTEGER PRIMARY KEY,
    etag TEXT NOT NULL
  ) STRICT;
  CREATE TABLE file_upload (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    upload_id TEXT NOT NULL
  ) STRICT;
`

/** The smallest part that R2 takes, except for the last; all others have one size. */
export const PART_BYTES = 5 * 1024 * 1024

/** The most bytes of a row. The platform refuses a value above 2 MB, which local runtimes accept. */
export const ROW_BYTES = 1024 * 1024

const CONTENT_TYPE = { contentType: 'application/gzip' }

/**
 * A file written a few rows at a time. What has been appended is stored here until it fills a part, so every
 * step can be repeated after a crash with the same result: a part, and at last the file, has the same bytes.
 */
export class FileWriter implements Part {
  readonly migration = { id: 'export-file', sql: TABLES }
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage
  readonly #bucket: R2Bucket
  readonly #transact: (work: () => void) => void
  readonly #partBytes: number

  constructor(
    storage: DurableObjectStorage,
    bucket: R2Bucket,
    transact: (work: () => void) => void,
    partBytes = PART_BYTES,
  ) {
    this.#storage = storage
    this.#sql = storage.sql
    this.#bucket = bucket
    this.#transact = transact
    this.#partBytes = partBytes
  }

  /** Adds bytes to the file, in the caller's transaction. */
  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += ROW_BYTES) {
      this.#sql.exec('INSERT INTO file_bytes (bytes) VALUES (?)', bytes.slice(at, at + ROW_BYTES))
    }
  }

  /** Uploads the parts that are full. */
  async uploadParts(key: string): Promise<void> {
    while (this.#waitingBytes() >= this.#partBytes) await this.#uploadPart(key)
  }

  /** Completes the file in the bucket and returns its sha256 in hex. Safe to repeat until {@link close}. */
  async finish(key: string): Promise<string> {
    await this.uploadParts(key)
    const uploadId = this.#uploadId()
    const { bytes: rest } = this.#next()
    if (uploadId !== null) {
      await this.#complete(key, uploadId, rest)
      return this.#hashOf(key)
    }
    const isNew = await putOnce(this.#bucket, key, rest, { httpMetadata: CONTENT_TYPE })
    const hash = await this.#hashOf(key)
    if (!isNew) {
      // An earlier try stored it before a crash.
      const own = new Uint8Array(await crypto.subtle.digest('SHA-256', rest))
      invariant(hash === bytesToHex(own), `${key} never changes`)
    }
    return hash
  }

  /** Forgets the file, in the caller's transaction. */
  close(): void {
    for (const table of ['file_bytes', 'file_parts', 'file_upload']) {
      this.#sql.exec(`DELETE FROM ${table}`)
    }
  }

  async #uploadPart(key: string): Promise<void> {
    const { bytes: part, lastId, rest } = this.#next()
    const uploadId = this.#uploadId() ?? (await this.#begin(key))
    const partNumber = this.#parts().length + 1
    const { etag } = await this.#bucket
      .resumeMultipartUpload(key, uploadId)
      .uploadPart(partNumber, part)
    this.#transact(() => {
      this.#sql.exec('DELETE FROM file_bytes WHERE id < ?', lastId)
      this.#sql.exec('UPDATE file_bytes SET bytes = ? WHERE id = ?', rest, lastId)
      this.#sql.exec('INSERT INTO file_parts (part_number, etag) VALUES (?, ?)', partNumber, etag)
    })
  }

  async #begin(key: string): Promise<string> {
    const { uploadId } = await this.#bucket.createMultipartUpload(key, {
      httpMetadata: CONTENT_TYPE,
    })
    this.#sql.exec('INSERT INTO file_upload (id, upload_id) VALUES (1, ?)', uploadId)
    await this.#storage.sync()
    return uploadId
  }

  /** An upload that was completed just before a crash is gone, and its file is there. */
  async #complete(key: string, uploadId: string, rest: Uint8Array): Promise<void> {
    const parts = this.#parts()
    const size = parts.length * this.#partBytes + rest.length
    const there = await this.#bucket.head(key)
    if (there?.size === size) return
    const upload = this.#bucket.resumeMultipartUpload(key, uploadId)
    const last = rest.length === 0 ? [] : [await upload.uploadPart(parts.length + 1, rest)]
    await upload.complete([...parts, ...last])
  }

  async #hashOf(key: string): Promise<string> {
    const file = await this.#bucket.get(key)
    invariant(file, 'a completed file is in the bucket')
    // The platform hashes it as it arrives. In JavaScript, a large file would take more time than an alarm has.
    const digest = new crypto.DigestStream('SHA-256')
    await file.body.pipeTo(digest)
    return bytesToHex(new Uint8Array(await digest.digest))
  }

  #waitingBytes(): number {
    const query = 'SELECT coalesce(sum(length(bytes)), 0) AS size FROM file_bytes'
    return this.#sql.exec<{ size: number }>(query).one().size
  }

  /** Returns the next part, full or not: its bytes, the row that it ends in, and the rest of that row. */
  #next(): { bytes: Uint8Array; lastId: number; rest: Uint8Array } {
    const part = new Uint8Array(Math.min(this.#partBytes, this.#waitingBytes()))
    let at = 0
    const rows = this.#sql.exec<{ id: number; bytes: ArrayBuffer }>(
      'SELECT id, bytes FROM file_bytes ORDER BY id',
    )
    for (const { id, bytes } of rows) {
      const row = new Uint8Array(bytes)
      const taken = row.subarray(0, part.length - at)
      part.set(taken, at)
      at += taken.length
      if (at === part.length) return { bytes: part, lastId: id, rest: row.slice(taken.length) }
    }
    return { bytes: part, lastId: 0, rest: new Uint8Array() }
  }

  #uploadId(): string | null {
    const [row] = this.#sql
      .exec<{ upload_id: string }>('SELECT upload_id FROM file_upload')
      .toArray()
    return row?.upload_id ?? null
  }

  #parts(): R2UploadedPart[] {
    return this.#sql
      .exec<{ part_number: number; etag: string }>(
        'SELECT part_number, etag FROM file_parts ORDER BY part_number',
      )
      .toArray()
      .map(({ part_number: partNumber, etag }) => ({ partNumber, etag }))
  }
}
