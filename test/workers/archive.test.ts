import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CrashRound } from '../../durable-objects/crash-round.ts'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { ledger } from '../../src/objects.ts'
import { Platform } from './partner.ts'
import {
  archivedLines,
  audit,
  endRound,
  entriesOf,
  fundedPlayer,
  get,
  openRound,
  outcomeOf,
  pass,
  restart,
  ringLedger,
  rowsOf,
  setTime,
  useStories,
  type Player,
} from './support.ts'

useStories()

// Not a mock, because the books are still checked after mocks are restored.
Reflect.defineProperty(await import('../../src/ledger/capacity.ts'), 'SEGMENT_ENTRIES', {
  get: () => 10,
})

const platform = new Platform()
let alice: Player

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  alice = await fundedPlayer(0)
})

/** Plays some games, the first with the next number. */
async function play(count: number): Promise<void> {
  for (let played = 0; played < count; played++) {
    expect((await alice.play()).status).toBe(200)
  }
}

/** Passes enough time for old entries to be archived, and fires the wallet's alarm. */
async function grow(): Promise<void> {
  pass(660_000)
  await ringLedger(alice)
}

/** The number of segments in the archive, as the wallet's books have it. */
async function archived(): Promise<number> {
  const books = await audit(alice)
  expect(books).toMatchObject({ ok: true })
  return books.ok ? books.archived : 0
}

async function keys(): Promise<string[]> {
  return (await env.ARCHIVE.list()).objects.map(({ key }) => key)
}

describe('old entries of a journal', () => {
  it('leave their ledger, a segment a file, named by the hash of its last entry', async () => {
    await play(24)
    const before = await audit(alice)
    const entries = await entriesOf(ledger(env, alice.wallet))
    await grow()
    expect(await archived()).toBe(2)
    expect(await keys()).toEqual([
      `journals/${alice.wallet}/1-${entries[9]?.hash}.jsonl.gz`,
      `journals/${alice.wallet}/2-${entries[19]?.hash}.jsonl.gz`,
    ])
    expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
    expect(await audit(alice)).toEqual({ ...before, archived: 2 })
    await play(1)
  })

  it('leave so little behind that a year of five plays a second takes less than 100 MB', async () => {
    await play(34)
    await grow()
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
    await play(24)
    pass(599_000)
    await ringLedger(alice)
    expect(await archived()).toBe(0)
    pass(1_000)
    await ledger(env, alice.wallet).archive()
    expect(await archived()).toBe(2)
  })

  it('stay until the seed they end with has been played, which the file would disclose', async () => {
    await play(3)
    for (let count = 0; count < 18; count++) await platform.transact(alice, '1')
    await grow()
    expect(await archived()).toBe(0)
    await play(1)
    await grow()
    expect(await archived()).toBe(2)
    const [first = ''] = await keys()
    const next = (await alice.nextPlay()).seedHash
    expect((await archivedLines(first)).join()).not.toContain(next)
  })

  it('stay while a bet of theirs is open', async () => {
    await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    await play(12)
    const silent = vi.spyOn(CrashRound.prototype, 'outcome').mockRejectedValue(new Error('no'))
    await grow()
    expect(await archived()).toBe(0)
    silent.mockRestore()
    await grow()
    expect(await archived()).toBe(1)
  })

  it('stay until D1 has their plays', async () => {
    await play(12)
    const failing = vi.spyOn(env.HISTORY, 'batch').mockRejectedValue(new Error('D1 is down'))
    const failingToo = vi.spyOn(env.HISTORY, 'prepare').mockImplementation(() => {
      throw new Error('D1 is down')
    })
    await grow()
    expect(await archived()).toBe(0)
    failing.mockRestore()
    failingToo.mockRestore()
    await grow()
    expect(await archived()).toBe(1)
  })
})

