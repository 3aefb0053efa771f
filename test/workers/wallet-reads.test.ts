import { env, exports } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { costsOf } from './costs.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  openRound,
  Player,
  post,
  useStories,
} from './support.ts'

useStories()

describe('while a network is above its limit of reads about wallets', () => {
  let alice: Player
  let roundId: number

  beforeEach(async () => {
    alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 600 })
    roundId = plan.roundId
    await alice.bet('1000000')
    await endRound(plan)
    await alice.play({ nonce: 0 })
    // This isolate reads the table, the modes and the bankroll once for everyone.
    await get('/api/entropy')
    const limit = vi.spyOn(env.READS, 'limit')
    limit.mockImplementation(async ({ key }) => ({ success: key !== 'walletReads unknown' }))
  })

  it("asks no wallet's ledger for strangers", async () => {
    const reads = async () => {
      for (const path of [
        `/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`,
        `/api/entropy?wallet=${alice.wallet}`,
        `/api/crash?action=bet&wallet=${alice.wallet}&roundId=${roundId}`,
      ]) {
        expect(codeOf(await get(path))).toBe('rate_limited')
      }
      const recent = { action: 'recent', wallet: alice.wallet }
      expect(codeOf(await post('/api/entropy', recent))).toBe('rate_limited')
    }
    expect((await costsOf(reads)).calls).toBe(0)
  })

  it('draws no preview of its plays and bets', async () => {
    const pictures = async () => {
      for (const path of [`/play/${alice.wallet}/0`, `/bet/${alice.wallet}/${roundId}`]) {
        const picture = await exports.default.fetch(`http://fairhouse.test${path}/preview.png`)
        expect([path, picture.status]).toEqual([path, 429])
      }
    }
    expect((await costsOf(pictures)).calls).toBe(0)
  })

  it('still answers signed-in players, and callers that name no wallet', async () => {
    expect(await alice.nextPlay()).toMatchObject({ nonce: 1 })
    expect((await alice.play({ nonce: 0 })).status).toBe(200)
    expect((await get('/api/entropy')).status).toBe(200)
    expect((await post('/api/entropy', { action: 'recent' })).status).toBe(200)
  })
})
