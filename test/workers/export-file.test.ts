import { createHash } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FileWriter, PART_BYTES, ROW_BYTES } from '../../durable-objects/exporter/file.ts'
import { migrate } from '../../durable-objects/kernel/migrations.ts'
import { transact } from '../../durable-objects/kernel/transact.ts'
import { inBlankObject } from './kernel/support.ts'

const KEY = 'export/v1/plays/2040-01-01.jsonl.gz'

beforeEach(() => env.EXPORTS.delete(KEY))

/** Bytes that differ from place to place. */
function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff)
}

/** Runs work with writers of one file. Each is as after a restart. */
function inFile(work: (writer: () => FileWriter, sql: SqlStorage) => Promise<void>): Promise<void> {
  return inBlankObject(async ({ storage }) => {
    const writer = () =>
      new FileWriter(storage, env.EXPORTS, (write) => transact<void>(storage, write))
    migrate(storage, [writer().migration])
    await work(writer, storage.sql)
  })
}

async function storedHash(): Promise<string> {
  const file = await env.EXPORTS.get(KEY)
  return createHash('sha256')
    .update(new Uint8Array(await file!.arrayBuffer()))
    .digest('hex')
}

describe('a file of an export', () => {
  it('has the bytes that were appended, and reports their hash', async () => {
    await inFile(async (writer) => {
      writer().append(bytesOf(1_000))
      writer().append(bytesOf(500))
      const hash = await writer().finish(KEY)
      const all = Buffer.concat([bytesOf(1_000), bytesOf(500)])
      expect(hash).toBe(createHash('sha256').update(all).digest('hex'))
      expect(await storedHash()).toBe(hash)
    })
  })

  it('is hashed by the platform, because a large one would take an alarm too long', async () => {
    const hashed = vi.spyOn(crypto, 'DigestStream')
    await inFile(async (writer) => {
      writer().append(bytesOf(1_000))
      expect(await writer().finish(KEY)).toBe(await storedHash())
    })
    expect(hashed).toHaveBeenCalledOnce()
    hashed.mockRestore()
  })

  it('goes to R2 in parts, and has the same bytes whatever is repeated after a crash', async () => {
    await inFile(async (writer) => {
      const pages = Array.from({ length: 12 }, (_, index) => bytesOf(1_000_000 + index))
      const all = createHash('sha256').update(Buffer.concat(pages)).digest('hex')
      for (const page of pages) {
        writer().append(page)
        await writer().uploadParts(KEY)
        await writer().uploadParts(KEY)
      }
      expect(pages.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(2 * PART_BYTES)
      expect(await writer().finish(KEY)).toBe(all)
      // The answer to the first may have been lost.
      expect(await writer().finish(KEY)).toBe(all)
      expect(await storedHash()).toBe(all)
      writer().close()
      writer().append(bytesOf(10))
      await env.EXPORTS.delete(KEY)
      expect(await writer().finish(KEY)).not.toBe(all)
    })
  })

  it('waits for R2 in rows that the platform stores, and then has the same bytes', async () => {
    await inFile(async (writer, sql) => {
      const largestRow = () =>
        sql.exec<{ size: number }>('SELECT max(length(bytes)) AS size FROM file_bytes').one().size
      const pages = Array.from({ length: 3 }, (_, index) => bytesOf(2_500_000 + index))
      const down = vi
        .spyOn(env.EXPORTS, 'createMultipartUpload')
        .mockRejectedValue(new Error('R2 is down'))
      for (const page of pages) {
        writer().append(page)
        await writer()
          .uploadParts(KEY)
          .catch(() => {})
        expect(largestRow()).toBeLessThanOrEqual(ROW_BYTES)
      }
      down.mockRestore()
      await writer().uploadParts(KEY)
      expect(largestRow()).toBeLessThanOrEqual(ROW_BYTES)
      const all = createHash('sha256').update(Buffer.concat(pages)).digest('hex')
      expect(await writer().finish(KEY)).toBe(all)
    })
  })
})
