import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { WholeRound } from '../../src/crash/disclosure.ts'
import { beaconPublishedAt } from '../../src/fairness/drand.ts'
import { verifyBets } from '../../src/verify/whole-round.ts'
import { CrashRound, TransparencyLog } from '../../src/worker.ts'
import { publishedBeacon } from './beacon.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  openBeaconRound,
  openRound,
  pass,
  restart,
  setTime,
  useStories,
  watch,
} from './support.ts'
import { Viewer } from './viewer.ts'

useStories()

async function wholeRound(roundId: number): Promise<WholeRound> {
  const { status, body } = await get(`/api/crash?action=round&roundId=${roundId}`)
  expect(status).toBe(200)
  return body
}

const failed = (round: WholeRound) => verifyBets(round).filter(({ holds }) => !holds)

describe('the bets of a round', () => {
  it('are fixed by a root from the close on, at least a second before the beacon', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openBeaconRound(publishedBeacon)
    const viewer = await Viewer.connect()
    await alice.bet('1000000', { autoCashout: 1.5 })
    await bob.bet('2000000')
    setTime(plan.betsCloseAt - 1)
    expect(await watch()).toMatchObject({ betsRoot: null, betCount: null })
    setTime(beaconPublishedAt(plan.beacon) - 1_000)
    const { betsRoot, betCount } = (await watch()) as { betsRoot: string; betCount: number }
    expect(betCount).toBe(2)
    expect(JSON.stringify(viewer.heard)).not.toContain('"autoCashout":1.5')
    expect((await alice.state()).body).toMatchObject({ betsRoot, betCount })
  })

  it('are disclosed with it after the end, also after a restart', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000', { autoCashout: 1.5 })
    await bob.bet('2000000')
    await restart()
    setTime(plan.betsCloseAt)
    const { betsRoot } = (await watch()) as { betsRoot: string }
    await endRound(plan)
    const round = await wholeRound(plan.roundId)
    expect(round).toMatchObject({ betsRoot, betCount: 2, seedHash: plan.seedHash, plan })
    expect(round.bets.map(({ n, wallet, outcome }) => [n, wallet, outcome])).toEqual([
      [0, alice.wallet, 'won'],
      [1, bob.wallet, 'lost'],
    ])
    expect(failed(round)).toEqual([])
    await restart()
    expect(await wholeRound(plan.roundId)).toEqual(round)
  })

  it('verify with the stakes that the round accepted, whatever it refused before and after a restart', async () => {
    const limits = { min: '1', max: '10000000', maxPayout: '40000000', maxRoundPayout: '80000000' }
    const [alice, bob, carol] = [
      await fundedPlayer(0),
      await fundedPlayer(1),
      await fundedPlayer(2),
    ]
    const plan = await openRound({ min: 200, max: 600, limits })
    expect(codeOf(await alice.bet('10000001'))).toBe('amount_out_of_bounds')
    await alice.bet('10000000')
    expect(codeOf(await bob.bet('7500001'))).toBe('payout_limit')
    await restart()
    await bob.bet('7500000')
    expect(codeOf(await carol.bet('7500000'))).toBe('payout_limit')
    await carol.bet('5625000')
    await endRound(plan)
    const round = await wholeRound(plan.roundId)
    expect(round.bets.map(({ amountWei }) => amountWei)).toEqual(['10000000', '7500000', '5625000'])
    expect(failed(round)).toEqual([])
  })

  it('are computed once for all who ask for a page within ten seconds', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 200, max: 600 })
    await alice.bet('1000000')
    await bob.bet('2000000')
    await endRound(plan)
    const whole = vi.spyOn(CrashRound.prototype, 'whole')
    const page = async (from: number) => {
      const { body } = await get(`/api/crash?action=round&roundId=${plan.roundId}&from=${from}`)
      return body.bets.map(({ wallet }: { wallet: string }) => wallet)
    }
    for (let read = 0; read < 5; read++) {
      expect(await page(0)).toEqual([alice.wallet, bob.wallet])
      expect(await page(1)).toEqual([bob.wallet])
      expect(await page(2 + read)).toEqual([])
    }
    expect(whole.mock.calls).toEqual([[0], [1], [2]])
    pass(10_000)
    await page(0)
    expect(whole).toHaveBeenCalledTimes(4)
  })

  it('are none in a round that nobody bet in and that has erased itself', async () => {
    const plan = await openRound()
    await endRound(plan)
    pass(5_000)
    const round = await wholeRound(plan.roundId)
    expect(round).toMatchObject({ plan, betCount: 0, bets: [], next: null })
    expect(failed(round)).toEqual([])
  })

  it('ask the public log for a plan only within the limit of a network, since rounds wait for it', async () => {
    const plan = await openRound()
    await endRound(plan)
    pass(5_000)
    await wholeRound(plan.roundId)
    const find = vi.spyOn(TransparencyLog.prototype, 'find')
    vi.spyOn(env.READS, 'limit').mockImplementation(async ({ key }) => ({
      success: key !== 'log unknown',
    }))
    const { status } = await get(`/api/crash?action=round&roundId=${plan.roundId}`)
    expect([status, find.mock.calls]).toEqual([429, []])
  })

  it('are not disclosed before the end, nor is a round made by asking for it', async () => {
    const plan = await openRound()
    for (const roundId of [plan.roundId, plan.roundId + 1]) {
      const { status, body } = await get(`/api/crash?action=round&roundId=${roundId}`)
      expect([status, body.error?.code]).toEqual([404, 'not_found'])
    }
  })
})
