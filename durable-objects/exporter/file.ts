import { bytesToHex } from '@noble/hashes/utils'
import { invariant } from '../../src/core/invariant.ts'
import type { Part } from '../kernel/kernel.ts'
import { putOnce } from '../kernel/put-once.ts'
import { firstRow } from '../kernel/rows.ts'

const TABLE = `
  CREATE TABLE file_bytes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bytes BLOB NOT NULL
  ) STRICT;
`

/** The smallest part that R2 takes, except for the last; all others have one size. */
const PART_BYTES = 5 * 1024 * 1024

/** The most bytes of a row. The platform refuses a value above 2 MB, which local runtimes accept. */
export const ROW_BYTES = 1024 * 1024

const CONTENT_TYPE = { contentType: 'application/gzip' }

/**
 * A file written a few rows at a time. All its bytes stay here until {@link close}. An upload that fails, or that R2
 * forgets, begins again with the same bytes, and a file that the bucket has already is compared with them.
 */
export class FileWriter implements Part {
  readonly migration = { id: 'export-file', sql: TABLE }
  readonly #sql: SqlStorage
  readonly #bucket: R2Bucket

  constructor(sql: SqlStorage, bucket: R2Bucket) {
    this.#sql = sql
    this.#bucket = bucket
  }

  /** Adds bytes to the file, in the caller's transaction. */
  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += ROW_BYTES) {
      this.#sql.exec('INSERT INTO file_bytes (bytes) VALUES (?)', bytes.slice(at, at + ROW_BYTES))
    }
  }

  /**
   * Stores the file in the bucket and returns its sha256 in hex. Safe to repeat until {@link close}.
   * @throws if the bucket has another file of that name
   */
  async finish(key: string): Promise<string> {
    const isNew = await this.#store(key)
    const hash = await this.#hashOf(key)
    // An earlier try stored it before a crash.
    if (!isNew) invariant(hash === (await this.#ownHash()), `${key} never changes`)
    return hash
  }

  /** Forgets the file, in the caller's transaction. */
  close(): void {
    this.#sql.exec('DELETE FROM file_bytes')
  }

  /** Stores the file unless the bucket has one of that name. Returns false if it has. */
  async #store(key: string): Promise<boolean> {
    const options = { httpMetadata: CONTENT_TYPE }
    if (this.#size() <= PART_BYTES) {
      const [whole = new Uint8Array()] = this.#parts()
      return putOnce(this.#bucket, key, whole, options)
    }
    // Unlike a conditional put, an upload replaces an existing file.
    if (await this.#bucket.head(key)) return false
    await this.#send(await this.#bucket.createMultipartUpload(key, options))
    return true
  }

  /** Uploads the bytes that are here, and completes the file. R2 drops the parts of an upload that never completes. */
  async #send(upload: R2MultipartUpload): Promise<void> {
    const parts: R2UploadedPart[] = []
    for (const part of this.#parts()) parts.push(await upload.uploadPart(parts.length + 1, part))
    await upload.complete(parts)
  }

  /** Hashes the file in the bucket. */
  async #hashOf(key: string): Promise<string> {
    const file = await this.#bucket.get(key)
    invariant(file, 'a completed file is in the bucket')
    // The platform hashes it as it arrives. In JavaScript, a large file would take more time than an alarm has.
    const digest = new crypto.DigestStream('SHA-256')
    await file.body.pipeTo(digest)
    return bytesToHex(new Uint8Array(await digest.digest))
  }

  /** Hashes the rows stored here. */
  async #ownHash(): Promise<string> {
    const digest = new crypto.DigestStream('SHA-256')
    const writer = digest.getWriter()
    for (const row of this.#rows()) await writer.write(row)
    await writer.close()
    return bytesToHex(new Uint8Array(await digest.digest))
  }

  #size(): number {
    const query = 'SELECT coalesce(sum(length(bytes)), 0) AS size FROM file_bytes'
    return this.#sql.exec<{ size: number }>(query).one().size
  }

  /** The bytes that are here, in parts. */
  *#parts(): Generator<Uint8Array> {
    let part = new Uint8Array(PART_BYTES)
    let filled = 0
    for (const row of this.#rows()) {
      for (let at = 0; at < row.length;) {
        const taken = row.subarray(at, at + part.length - filled)
        part.set(taken, filled)
        at += taken.length
        filled += taken.length
        if (filled < part.length) break
        yield part
        part = new Uint8Array(PART_BYTES)
        filled = 0
      }
    }
    if (filled > 0) yield part.subarray(0, filled)
  }

  /** The rows in order, each read by its own query, because other calls run while one is sent. */
  *#rows(): Generator<Uint8Array> {
    const query = 'SELECT id, bytes FROM file_bytes WHERE id > ? ORDER BY id LIMIT 1'
    for (let after = 0; ;) {
      const row = firstRow(this.#sql.exec<{ id: number; bytes: ArrayBuffer }>(query, after))
      if (!row) return
      after = row.id
      yield new Uint8Array(row.bytes)
    }
  }
}
