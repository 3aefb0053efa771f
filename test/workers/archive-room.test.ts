import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { grow, play, useShortSegments } from './archive.ts'
import { fundedPlayer, get, pass, restart, useStories, type Player } from './support.ts'

useStories()
await useShortSegments()

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})

describe('a segment from the archive', () => {
  it('stays in memory of one wallet only', async () => {
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
