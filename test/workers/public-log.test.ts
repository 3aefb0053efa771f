import { utf8ToBytes } from '@noble/hashes/utils'
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { transparencyLog } from '../../src/calls/objects.ts'
import { parseEntry } from '../../src/transparency/entry.ts'
import { Frontier } from '../../src/transparency/frontier.ts'
import { EMPTY_ROOT, leafHash } from '../../src/transparency/merkle.ts'
import { entriesOf, tilesOf } from '../../src/transparency/tiles.ts'
import { costsOf } from './costs.ts'
import { append, appendMany, entry, published, readLog, readTile } from './public-log.ts'
import { codeOf, holdAnswer, now, pass, useStories } from './support.ts'

useStories()

const log = () => transparencyLog(env)
const stub = () => env.TRANSPARENCY_LOG.getByName('main')

/** Every entry that the log publishes. */
async function entries(size: number): Promise<Uint8Array[]> {
  const bundles = await Promise.all(tilesOf('entries', 0, size).map(readTile))
  return bundles.flatMap((bundle) => entriesOf(bundle) ?? [])
}

/** Checks every entry and every tile against the checkpoint. */
async function expectWholeLog(): Promise<number> {
  const { size, root } = await published()
  const tree = new Frontier()
  const hashes: Uint8Array[][] = []
  for (const bytes of await entries(size)) {
    expect(parseEntry(bytes)).not.toBeNull()
    ;(hashes[0] ??= []).push(leafHash(bytes))
    for (const tile of tree.append(leafHash(bytes))) {
      ;(hashes[tile.level + 1] ??= []).push(tile.root)
    }
  }
  expect([tree.size, tree.root()]).toEqual([size, root])
  for (const [level, list] of hashes.entries()) {
    const tiles = await Promise.all(tilesOf(level, 0, size).map(readTile))
    expect(tiles.flatMap((tile) => [...tile])).toEqual(list.flatMap((hash) => [...hash]))
  }
  return size
}

describe('the public log', () => {
  it('is empty at first, and its checkpoint says so', async () => {
    expect(await published()).toMatchObject({
      origin: 'localhost:8787/log',
      size: 0,
      root: EMPTY_ROOT,
    })
  })

  it('publishes what was appended with the next checkpoint', async () => {
    expect(await append(7)).toEqual([{ index: 0, entry: entry(7) }])
    expect(await append(8)).toEqual([{ index: 1, entry: entry(8) }])
    expect(await expectWholeLog()).toBe(2)
  })

  it('takes the first entry of a kind and id, and answers with it ever after', async () => {
    const first = entry(7, { crash: 2 })
    expect(await log().append(first)).toEqual({ index: 0, entry: first })
    pass(60_000)
    expect(await log().append(entry(7, { crash: 3 }))).toEqual({ index: 0, entry: first })
    expect(await log().append(entry(7, { kind: 'end' }))).toMatchObject({ index: 1 })
    expect(await expectWholeLog()).toBe(2)
  })

  it('takes simultaneous calls for one entry once', async () => {
    const answers = await append(7, 7, 8, 7)
    expect(answers.map(({ index }) => index)).toEqual([0, 0, 1, 0])
    expect(await expectWholeLog()).toBe(2)
  })

  it('is whole at every size around a full tile, also after the object was evicted', async () => {
    await appendMany(0, 255)
    for (const id of [255, 256, 257]) {
      await append(id)
      await evictDurableObject(stub())
      expect(await expectWholeLog()).toBe(id + 1)
    }
  })

  it('copies full tiles to the archive once, and serves them from there', async () => {
    await appendMany(0, 600)
    await runDurableObjectAlarm(stub())
    const names = (await env.EXPORTS.list({ prefix: 'log/tile' })).objects.map(({ key }) => key)
    expect(names).toEqual([
      'log/tile/0/000',
      'log/tile/0/001',
      'log/tile/entries/000',
      'log/tile/entries/001',
    ])
    const read = vi.spyOn(env.EXPORTS, 'get')
    expect(await expectWholeLog()).toBe(600)
    expect(read).toHaveBeenCalledTimes(4)
  })

  it('serves full tiles itself while the archive does not answer', async () => {
    await appendMany(0, 256)
    await runDurableObjectAlarm(stub())
    vi.spyOn(env.EXPORTS, 'get').mockRejectedValue(new Error('the archive is down'))
    expect(await expectWholeLog()).toBe(256)
  })

  it('appends nothing that is not an entry, and nothing longer than a bundle can hold', async () => {
    for (const wrong of [
      entry(''),
      entry(7, { kind: 'other' }),
      entry(7, { at: -1 }),
      entry(7, { text: 'x'.repeat(65_536) }),
      entry(7, { text: '\ud800' }),
    ]) {
      await expect(runInDurableObject(stub(), (object) => object.append(wrong))).rejects.toThrow()
    }
    expect((await published()).size).toBe(0)
  })
})

