import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { grow, play, useShortSegments } from './archive.ts'
import { setLimit } from './limits.ts'
import {
  codeOf,
  fundedPlayer,
  get,
  now,
  pass,
  restart,
  setTime,
  useStories,
  type Answer,
  type Player,
} from './support.ts'

useStories()
useShortSegments()

const logged = vi.fn<(line: string) => void>()

beforeEach(() => {
  logged.mockClear()
  vi.spyOn(console, 'error').mockImplementation(logged)
})

describe('a segment from the archive', () => {
  it('that strangers read stays in memory of one wallet only, and takes no place of others', async () => {
    const players = [await fundedPlayer(3), await fundedPlayer(4)] as const
    for (const player of players) {
      await play(player, 12)
      await grow(player)
    }
    await restart()
    const gets = vi.spyOn(env.ARCHIVE, 'get')
    const readsOf = async ({ wallet }: Player) => {
      await get(`/api/entropy?action=play&wallet=${wallet}&nonce=2`)
      return gets.mock.calls.length
    }
    const [one, other] = players
    const counts = [await readsOf(one), await readsOf(other), await readsOf(other)]
    expect([...counts, await readsOf(one)]).toEqual([1, 2, 2, 3])
    await restart()
    gets.mockClear()
    for (let turn = 0; turn < 3; turn++) {
      for (const player of players) expect((await player.play({ nonce: 2 })).status).toBe(200)
      pass(1_000)
      await readsOf(other)
    }
    // Each of the two plays, and none again.
    expect(gets).toHaveBeenCalledTimes(2)
  })

  it('is fetched for a repeated play, however many reads of other wallets are fetching', async () => {
    const readers = [await fundedPlayer(6), await fundedPlayer(7)]
    const bob = await fundedPlayer(8)
    for (const reader of readers) await play(reader, 44)
    await play(bob, 12)
    for (const player of [...readers, bob]) await grow(player)
    await restart()
    const real = env.ARCHIVE.get.bind(env.ARCHIVE)
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    vi.spyOn(env.ARCHIVE, 'get').mockImplementation(async (key) => {
      if (!key.includes(bob.wallet)) await answered
      return real(key)
    })
    const reads: Promise<Answer>[] = []
    for (const reader of readers) {
      const own = `wallet=${reader.wallet}&authSig=${await reader.authSig()}`
      for (const before of [12, 22, 32]) reads.push(get(`/api/history?${own}&before=${before}`))
    }
    expect((await bob.play({ nonce: 0 })).status).toBe(200)
    answer()
    const statuses = (await Promise.all(reads)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503])
    expect(logged).not.toHaveBeenCalled()
  })

  it('is refused to the repeated plays of many wallets beyond eight at once, and given to them soon after', async () => {
    const players = await Promise.all([14, 15, 16, 17, 18].map((index) => fundedPlayer(index)))
    for (const player of players) {
      await play(player, 44)
      await grow(player)
    }
    await restart()
    let undecided = 20
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const decided = () => void (--undecided === 0 && answer())
    const real = env.ARCHIVE.get.bind(env.ARCHIVE)
    const gets = vi.spyOn(env.ARCHIVE, 'get').mockImplementation(async (key) => {
      decided()
      await answered
      return real(key)
    })
    const repeatAll = (player: Player) =>
      Promise.all([2, 12, 22, 32].map((nonce) => player.play({ nonce })))
    const repeatAtOnce = async (player: Player, nonce: number) => {
      const repeated = await player.play({ nonce })
      if (repeated.status === 503) decided()
      return codeOf(repeated)
    }
    const codes = await Promise.all(
      players.flatMap((player) => [2, 12, 22, 32].map((nonce) => repeatAtOnce(player, nonce))),
    )
    expect(gets).toHaveBeenCalledTimes(8)
    expect(codes.filter((code) => code === 'archive_unavailable')).toHaveLength(12)
    for (const player of players) {
      expect((await repeatAll(player)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
  })

  it('is fetched once for the stakes whose limits look back into it, though other wallets stake in turn', async () => {
    const players = await Promise.all([10, 11, 12, 13].map((index) => fundedPlayer(index)))
    for (const player of players) await setLimit(player, 'wager', '1000000000', 'month')
    let windowFrom = 0
    for (let turn = 0; turn < 25; turn++) {
      if (turn === 10) windowFrom = now()
      for (const player of players) await play(player, 1)
      pass(1_000)
    }
    for (const player of players) await grow(player)
    await restart()
    setTime(windowFrom + 30 * DAY_MS)
    const gets = vi.spyOn(env.ARCHIVE, 'get')
    for (let turn = 0; turn < 5; turn++) {
      for (const player of players) await play(player, 1)
      pass(1_000)
    }
    expect(gets).toHaveBeenCalledTimes(players.length)
  })

  it('is fetched for strangers four times a second, and for its wallet all the same', async () => {
    const carol = await fundedPlayer(5)
    await play(carol, 54)
    await grow(carol)
    await restart()
    pass(1_000)
    const read = (nonce: number) =>
      get(`/api/entropy?action=play&wallet=${carol.wallet}&nonce=${nonce}`)
    const statuses: number[] = []
    for (const nonce of [2, 12, 22, 32, 42]) statuses.push((await read(nonce)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 503])
    const own = `wallet=${carol.wallet}&authSig=${await carol.authSig()}`
    expect((await get(`/api/history?${own}&before=52`)).status).toBe(200)
    pass(1_000)
    expect((await read(42)).status).toBe(200)
  })
})
