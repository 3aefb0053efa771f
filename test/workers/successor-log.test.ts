import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { transparencyLog } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import { logOrigin, openCheckpoint } from '../../src/transparency/checkpoint.ts'
import { signerKey, writeSignerKey, type SignerKey } from '../../src/transparency/note.ts'
import { SOON } from '../shared/soon.ts'
import { append, entry, published, readLog } from './public-log.ts'
import { useStories } from './support.ts'

useStories()

const ORIGIN = 'http://localhost:8787'
const SEED = new Uint8Array(32).fill(9)

/** Returns the environment of a deployment with another key of its log. */
const withKey = (key: SignerKey): Env => ({ ...env, LOG_KEY: writeSignerKey(key) }) as Env

/** Gives a log's object a deployment's environment. */
function deploy(name: string, to: Env): Promise<void> {
  return runInDurableObject(env.TRANSPARENCY_LOG.getByName(name), (object) => {
    Object.assign(object, { env: to })
  })
}

const anchor = async (key: string) => (await env.EXPORTS.get(key))?.text() ?? null

describe('a log that succeeds one that was lost', () => {
  const key = signerKey(logOrigin(ORIGIN, 2), SEED)
  const next = withKey(key)

  beforeEach(() => deploy('main/2', next))

  it('begins with the last checkpoint of the other that was kept, and shares nothing else', async () => {
    await append(0, 1, 2)
    expect((await published()).size).toBe(3)
    await vi.waitFor(async () => expect(await anchor('log/checkpoint')).not.toBeNull(), SOON)
    const log = transparencyLog(next)
    expect(await log.append(entry(0))).toMatchObject({ index: 1 })
    const { index, entry: first } = (await log.find('log', 'localhost:8787/log'))!
    expect(index).toBe(0)
    const text = await log.checkpoint()
    expect(openCheckpoint(text, key.verifier)).toMatchObject({
      origin: 'localhost:8787/log/2',
      size: 2,
    })
    const { verifier } = loadConfig(env).log!.key
    expect(openCheckpoint(first['checkpoint'] as string, verifier)?.size).toBe(3)
    // The other one is as it was.
    expect((await published()).size).toBe(3)
    await vi.waitFor(async () => expect(await anchor('log/2/checkpoint')).toBe(text), SOON)
  })

  it('says so if no checkpoint of the other was kept', async () => {
    const log = transparencyLog(next)
    await Promise.all([log.append(entry(0)), log.append(entry(1))])
    const { index, entry: first } = (await log.find('log', 'localhost:8787/log'))!
    expect([index, first['checkpoint']]).toEqual([0, null])
    expect(openCheckpoint(await log.checkpoint(), key.verifier)?.size).toBe(3)
  })

  it('copies its tiles beside those of the other', async () => {
    const log = transparencyLog(next)
    for (let id = 0; id < 255; id++) await log.append(entry(id))
    await runDurableObjectAlarm(env.TRANSPARENCY_LOG.getByName('main/2'))
    const { objects } = await env.EXPORTS.list({ prefix: 'log/' })
    const names = objects.map((object) => object.key).filter((name) => name.includes('tile'))
    expect(names).toEqual(['log/2/tile/0/000', 'log/2/tile/entries/000'])
    // The site keeps the other log, but shows what is left of this one.
    const hashes = await readLog('2/tile/0/000')
    expect([hashes.status, (await hashes.arrayBuffer()).byteLength]).toEqual([200, 256 * 32])
    for (const path of ['tile/0/000', '2/tile/0/001.p/1', '2/checkpoint', '3/tile/0/000']) {
      expect([path, (await readLog(path)).status]).toEqual([path, 404])
    }
    expect((await readLog('2/tile/0/000', { method: 'POST' })).status).toBe(405)
  })

  it('is not signed with the key of the other', async () => {
    await deploy('main/2', env)
    await runInDurableObject(env.TRANSPARENCY_LOG.getByName('main/2'), async (object) => {
      await expect(object.checkpoint()).rejects.toThrow('its own key only')
    })
  })
})

describe('a log whose key was replaced by another one under the same name', () => {
  it('appends nothing, because it would count as another log', async () => {
    await append(0)
    await published()
    await vi.waitFor(async () => expect(await anchor('log/checkpoint')).not.toBeNull(), SOON)
    const main = env.TRANSPARENCY_LOG.getByName('main')
    await evictDurableObject(main)
    await deploy('main', withKey(signerKey(logOrigin(ORIGIN), SEED)))
    await runInDurableObject(main, async (object) => {
      await expect(object.append(entry(1))).rejects.toThrow('has another key')
    })
    await evictDurableObject(main)
    expect(await append(1)).toMatchObject([{ index: 1 }])
  })
})