describe('a log that was restored to an earlier time', () => {
  /** Forgets the latest entries, as a restore does. */
  async function restore(size: number): Promise<void> {
    await runInDurableObject(stub(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM entries WHERE idx >= ?', size)
      storage.sql.exec('DELETE FROM tiles WHERE level = 0 AND idx >= ?', Math.floor(size / 256))
      storage.sql.exec('UPDATE copies SET tiles = min(tiles, ?)', Math.floor(size / 256))
    })
    await evictDurableObject(stub())
  }

  const appending = (id: number) => runInDurableObject(stub(), (object) => object.append(entry(id)))

  it('appends nothing once it has published more', async () => {
    await appendMany(0, 3)
    expect((await published()).size).toBe(3)
    await restore(2)
    await expect(appending(9)).rejects.toThrow('restored to an earlier time')
    expect((await published()).size).toBe(2)
    await evictDurableObject(stub())
    await expect(appending(9)).rejects.toThrow('restored to an earlier time')
    expect(await log().append(entry(1))).toMatchObject({ index: 1 })
  })

  it('appends nothing if the archive has a full tile that it lacks', async () => {
    await appendMany(0, 256)
    await runDurableObjectAlarm(stub())
    await restore(200)
    await expect(appending(999)).rejects.toThrow('restored to an earlier time')
  })

  it('stops once the archive holds other bytes than it wants to copy', async () => {
    await appendMany(0, 255)
    await env.EXPORTS.put('log/tile/entries/000', 'another history')
    await append(255)
    await runDurableObjectAlarm(stub())
    await expect(appending(256)).rejects.toThrow('restored to an earlier time')
  })

  it('goes on where nothing was lost', async () => {
    await appendMany(0, 300)
    expect((await published()).size).toBe(300)
    await runDurableObjectAlarm(stub())
    await evictDurableObject(stub())
    await append(300)
    expect(await expectWholeLog()).toBe(301)
  })

  it('stays stopped though a copy that was under way succeeds', async () => {
    await appendMany(0, 300)
    expect((await published()).size).toBe(300)
    await restore(256)
    await runInDurableObject(
      stub(),
      (_, { storage }) => void storage.sql.exec('DELETE FROM copies'),
    )
    await evictDurableObject(stub())
    await runInDurableObject(stub(), (_, { storage }) => storage.setAlarm(now()))
    const put = env.EXPORTS.put.bind(env.EXPORTS)
    const held = holdAnswer()
    vi.spyOn(env.EXPORTS, 'put').mockImplementation((async (...args: unknown[]) => {
      await held.after(null)
      return (put as (...all: unknown[]) => unknown)(...args)
    }) as never)
    const rung = runDurableObjectAlarm(stub())
    await held.isGiven()
    await expect(appending(998)).rejects.toThrow('restored to an earlier time')
    held.release()
    await rung
    expect(await log().facts()).toMatchObject({ isForked: true })
    await expect(appending(999)).rejects.toThrow('restored to an earlier time')
  })

  it('stays stopped whenever it wakes, until the archive agrees', async () => {
    await appendMany(0, 3)
    expect((await published()).size).toBe(3)
    await restore(2)
    await expect(appending(9)).rejects.toThrow('restored to an earlier time')
    expect(await log().facts()).toMatchObject({ isForked: true })
    for (let nap = 0; nap < 5; nap++) {
      await evictDurableObject(stub())
      pass(20_000)
      await runDurableObjectAlarm(stub())
      expect(await log().facts()).toMatchObject({ isForked: true })
    }
    // As if its latest state was restored.
    await env.EXPORTS.delete('log/checkpoint')
    pass(20_000)
    await runDurableObjectAlarm(stub())
    expect(await log().facts()).toMatchObject({ isForked: false, failingSince: null })
    expect(await append(9)).toMatchObject([{ index: 2 }])
  })
})

