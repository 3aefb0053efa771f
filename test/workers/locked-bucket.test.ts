import { gunzipSync, gzipSync } from 'node:zlib'
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { exporter, ledger, transparencyLog } from '../../src/calls/objects.ts'
import { dateOf } from '../../src/core/utc-day.ts'
import { fileName, objectKey } from '../../src/exports/manifest.ts'
import { archived, keys, play, useShortSegments } from './archive.ts'
import { forgetExports, history, manifestOf } from './exported-days.ts'
import { entriesOf } from './journals.ts'
import { appendMany } from './public-log.ts'
import { fundedPlayer, now, pass, ringLedger, useStories } from './support.ts'

useStories()
useShortSegments()

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

type Put = (key: string, content: ArrayBuffer, options?: R2PutOptions) => Promise<R2Object | null>

/** How R2 may refuse a file that is there if a conditional put asks for it. Its documentation doesn't say. */
const REFUSALS = ['null', 'a fault'] as const

/**
 * Locks the files of a bucket with a prefix, as developers.cloudflare.com/r2/buckets/bucket-locks describes. Returns
 * how to have the answer to the next put lost.
 */
function lock(bucket: R2Bucket, prefix: string, refusal: (typeof REFUSALS)[number]) {
  const put = bucket.put.bind(bucket) as Put
  const locked = vi.spyOn(bucket, 'put').mockImplementation((async (key, content, options) => {
    const answersNull = refusal === 'null' && options?.onlyIf !== undefined
    if (!answersNull && key.startsWith(prefix) && (await bucket.head(key)))
      throw new Error('put: The object is locked by the bucket policy. (10069)')
    return put(key, content, options)
  }) as Put as never)
  return (change = (content: ArrayBuffer) => content) => {
    locked.mockImplementationOnce((async (key, content, options) => {
      await put(key, change(content), options)
      throw new Error('the answer was lost')
    }) as Put as never)
  }
}

describe.each(REFUSALS)(
  'a locked bucket that had the file already, and answers with %s',
  (refusal) => {
    /** Has the archive store a segment as given, without an answer, and then refuse it. */
    async function moveTwice(change?: (content: ArrayBuffer) => ArrayBuffer) {
      const alice = await fundedPlayer(0)
      await play(alice, 12)
      pass(660_000)
      lock(env.ARCHIVE, 'journals/', refusal)(change)
      await ringLedger(alice)
      expect([await archived(alice), (await keys()).length]).toEqual([0, 1])
      const entries = await entriesOf(ledger(env, alice.wallet))
      pass(3_600_000)
      await ringLedger(alice)
      expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
      return archived(alice)
    }

    it('takes a segment from its ledger', async () => {
      expect(await moveTwice()).toBe(1)
    })

    it('takes a segment that another version of the runtime has compressed', async () => {
      const stored = (content: ArrayBuffer) => gzipSync(gunzipSync(content), { level: 0 })
      expect(await moveTwice((content) => Uint8Array.from(stored(content)).buffer)).toBe(1)
    })

    it('leaves a segment in its ledger whose file is damaged', async () => {
      expect(await moveTwice((content) => content.slice(0, 100))).toBe(0)
    })

    it('has a complete file of an export', async () => {
      await history()
      await exporter(env).closeDay()
      const day = dateOf(now())
      const whole = await manifestOf(day)
      await forgetExports(day)
      lock(env.EXPORTS, 'export/', refusal)()
      await runInDurableObject(exporter(env), async (object) => {
        await expect(object.closeDay()).rejects.toThrow('the answer was lost')
        await object.closeDay()
      })
      expect(await manifestOf(day)).toEqual(whole)
    })

    it('has a tile of the public log', async () => {
      await appendMany(0, 256)
      lock(env.EXPORTS, 'log/tile/', refusal)()
      await runDurableObjectAlarm(env.TRANSPARENCY_LOG.getByName('main'))
      expect((await transparencyLog(env).facts()).archived).toBe(0)
      pass(60_000)
      await runDurableObjectAlarm(env.TRANSPARENCY_LOG.getByName('main'))
      expect(await transparencyLog(env).facts()).toMatchObject({
        archived: 256,
        failingSince: null,
      })
    })
  },
)

it('an export fails if the bucket has another file of its name', async () => {
  await exporter(env).sweep()
  const key = objectKey(fileName('rounds', dateOf(now())))
  await env.EXPORTS.put(key, 'another')
  const closing = runInDurableObject(exporter(env), (object) => object.closeDay())
  await expect(closing).rejects.toThrow('never changes')
  expect(await (await env.EXPORTS.get(key))?.text()).toBe('another')
})
