import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CrashRound } from '../../durable-objects/crash-round.ts'
import { ledger } from '../../src/calls/objects.ts'
import { isoTime } from '../../src/core/utc-day.ts'
import type { Me } from '../../src/ledger/me.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { archived, grow, keys, play, useShortSegments } from './archive.ts'
import { archivedLines } from './journals.ts'
import { goesBackTo, stateOf } from './ledger-states.ts'
import { order, setModes } from './operator.ts'
import { grant, permissionOf, Platform } from './partner.ts'
import {
  endRound,
  fundedPlayer,
  get,
  now,
  openRound,
  outcomeOf,
  pass,
  post,
  restart,
  setTime,
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

describe('what is in the archive', () => {
  it('is answered as before, byte for byte', async () => {
    const first = await alice.play({ nonce: 0 })
    const debit = await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    setTime(plan.flightAt + 2_000)
    await alice.cashout()
    await endRound(plan)
    const bet = await get(`/api/crash?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`)
    const one = await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)
    expect([bet.status, one.status]).toEqual([200, 200])
    const statement = await platform.statement(alice)
    await play(alice, 70)
    await grow(alice)
    expect(await archived(alice)).toBe(7)
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
      (await get(`/api/crash?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`)).text,
    ).toBe(bet.text)
    const { entries } = (await platform.statement(alice)).body
    expect(entries).toEqual(statement.body.entries)
  })

  it('is known when a round reports again how its bet ended, however late the first report was', async () => {
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    const silent = vi.spyOn(CrashRound.prototype, 'outcome').mockRejectedValue(new Error('no'))
    pass(3_700_000)
    await play(alice, 64)
    silent.mockRestore()
    await grow(alice)
    await play(alice, 30)
    await grow(alice)
    expect(await archived(alice)).toBeGreaterThan(8)
    await restart()
    const read = await get(`/api/crash?action=bet&wallet=${alice.wallet}&roundId=${plan.roundId}`)
    expect(read.status).toBe(200)
    const kind = read.body.outcome
    const betId = `${plan.roundId}:${alice.wallet}:0`
    const won = { kind, multiplier: 200, payoutWei: '2000000' } as const
    const { me } = (await ledger(env, alice.wallet).settle(betId, won)) as { me: Me }
    expect(me.chips.USDG).toBe(await alice.chips())
  })

  it('is sent to the feed again, from however many segments', async () => {
    for (let round = 0; round < 6; round++) {
      await play(alice, 1)
      for (let count = 0; count < 10; count++) await platform.transact(alice, '1')
    }
    await play(alice, 1)
    await grow(alice)
    expect(await archived(alice)).toBe(6)
    await env.HISTORY.prepare('DELETE FROM recent_plays').run()
    const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValueOnce(new Error('R2 is down'))
    await restart()
    const fault = await ledger(env, alice.wallet).sendPlays().catch(String)
    expect(fault).toContain('their archive does not answer')
    down.mockRestore()
    await ledger(env, alice.wallet).sendPlays()
    const { body } = await post('/api/entropy', { action: 'recent' })
    expect(body.recent).toHaveLength(7)
  })

  it('is fetched once for calls at the same time, and a few segments at a time', async () => {
    await play(alice, 84)
    await grow(alice)
    expect(await archived(alice)).toBe(8)
    const gets = vi.spyOn(env.ARCHIVE, 'get')
    const reads = (nonces: number[]) =>
      Promise.all(
        nonces.map((nonce) =>
          get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=${nonce}`),
        ),
      )
    await restart()
    const same = await reads([2, 3, 4, 5, 2, 3, 4, 5])
    expect(same.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(gets).toHaveBeenCalledTimes(1)
    await restart()
    const others = await reads([2, 12, 22, 32, 42, 52, 62, 72])
    const outcomes = new Set(others.map((answer) => outcomeOf(answer).join(' ').trim()))
    expect([...outcomes].toSorted()).toEqual(['200', '503 archive_unavailable'])
  })

  it('stays in memory for the next page only, a segment of it', async () => {
    await play(alice, 24)
    await grow(alice)
    await restart()
    const gets = vi.spyOn(env.ARCHIVE, 'get')
    const readsOf = async (nonce: number) => {
      const read = await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=${nonce}`)
      expect(read.status).toBe(200)
      return gets.mock.calls.length
    }
    const counts = [await readsOf(2), await readsOf(12), await readsOf(13), await readsOf(3)]
    expect(counts).toEqual([1, 2, 2, 3])
  })

  it('serves several calls that need more of it than fits into memory', async () => {
    const times: number[] = []
    for (let count = 0; count < 84; count++) {
      pass(1_000)
      times.push(now())
      await platform.transact(alice, '1')
    }
    await grow(alice)
    await restart()
    for (const page of [1, 3, 5]) {
      const answers = await Promise.all(
        [page, page + 1].map((segment) =>
          platform.statement(alice, `&from=${times[segment * 10 - 5]}&cursor=${segment * 10 + 5}`),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
    }
  })

  it('may have made a permission, which the ledger does not check until the segment is', async () => {
    await grant(alice)
    await play(alice, 20)
    await grow(alice)
    await restart()
    expect(await archived(alice)).toBeGreaterThan(0)
    expect(await permissionOf(alice)).toMatchObject({ maxPerDayWei: '100000000' })
  })

  it('is credited once by a repeated call of the faucet', async () => {
    await ledger(env, alice.wallet).faucet('again', 'USDG', 5n)
    await play(alice, 20)
    await grow(alice)
    await restart()
    const chips = await alice.chips()
    await ledger(env, alice.wallet).faucet('again', 'USDG', 5n)
    expect(await alice.chips()).toBe(chips)
  })

  it('is rolled back once by many calls at the same time', async () => {
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    await platform.transact(alice, '7', { partnerTransactionId: 'win-1' })
    await play(alice, 40)
    await grow(alice)
    await restart()
    const before = BigInt(await alice.chips())
    const ids = Array.from({ length: 6 }, () => ['spin-1', 'win-1']).flat()
    await Promise.all(ids.map((id) => platform.rollBack(alice, id)))
    expect(BigInt(await alice.chips()) - before).toBe(-2_000_000n)
  })

  it('is not made again under an id or a number that is used', async () => {
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    await play(alice, 20)
    await grow(alice)
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
    await play(alice, 20)
    await grow(alice)
    await restart()
    const chips = BigInt(await alice.chips())
    expect((await platform.rollBack(alice, 'spin-1')).status).toBe(200)
    expect((await platform.rollBack(alice, 'spin-1')).status).toBe(200)
    expect(await alice.chips()).toBe(String(chips + 5_000_000n))
  })

  it('is paged through with the rest in a statement', async () => {
    for (let count = 1; count <= 27; count++) await platform.transact(alice, String(count))
    await grow(alice)
    const amounts: string[] = []
    for (let cursor: number | null = 0; cursor !== null;) {
      const { body } = await platform.statement(alice, `&limit=4&cursor=${cursor}`)
      amounts.push(...body.entries.map((entry: { amountWei: string }) => entry.amountWei))
      cursor = body.next
    }
    expect(amounts).toEqual(Array.from({ length: 27 }, (_, index) => `${index + 1}000000`))
  })
})

describe('an archived transaction, after a restore of its ledger', () => {
  const rollBack = (id: string) => platform.rollBack(alice, 'stake', { partnerTransactionId: id })

  /** Archives what there is, and has the ledger lose what happens meanwhile. */
  async function losing(meanwhile: () => Promise<unknown>): Promise<void> {
    await play(alice, 20)
    await grow(alice)
    const state = await stateOf(alice.wallet)
    const time = isoTime(now()).replace(/\.\d+Z$/, 'Z')
    pass(1_000)
    await meanwhile()
    await setModes(`wallet:${alice.wallet}=closed`)
    pass(LAST_KNOWN_MS)
    await goesBackTo(alice.wallet, state)
    const { act } = (await order('restore', `${alice.wallet}@${time}`)).body
    expect(act.result).toMatchObject({ isDone: true })
    await setModes(`wallet:${alice.wallet}=open`)
  }

  beforeEach(async () => {
    await platform.transact(alice, '-3', { partnerTransactionId: 'stake' })
  })

  it('is rolled back no second time if the first was lost, although the archive does not answer', async () => {
    const asked = vi.spyOn(env.ARCHIVE, 'get')
    await losing(async () => {
      expect((await rollBack('undo-1')).status).toBe(200)
      asked.mockRejectedValue(new Error('R2 is down'))
    })
    asked.mockRestore()
    const chips = await alice.chips()
    expect((await rollBack('undo-2')).body.error.details).toEqual({ reason: 'answer_lost' })
    expect(await alice.chips()).toBe(chips)
  })

  it('is still known as rolled back if only a later rollback was lost, which moved nothing', async () => {
    expect((await rollBack('undo-1')).status).toBe(200)
    await losing(async () => {
      expect((await rollBack('undo-2')).status).toBe(200)
    })
    const chips = await alice.chips()
    expect((await rollBack('undo-3')).status).toBe(200)
    expect(await alice.chips()).toBe(chips)
  })
})

describe('while the archive does not answer', () => {
  it('what needs it is refused, nothing is made anew, and everything else goes on', async () => {
    await platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    const { roundId, flightAt } = await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    setTime(flightAt + 2_000)
    await alice.cashout()
    await play(alice, 20)
    await grow(alice)
    await restart()
    const chips = await alice.chips()
    const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
    const refused = [503, 'archive_unavailable']
    const repeat = () => platform.transact(alice, '-5', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(await repeat())).toEqual(refused)
    expect(outcomeOf(await alice.play({ nonce: 0 }))).toEqual(refused)
    expect(outcomeOf(await alice.cashout({ roundId }))).toEqual(refused)
    const rollback = await platform.rollBack(alice, 'spin-1', { partnerTransactionId: 'undo-1' })
    expect(outcomeOf(rollback)).toEqual(refused)
    expect(outcomeOf(await platform.statement(alice))).toEqual(refused)
    const read = await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)
    expect(outcomeOf(read)).toEqual(refused)
    expect(await alice.chips()).toBe(chips)
    await play(alice, 1)
    expect((await platform.transact(alice, '-1')).status).toBe(200)
    down.mockRestore()
    expect((await repeat()).status).toBe(200)
  })

  it('a file that was altered or replaced by another is as good as none', async () => {
    await play(alice, 24)
    await grow(alice)
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