describe('while its archive does not answer', () => {
  const appending = (id: number) => runInDurableObject(stub(), (object) => object.append(entry(id)))

  function silence() {
    const down = new Error('the archive is down')
    const calls = (['get', 'head', 'put'] as const).map((call) =>
      vi.spyOn(env.EXPORTS, call).mockRejectedValue(down),
    )
    return () => calls.forEach((call) => call.mockRestore())
  }

  /** Passes minutes in which the log sleeps between its alarms. */
  async function rest(minutes: number): Promise<void> {
    for (let alarm = 0; alarm < minutes * 3; alarm++) {
      await evictDurableObject(stub())
      pass(20_000)
      await runDurableObjectAlarm(stub())
    }
    await evictDurableObject(stub())
  }

  it('a log goes on that had an entry within the last minute, however long that lasts', async () => {
    await append(0)
    await evictDurableObject(stub())
    const speak = silence()
    pass(59_000)
    expect(await append(1)).toMatchObject([{ index: 1 }])
    await rest(60)
    expect(await append(2)).toMatchObject([{ index: 2 }])
    speak()
    await rest(1)
    expect(await log().facts()).toMatchObject({ isForked: false, failingSince: null })
    expect(await expectWholeLog()).toBe(3)
    expect(await env.EXPORTS.head('log/checkpoint')).not.toBeNull()
  })

  it('a log appends nothing after a minute without an entry, until the archive answers', async () => {
    await append(0)
    await evictDurableObject(stub())
    const speak = silence()
    pass(60_000)
    await expect(appending(1)).rejects.toThrow('the archive is down')
    await rest(10)
    await expect(appending(1)).rejects.toThrow('the archive is down')
    speak()
    expect(await append(1)).toMatchObject([{ index: 1 }])
  })

  it('a log that was restored to more than a minute ago appends nothing', async () => {
    await append(0)
    await evictDurableObject(stub())
    silence()
    await append(1)
    const sql = 'UPDATE archive SET whole_at = ?'
    const restoredTo = now()
    await rest(2)
    await append(2)
    await rest(1)
    await runInDurableObject(stub(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM entries WHERE idx >= 2')
      storage.sql.exec(sql, restoredTo)
    })
    await evictDurableObject(stub())
    await expect(Promise.all([appending(8), appending(9)])).rejects.toThrow('the archive is down')
    await rest(5)
    await expect(appending(9)).rejects.toThrow('the archive is down')
    expect((await published()).size).toBe(2)
  })

  it('a log that was restored to a moment ago goes on, and stops once the archive answers', async () => {
    await appendMany(0, 3)
    expect((await published()).size).toBe(3)
    const speak = silence()
    await runInDurableObject(stub(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM entries WHERE idx >= 2')
    })
    await evictDurableObject(stub())
    expect(await append(9)).toMatchObject([{ index: 2 }])
    speak()
    await rest(1)
    await expect(appending(10)).rejects.toThrow('restored to an earlier time')
  })
})

describe("the log's paths", () => {
  it('are readable from any page, and cached as long as they stay the same', async () => {
    await append(7)
    const [checkpoint, tile] = [await readLog('checkpoint'), await readLog('tile/entries/000.p/1')]
    expect(checkpoint.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(checkpoint.headers.get('cache-control')).toBe('public, max-age=1')
    expect(tile.headers.get('content-type')).toBe('application/octet-stream')
    expect(tile.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const { headers } of [checkpoint, tile]) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await tile.arrayBuffer()).byteLength).toBe(
      2 + utf8ToBytes(JSON.stringify(entry(7))).length,
    )
  })

  it.each([
    'tile/0/000',
    'tile/0/000.p/2',
    'tile/1/000.p/1',
    'tile/0/001.p/1',
    'tile/entries/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/64/000',
    'tile/00/000.p/1',
    'tile/0/0',
    'tile/0/x000/000.p/1',
    'tile/-1/000',
    'tile/0/000.p/1/',
    'tile/other/000',
    'tile/',
  ])('answer %s with not_found', async (path) => {
    await append(7)
    const response = await readLog(path)
    expect([response.status, codeOf({ body: await response.json() })]).toEqual([404, 'not_found'])
  })

  it.each(['checkpoint', 'key', 'tile/0/000.p/1'])('refuse other methods on %s', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await readLog(path, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })
})

describe('the public log costs', () => {
  it('two rows and one call for an entry, and no row to repeat or read it', async () => {
    await append(0)
    expect(await costsOf(() => append(1))).toMatchObject({ rows: 2, calls: 1 })
    expect(await costsOf(() => append(1))).toMatchObject({ rows: 0, calls: 1 })
    expect(await costsOf(() => published())).toMatchObject({ rows: 0, calls: 1 })
    const tile = { level: 0, index: 0, width: 2 }
    expect(await costsOf(() => readTile(tile))).toMatchObject({ rows: 0, calls: 1 })
  })

  it('three rows more for every 256 entries, and two files in the archive', async () => {
    await appendMany(0, 511)
    await runDurableObjectAlarm(stub())
    const put = vi.spyOn(env.EXPORTS, 'put')
    const append511 = await costsOf(() => append(511))
    const copy = await costsOf(() => runDurableObjectAlarm(stub()))
    expect(append511.rows + copy.rows).toBe(2 + 3)
    expect(put).toHaveBeenCalledTimes(2)
  })

  it('one file a minute while somebody reads it', async () => {
    const put = vi.spyOn(env.EXPORTS, 'put')
    for (let second = 0; second < 120; second++) {
      await append(second)
      await published()
    }
    expect(put).toHaveBeenCalledTimes(2)
  })
})
