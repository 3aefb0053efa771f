import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { SOON } from '../shared/soon.ts'
import { archived, grow, keys, play, useShortSegments } from './archive.ts'
import { entriesOf } from './journals.ts'
import { fundedPlayer, pass, restart, ringLedger, useStories, type Player } from './support.ts'

useStories()

useShortSegments()

let alice: Player

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  alice = await fundedPlayer(0)
})

/** A call of the archive, counted among those of its method, and whether it has done its work. */
interface Step {
  method: 'put' | 'get'
  nth: number
  when: 'before' | 'after'
}

/** Has a call of the archive never answer. Returns a function that tells whether it was made. */
function hang({ method, nth, when }: Step): () => boolean {
  const original = env.ARCHIVE[method].bind(env.ARCHIVE) as (...args: unknown[]) => Promise<unknown>
  let calls = 0
  let hangs = false
  vi.spyOn(env.ARCHIVE, method).mockImplementation(async (...args: unknown[]) => {
    const isTheOne = ++calls === nth
    const answer = isTheOne && when === 'before' ? null : await original(...args)
    hangs ||= isTheOne
    if (isTheOne) await new Promise(() => {})
    return answer as never
  })
  return () => hangs
}

/** Has the next file of the archive stored only in part. */
function storePart() {
  const put = env.ARCHIVE.put.bind(env.ARCHIVE)
  return vi
    .spyOn(env.ARCHIVE, 'put')
    .mockImplementationOnce(
      async (key, value) => (await put(key, (value as ArrayBuffer).slice(0, 100)))!,
    )
}

/** Checks that no entry was lost, and that the segment is moved once the object is back. */
async function expectMovedLater(entries: unknown): Promise<void> {
  const books = ledger(env, alice.wallet)
  expect((await alice.play({ nonce: 0 })).status).toBe(200)
  expect(await entriesOf(books)).toEqual(entries)
  pass(3_600_000)
  // A killed alarm rings again on the platform. Here it is gone.
  await books.sweep()
  await vi.waitFor(async () => expect(await archived(alice)).toBe(1), SOON)
  expect(await keys()).toHaveLength(1)
  expect(await entriesOf(books)).toEqual(entries)
  await play(alice, 1)
}

const FIRST_TRY: Record<string, Step> = {
  'before the file is stored': { method: 'put', nth: 1, when: 'before' },
  'after the file was stored': { method: 'put', nth: 1, when: 'after' },
  'before the file is read back': { method: 'get', nth: 1, when: 'before' },
  'after the file was read back, before the table is dropped': {
    method: 'get',
    nth: 1,
    when: 'after',
  },
}

/** Of a try that finds a file in the archive which is not the segment. */
const SECOND_TRY: Record<string, Step> = {
  'before the archive says that it has a file': { method: 'put', nth: 1, when: 'before' },
  'before the other file is hashed': { method: 'get', nth: 1, when: 'before' },
  'after the other file was hashed, before it is checked': {
    method: 'get',
    nth: 1,
    when: 'after',
  },
  'after the other file was checked, before it is replaced': {
    method: 'put',
    nth: 2,
    when: 'before',
  },
  'after the other file was replaced': { method: 'put', nth: 2, when: 'after' },
  'after the new file was read back, before the table is dropped': {
    method: 'get',
    nth: 3,
    when: 'after',
  },
}

describe('a segment is moved once and whole, if its object is killed', () => {
  /** Kills the ledger at a step of moving a segment, once what comes before is done. */
  async function expectMovedAfterKill(step: Step, prepare = async () => {}): Promise<void> {
    await play(alice, 12)
    const entries = await entriesOf(ledger(env, alice.wallet))
    pass(660_000)
    await prepare()
    const hangs = hang(step)
    const ringing = ringLedger(alice).catch(() => {})
    await vi.waitFor(() => expect(hangs()).toBe(true), SOON)
    await restart()
    await ringing
    vi.mocked(env.ARCHIVE[step.method]).mockRestore()
    expect(await archived(alice)).toBe(0)
    await expectMovedLater(entries)
  }

  it.each(Object.entries(FIRST_TRY))('%s', (_, step) => expectMovedAfterKill(step))

  it.each(Object.entries(SECOND_TRY))('%s', (_, step) =>
    expectMovedAfterKill(step, async () => {
      const storing = storePart()
      await ringLedger(alice)
      storing.mockRestore()
      pass(3_600_000)
    }),
  )

  it.each(['killed', 'evicted'])('after the table was dropped, or is %s then', async (way) => {
    await play(alice, 12)
    const entries = await entriesOf(ledger(env, alice.wallet))
    await grow(alice)
    expect(await archived(alice)).toBe(1)
    if (way === 'killed') await restart()
    else await evictDurableObject(ledger(env, alice.wallet))
    expect(await archived(alice)).toBe(1)
    await expectMovedLater(entries)
  })
})
