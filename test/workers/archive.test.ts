import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CrashRound } from '../../durable-objects/crash-round.ts'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { ledger } from '../../src/calls/objects.ts'
import { LEDGER_LIMIT_BYTES } from '../../src/ledger/capacity.ts'
import { SOON } from '../shared/soon.ts'
import { archived, grow, keys, play, useShortSegments } from './archive.ts'
import { archivedLines, entriesOf } from './journals.ts'
import { Platform } from './partner.ts'
import {
  audit,
  fundedPlayer,
  now,
  openRound,
  outcomeOf,
  pass,
  reportSize,
  restart,
  ringLedger,
  rowsOf,
  useStories,
  type Player,
} from './support.ts'

useStories()

useShortSegments()

const platform = new Platform()
let alice: Player

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  alice = await fundedPlayer(0)
})

describe('old entries of a journal', () => {
  it('leave their ledger, a segment a file, named by the hash of its last entry', async () => {
    await play(alice, 24)
    const before = await audit(alice)
    const entries = await entriesOf(ledger(env, alice.wallet))
    await grow(alice)
    expect(await archived(alice)).toBe(2)
    expect(await keys()).toEqual([
      `journals/${alice.wallet}/1-${entries[9]?.hash}.jsonl.gz`,
      `journals/${alice.wallet}/2-${entries[19]?.hash}.jsonl.gz`,
    ])
    expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
    expect(await audit(alice)).toEqual({ ...before, archived: 2 })
    await play(alice, 1)
  })

  it('leave so little behind that a year of five plays a second takes less than 100 MB', async () => {
    await play(alice, 34)
    await grow(alice)
    const left = await rowsOf<{ bytes: number }>(
      ledger(env, alice.wallet),
      'SELECT 16 + length(hash) + length(head) AS bytes FROM archived_segments',
    )
    expect(left).toHaveLength(3)
    const segmentsOfAYear = (5 * 365 * 86_400) / 10_000
    // Besides, the entries of the last hour are here, of 300 bytes each.
    const here = 5 * 3_600 * 300
    for (const { bytes } of left) expect(segmentsOfAYear * bytes + here).toBeLessThan(10_000_000)
  })

  it('stay for ten minutes, because calls are repeated', async () => {
    await play(alice, 24)
    pass(599_000)
    await ringLedger(alice)
    expect(await archived(alice)).toBe(0)
    pass(1_000)
    await ledger(env, alice.wallet).sweep()
    expect(await archived(alice)).toBe(2)
  })

  it('stay until the seed they end with has been played, which the file would disclose', async () => {
    await play(alice, 3)
    for (let count = 0; count < 18; count++) await platform.transact(alice, '1')
    await grow(alice)
    expect(await archived(alice)).toBe(0)
    await play(alice, 1)
    await grow(alice)
    expect(await archived(alice)).toBe(2)
    const [first = ''] = await keys()
    const next = (await alice.nextPlay()).seedHash
    expect((await archivedLines(first)).join()).not.toContain(next)
  })

  it('leave a full journal after the one play that it takes for that', async () => {
    await play(alice, 3)
    for (let count = 0; count < 18; count++) await platform.transact(alice, '0')
    await grow(alice)
    await reportSize(LEDGER_LIMIT_BYTES)
    expect(outcomeOf(await platform.transact(alice, '-1'))).toEqual([503, 'ledger_full'])
    await play(alice, 1)
    expect(outcomeOf(await alice.play())).toEqual([503, 'ledger_full'])
    await grow(alice)
    expect(await archived(alice)).toBe(2)
    expect(outcomeOf(await alice.play())).toEqual([503, 'ledger_full'])
    await reportSize(LEDGER_LIMIT_BYTES - 1)
    await play(alice, 1)
  })

  it('stay while a bet of theirs is open', async () => {
    await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    await play(alice, 12)
    const silent = vi.spyOn(CrashRound.prototype, 'outcome').mockRejectedValue(new Error('no'))
    await grow(alice)
    expect(await archived(alice)).toBe(0)
    silent.mockRestore()
    await grow(alice)
    expect(await archived(alice)).toBe(1)
  })

  it('stay until D1 has their plays', async () => {
    await play(alice, 12)
    const failing = vi.spyOn(env.HISTORY, 'batch').mockRejectedValue(new Error('D1 is down'))
    const failingToo = vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    await grow(alice)
    expect(await archived(alice)).toBe(0)
    failing.mockRestore()
    failingToo.mockRestore()
    await grow(alice)
    expect(await archived(alice)).toBe(1)
  })

  it('are not needed for D1 again, even if its first answer comes after its second', async () => {
    await play(alice, 6)
    const answer = holdNextAnswer()
    const isDown = vi.spyOn(env.DB, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    pass(300_000)
    await ringLedger(alice)
    isDown.mockRestore()
    await play(alice, 6)
    await grow(alice)
    expect(await archived(alice)).toBe(1)
    await runInDurableObject(ledger(env, alice.wallet), answer)
    await play(alice, 1)
    pass(300_000)
    await ringLedger(alice)
    expect(await rowsOf(ledger(env, alice.wallet), 'SELECT kind FROM outbox')).toEqual([])
  })
})

/** Has the next statement to D1 answered only when the function returned is called. */
function holdNextAnswer(): () => void {
  const statement = Object.getPrototypeOf(env.HISTORY.prepare('SELECT 1')) as D1PreparedStatement
  const run = Reflect.get(statement, 'run')
  let release = () => {}
  vi.spyOn(statement, 'run').mockImplementationOnce(async function (this: D1PreparedStatement) {
    const answer = await run.call(this)
    // Made here, in the object that waits for it.
    await new Promise<void>((resolve) => (release = resolve))
    return answer
  })
  return () => release()
}

describe('a segment is moved once and whole, within an hour, whatever fails:', () => {
  const failures: Record<string, () => unknown> = {
    'the file is not stored': () =>
      vi.spyOn(env.ARCHIVE, 'put').mockRejectedValueOnce(new Error('R2 is down')),
    'the file is stored and its answer is lost': () => {
      const put = env.ARCHIVE.put.bind(env.ARCHIVE)
      vi.spyOn(env.ARCHIVE, 'put').mockImplementationOnce(async (...args) => {
        await put(...args)
        throw new Error('the answer was lost')
      })
    },
    'the file is stored only in part': () => {
      const put = env.ARCHIVE.put.bind(env.ARCHIVE)
      vi.spyOn(env.ARCHIVE, 'put').mockImplementationOnce(
        async (key, value) => (await put(key, (value as ArrayBuffer).slice(0, 100)))!,
      )
    },
    'the file cannot be read back': () =>
      vi.spyOn(env.ARCHIVE, 'get').mockRejectedValueOnce(new Error('R2 is down')),
    'the file is missing when it is read back': () =>
      vi.spyOn(env.ARCHIVE, 'get').mockResolvedValueOnce(null),
    'the last transaction fails before the table is dropped': () =>
      vi.spyOn(Segments.prototype, 'drop').mockImplementationOnce(() => {
        throw new Error('disk full')
      }),
    'the last transaction fails after the table was dropped': () => {
      const drop = Reflect.get(Segments.prototype, 'drop')
      vi.spyOn(Segments.prototype, 'drop').mockImplementationOnce(function (
        this: Segments,
        ...args: Parameters<typeof drop>
      ) {
        drop.apply(this, args)
        throw new Error('disk full')
      })
    },
  }

  const ways = ['goes on', 'is killed', 'is evicted'] as const
  const cases = Object.entries(failures).flatMap(([failure, fail]) =>
    ways.map((way) => ({ failure, fail, way })),
  )

  it.each(cases)('$failure, and the object $way', async ({ fail, way }) => {
    await play(alice, 12)
    const entries = await entriesOf(ledger(env, alice.wallet))
    pass(660_000)
    fail()
    await ringLedger(alice)
    if (way === 'is killed') await restart()
    if (way === 'is evicted') await evictDurableObject(ledger(env, alice.wallet))
    expect(await archived(alice)).toBe(0)
    expect((await alice.play({ nonce: 0 })).status).toBe(200)
    expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
    pass(3_600_000)
    await ringLedger(alice)
    expect([await archived(alice), (await keys()).length]).toEqual([1, 1])
    expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
  })

  it('at most four are moved at a time, and the rest a minute later', async () => {
    await play(alice, 64)
    pass(660_000)
    await ringLedger(alice)
    expect(await archived(alice)).toBe(4)
    pass(60_000)
    await ringLedger(alice)
    expect(await archived(alice)).toBe(6)
  })

  it('an archive that is silent holds up no alarm', async () => {
    await play(alice, 12)
    pass(660_000)
    let store = () => {}
    const stored = new Promise<void>((resolve) => (store = resolve))
    const put = env.ARCHIVE.put.bind(env.ARCHIVE)
    const silent = vi.spyOn(env.ARCHIVE, 'put').mockImplementationOnce(async (...args) => {
      await stored
      return put(...args)
    })
    const ringing = ringLedger(alice)
    await vi.waitFor(() => expect(silent).toHaveBeenCalled(), SOON)
    await play(alice, 1)
    const alarm = await runInDurableObject(ledger(env, alice.wallet), (_: unknown, { storage }) =>
      storage.getAlarm(),
    )
    expect(alarm).not.toBeNull()
    store()
    await ringing
  })

  it('an archive that fails late puts off nothing that has become due meanwhile', async () => {
    await play(alice, 12)
    pass(660_000)
    let fail = () => {}
    const failed = new Promise<void>((resolve) => (fail = resolve))
    const failing = vi.spyOn(env.ARCHIVE, 'put').mockImplementationOnce(async () => {
      await failed
      throw new Error('R2 is down')
    })
    const ringing = ringLedger(alice)
    await vi.waitFor(() => expect(failing).toHaveBeenCalled(), SOON)
    await play(alice, 1)
    pass(600_000)
    fail()
    await ringing
    const alarm = await runInDurableObject(ledger(env, alice.wallet), (_: unknown, { storage }) =>
      storage.getAlarm(),
    )
    expect(alarm).toBeLessThan(now())
  })

  it('calls go on while it is moved', async () => {
    await play(alice, 12)
    pass(660_000)
    let store = () => {}
    const stored = new Promise<void>((resolve) => (store = resolve))
    const put = env.ARCHIVE.put.bind(env.ARCHIVE)
    vi.spyOn(env.ARCHIVE, 'put').mockImplementationOnce(async (...args) => {
      await stored
      return put(...args)
    })
    const moving = ringLedger(alice)
    expect((await alice.play({ nonce: 0 })).status).toBe(200)
    await play(alice, 2)
    store()
    await moving
    await play(alice, 1)
    expect(await archived(alice)).toBe(1)
  })
})