describe('what is in the archive', () => {
  it('is answered as before, byte for byte', async () => {
    const first = await alice.play({ nonce: 0 })
    const debit = await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    setTime(plan.flightAt + 2_000)
    await alice.cashout()
    await endRound(plan)
    const bet = await get(`/api/verify?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`)
    const one = await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)
    const statement = await platform.statement(alice)
    await play(20)
    await grow()
    expect(await archived()).toBe(2)
    await restart()
    const { chips: _before, ...firstPlay } = first.body
    const { chips: _after, ...repeated } = (await alice.play({ nonce: 0 })).body
    expect({ ...repeated, me: null }).toEqual({ ...firstPlay, me: null })
    const again = await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    expect(again.text).toBe(debit.text)
    expect((await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)).text).toBe(
      one.text,
    )
    expect(
      (await get(`/api/verify?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`)).text,
    ).toBe(bet.text)
    const { entries } = (await platform.statement(alice)).body
    expect(entries).toEqual(statement.body.entries)
  })

  it('is not made again under an id or a number that is used', async () => {
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    await play(20)
    await grow()
    await restart()
    const chips = await alice.chips()
    const reused = await platform.transact(alice, '-6', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(reused)).toEqual([409, 'idempotency_conflict'])
    const other = await alice.play({ nonce: 0, amountWei: '2000000' })
    expect(outcomeOf(other)).toEqual([409, 'idempotency_conflict'])
    expect(await alice.chips()).toBe(chips)
  })

  it('can be rolled back, once', async () => {
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    await play(20)
    await grow()
    await restart()
    const chips = BigInt(await alice.chips())
    expect((await platform.rollBack(alice, 'spin-1')).status).toBe(200)
    expect((await platform.rollBack(alice, 'spin-1')).status).toBe(200)
    expect(await alice.chips()).toBe(String(chips + 5_000_000n))
  })

  it('is paged through with the rest in a statement', async () => {
    for (let count = 1; count <= 27; count++) await platform.transact(alice, String(count))
    await grow()
    const amounts: string[] = []
    for (let cursor: number | null = 0; cursor !== null;) {
      const { body } = await platform.statement(alice, `&limit=4&cursor=${cursor}`)
      amounts.push(...body.entries.map((entry: { amountWei: string }) => entry.amountWei))
      cursor = body.next
    }
    expect(amounts).toEqual(Array.from({ length: 27 }, (_, index) => `${index + 1}000000`))
  })
})

describe('while the archive does not answer', () => {
  it('what needs it is refused, nothing is made anew, and everything else goes on', async () => {
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    await play(20)
    await grow()
    await restart()
    const chips = await alice.chips()
    const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
    const refused = [503, 'archive_unavailable']
    const repeat = () => platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(await repeat())).toEqual(refused)
    expect(outcomeOf(await alice.play({ nonce: 0 }))).toEqual(refused)
    const rollback = await platform.rollBack(alice, 'spin-1', { partnerTransactionId: 'undo-1' })
    expect(outcomeOf(rollback)).toEqual(refused)
    expect(outcomeOf(await platform.statement(alice))).toEqual(refused)
    const read = await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)
    expect(outcomeOf(read)).toEqual(refused)
    expect(await alice.chips()).toBe(chips)
    await play(1)
    expect((await platform.transact(alice, '-1')).status).toBe(200)
    down.mockRestore()
    expect((await repeat()).status).toBe(200)
  })

  it('a file that was altered or replaced by another is as good as none', async () => {
    await play(24)
    await grow()
    const [first = '', second = ''] = await keys()
    const lines = await archivedLines(first)
    const forged = lines.map((line) => line.replaceAll('1000000', '9000000')).join('\n')
    const stream = new Response(`${forged}\n`).body?.pipeThrough(new CompressionStream('gzip'))
    const whole = await (await env.ARCHIVE.get(first))!.arrayBuffer()
    const other = await (await env.ARCHIVE.get(second))!.arrayBuffer()
    for (const content of [await new Response(stream).arrayBuffer(), other]) {
      await env.ARCHIVE.put(first, content)
      await restart()
      expect(await ledger(env, alice.wallet).verifySegment(1)).toMatchObject({ ok: false })
      expect(outcomeOf(await alice.play({ nonce: 0 }))).toEqual([503, 'archive_unavailable'])
    }
    await env.ARCHIVE.put(first, whole)
    expect((await alice.play({ nonce: 0 })).status).toBe(200)
  })
})

describe('a segment is moved once and whole, whatever fails:', () => {
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
        segment: number,
      ) {
        drop.call(this, segment)
        throw new Error('disk full')
      })
    },
  }

  const ways = ['goes on', 'is killed'] as const
  const cases = Object.entries(failures).flatMap(([failure, fail]) =>
    ways.map((way) => ({ failure, fail, way })),
  )

  it.each(cases)('$failure, and the object $way', async ({ fail, way }) => {
    await play(12)
    const entries = await entriesOf(ledger(env, alice.wallet))
    fail()
    await grow()
    if (way === 'is killed') await restart()
    expect(await archived()).toBe(0)
    expect((await alice.play({ nonce: 0 })).status).toBe(200)
    expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
    await ledger(env, alice.wallet).archive()
    expect([await archived(), (await keys()).length]).toEqual([1, 1])
    expect(await entriesOf(ledger(env, alice.wallet))).toEqual(entries)
  })

  it('calls go on while it is moved', async () => {
    await play(12)
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
    await play(2)
    store()
    await moving
    await play(1)
    expect(await archived()).toBe(1)
  })
})
