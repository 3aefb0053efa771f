import { createHash } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { FileWriter, ROW_BYTES } from '../../durable-objects/exporter/file.ts'
import { migrate } from '../../durable-objects/kernel/migrations.ts'
import { inBlankObject } from './kernel/support.ts'

const KEY = 'export/v1/plays/2040-01-01.jsonl.gz'

beforeEach(() => env.EXPORTS.delete(KEY))

/** Bytes that differ from place to place. */
function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff)
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Pages of a file that R2 takes in parts. */
const PAGES = Array.from({ length: 12 }, (_, index) => bytesOf(1_000_000 + index))
const ALL = hashOf(Buffer.concat(PAGES))

/** Runs work with writers of one file. Each is as after a restart. */
function inFile(work: (writer: () => FileWriter, sql: SqlStorage) => Promise<void>): Promise<void> {
  return inBlankObject(async ({ storage }) => {
    const writer = () => new FileWriter(storage.sql, env.EXPORTS)
    migrate(storage, [writer().migration])
    await work(writer, storage.sql)
  })
}

async function storedHash(): Promise<string> {
  const file = await env.EXPORTS.get(KEY)
  return hashOf(new Uint8Array(await file!.arrayBuffer()))
}

describe('a file of an export', () => {
  it('has the bytes that were appended, and reports their hash', async () => {
    await inFile(async (writer) => {
      writer().append(bytesOf(1_000))
      writer().append(bytesOf(500))
      const hash = await writer().finish(KEY)
      expect(hash).toBe(hashOf(Buffer.concat([bytesOf(1_000), bytesOf(500)])))
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
      const put = vi.spyOn(env.EXPORTS, 'put')
      for (const page of PAGES) writer().append(page)
      expect(await writer().finish(KEY)).toBe(ALL)
      // The answer to the first may have been lost.
      expect(await writer().finish(KEY)).toBe(ALL)
      expect(await storedHash()).toBe(ALL)
      expect(put).not.toHaveBeenCalled()
      put.mockRestore()
      writer().close()
      writer().append(bytesOf(10))
      await env.EXPORTS.delete(KEY)
      expect(await writer().finish(KEY)).not.toBe(ALL)
    })
  })

  it('waits for R2 in rows that the platform stores', async () => {
    await inFile(async (writer, sql) => {
      for (let page = 0; page < 3; page++) writer().append(bytesOf(2_500_000 + page))
      const query = 'SELECT max(length(bytes)) AS size FROM file_bytes'
      expect(sql.exec<{ size: number }>(query).one().size).toBeLessThanOrEqual(ROW_BYTES)
    })
  })

  it('is sent again if R2 has forgotten its upload', async () => {
    await inFile(async (writer) => {
      for (const page of PAGES) writer().append(page)
      const begin = env.EXPORTS.createMultipartUpload.bind(env.EXPORTS)
      const begun = vi.spyOn(env.EXPORTS, 'createMultipartUpload')
      begun.mockImplementationOnce(async (key) => {
        const upload = await begin(key)
        await upload.uploadPart(1, bytesOf(10))
        await upload.abort()
        return upload
      })
      await expect(writer().finish(KEY)).rejects.toThrow('(10024)')
      begun.mockRestore()
      expect(await writer().finish(KEY)).toBe(ALL)
      expect(await storedHash()).toBe(ALL)
    })
  })
})

describe('a file that the bucket has already', () => {
  it.each([0, 1_000])(
    'stays as it is if the exporter writes another that is %d bytes shorter',
    async (shorter) => {
      const pages = PAGES.map((page) => page.toReversed())
      const published = Buffer.concat([...pages, bytesOf(shorter)])
      await env.EXPORTS.put(KEY, published)
      await inFile(async (writer) => {
        for (const page of PAGES) writer().append(page)
        await expect(writer().finish(KEY)).rejects.toThrow('never changes')
      })
      expect(await storedHash()).toBe(hashOf(published))
    },
  )
})
