import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { crashRound, ledger } from '../../src/calls/objects.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { verifyPlay } from '../../src/verify/play.ts'
import { verifyRound, verifyVoid } from '../../src/verify/round.ts'
import { CrashRound } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { loseCall } from './partner.ts'
import {
  fundedPlayer,
  get,
  isBlankObject,
  openBeaconRound,
  openRound,
  pass,
  Player,
  post,
  restart,
  ringRound,
  secretsOf,
  setTime,
  useStories,
  outcomeOf,
  endRound,
  watch,
} from './support.ts'

useStories()

const playOf = ({ wallet }: Player, nonce: number | string) =>
  get(`/api/entropy?action=play&wallet=${wallet}&nonce=${nonce}`)
const betOf = ({ wallet }: Player, roundId: number | string) =>
  get(`/api/crash?action=bet&wallet=${wallet}&roundId=${roundId}`)
const NOT_FOUND = [404, 'not_found']

/** Deletes everything in D1. */
async function emptyD1(): Promise<void> {
  await flush(env)
  for (const table of ['recent_plays', 'crash_bets', 'crash_rounds']) {
    await env.HISTORY.exec(`DELETE FROM ${table}`)
  }
}

describe('a play by its number', () => {
  it('is disclosed even after a hundred newer ones have displaced it from the list', async () => {
    const alice = await fundedPlayer(0)
    const { ok: _ok, me: _me, ...first } = (await alice.play({ nonce: 0 })).body
    for (let nonce = 1; nonce <= 100; nonce++) await alice.play({ amountWei: '10000', nonce })
    await flush(env)
    const newest = await post('/api/entropy', {
      action: 'recent',
      wallet: alice.wallet,
      limit: 100,
    })
    const listed: { nonce: number }[] = newest.body.recent
    expect(listed.some(({ nonce }) => nonce === 0)).toBe(false)
    const { body } = await playOf(alice, 0)
    expect(body).toEqual({ ok: true, wallet: alice.wallet, ...first })
    expect(verifyPlay(body).every(({ holds }) => holds)).toBe(true)
  })

  it('is disclosed years later, after a restart and while D1 is empty', async () => {
    const alice = await fundedPlayer(0)
    const { body } = await alice.play({ nonce: 0 })
    await emptyD1()
    await restart()
    pass(3 * 365 * 86_400_000)
    expect((await playOf(alice, 0)).body.seed).toBe(body.seed)
  })

  it('needs no credential, and accepts any letter case', async () => {
    const alice = await fundedPlayer(0)
    await alice.play({ nonce: 0 })
    const lower = alice.wallet.toLowerCase()
    const { status, body } = await get(`/api/entropy?action=play&wallet=${lower}&nonce=0`)
    expect([status, body.wallet]).toEqual([200, alice.wallet])
  })

  it('is not found before it is made: its seed stays secret', async () => {
    const alice = await fundedPlayer(0)
    await alice.nextPlay()
    expect(outcomeOf(await playOf(alice, 0))).toEqual(NOT_FOUND)
    const played = (await alice.play({ nonce: 0 })).body
    for (const nonce of [1, 2, Number.MAX_SAFE_INTEGER]) {
      expect(outcomeOf(await playOf(alice, nonce))).toEqual(NOT_FOUND)
    }
    expect((await playOf(alice, 0)).body.nextSeedHash).toBe(played.nextSeedHash)
  })

  it('of a wallet that never played is not found, and creates nothing', async () => {
    const stranger = new Player(5)
    expect(outcomeOf(await playOf(stranger, 0))).toEqual(NOT_FOUND)
    expect(await isBlankObject(ledger(env, stranger.wallet))).toBe(true)
    await stranger.nextPlay()
    expect(outcomeOf(await playOf(stranger, 0))).toEqual(NOT_FOUND)
  })

  it.each(['', '-1', '1.5', 'x', '9007199254740992'])('is refused for the number %o', async (n) => {
    expect(outcomeOf(await playOf(new Player(0), n))).toEqual([400, 'invalid_request'])
  })

  it('is refused without a wallet or with an unknown action', async () => {
    expect(outcomeOf(await get('/api/entropy?action=play&nonce=0'))).toEqual([
      400,
      'invalid_request',
    ])
    expect(outcomeOf(await get('/api/entropy?action=plays'))).toEqual([400, 'unknown_action'])
  })
})

describe('a bet by its round', () => {
  it('that won is disclosed with its round, after a restart and while D1 is empty', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300, max: 1_000 })
    await alice.bet('1000000', { autoCashout: 2.5 })
    const { placedAt } = (await alice.state()).body.me.openBet
    await endRound(plan)
    const { body: told } = await get('/api/crash/verify-seeds')
    await emptyD1()
    await restart()
    const { status, body } = await betOf(alice, plan.roundId)
    expect(status).toBe(200)
    expect(body).toEqual({
      ok: true,
      wallet: alice.wallet,
      token: 'USDG',
      amountWei: '1000000',
      autoCashout: 2.5,
      placedAt,
      outcome: 'won',
      multiplier: 2.5,
      payout: '2500000',
      ...told.rounds[0],
    })
    expect(verifyRound(body).every(({ holds }) => holds)).toBe(true)
  })

  it('that lost is disclosed even if its player never returned', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ max: 1_000 })
    await alice.bet('1000000')
    await endRound(plan)
    const { body } = await betOf(alice, plan.roundId)
    expect(body).toMatchObject({ outcome: 'lost', multiplier: 0, payout: '0', autoCashout: null })
    expect(body.seed).toBe((await secretsOf(plan.roundId)).seed)
  })

  it('that never arrived is not found, since its stake was returned', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ max: 1_000 })
    loseCall(CrashRound.prototype, 'place')
    expect((await alice.bet('1000000')).status).toBe(500)
    await endRound(plan)
    expect(await alice.chips()).toBe('1000000000')
    expect(outcomeOf(await betOf(alice, plan.roundId))).toEqual(NOT_FOUND)
  })

  it('of a voided round is disclosed with its refund', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openBeaconRound(() => new Response('', { status: 503 }))
    await alice.bet('1000000')
    setTime(plan.voidAt + 1)
    await ringRound(plan.roundId)
    const { body } = await betOf(alice, plan.roundId)
    expect(body).toMatchObject({ outcome: 'voided', multiplier: 1, payout: '1000000' })
    expect(verifyVoid(body).every(({ holds }) => holds)).toBe(true)
  })

  it('is not found while the round is live, cashed out or not, and reveals nothing', async () => {
    const [alice, bob] = [await fundedPlayer(0), await fundedPlayer(1)]
    const plan = await openRound({ min: 500, max: 1_000 })
    const { seed, crash: point } = await secretsOf(plan.roundId)
    await alice.bet('1000000')
    await bob.bet('1000000')
    const before = await betOf(alice, plan.roundId)
    setTime(plan.flightAt + 2_000)
    expect((await alice.cashout()).status).toBe(200)
    const answers = [before, await betOf(alice, plan.roundId), await betOf(bob, plan.roundId)]
    for (const answer of answers) {
      expect(outcomeOf(answer)).toEqual(NOT_FOUND)
      expect(answer.text).not.toContain(seed)
    }
    setTime(plan.flightAt + flightMs(point) - 1)
    expect(outcomeOf(await betOf(bob, plan.roundId))).toEqual(NOT_FOUND)
    pass(2)
    // Until the table shows the end, its answer is up to 250 ms old.
    await watch()
    expect((await betOf(bob, plan.roundId)).body.crash).toBe(point / 100)
  })

  it('costs a round in flight few calls at a time, however many strangers ask', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 500, max: 1_000 })
    await alice.bet('1000000')
    setTime(plan.flightAt + 2_000)
    let isBusy = true
    const outcome = Reflect.get(CrashRound.prototype, 'outcome')
    const asked = vi.spyOn(CrashRound.prototype, 'outcome').mockImplementation(async function (
      this: CrashRound,
      betId,
    ) {
      await vi.waitFor(() => expect(isBusy).toBe(false), SOON)
      return outcome.call(this, betId)
    })
    const answers: unknown[] = []
    const reads = Array.from({ length: 20 }, async () =>
      answers.push(outcomeOf(await betOf(alice, plan.roundId))),
    )
    await vi.waitFor(() => expect(answers).toHaveLength(16), SOON)
    isBusy = false
    await Promise.all(reads)
    expect(asked).toHaveBeenCalledTimes(4)
    const refused = Array.from({ length: 16 }, () => [429, 'rate_limited'])
    expect(answers).toEqual([...refused, ...Array.from({ length: 4 }, () => NOT_FOUND)])
  })

  it('that was refused by its round is not found', async () => {
    const alice = await fundedPlayer(0)
    const limits = { min: '1', max: '1000000', maxPayout: '1010000', maxRoundPayout: '1010000' }
    const plan = await openRound({ max: 1_000, limits })
    await (await fundedPlayer(1)).bet('1000000')
    expect((await alice.bet('1000000')).status).not.toBe(200)
    await endRound(plan)
    expect(outcomeOf(await betOf(alice, plan.roundId))).toEqual(NOT_FOUND)
  })

  it('that was never placed is not found, and creates nothing', async () => {
    const [alice, stranger] = [await fundedPlayer(0), new Player(5)]
    expect(outcomeOf(await betOf(stranger, 1))).toEqual(NOT_FOUND)
    expect(await isBlankObject(ledger(env, stranger.wallet))).toBe(true)
    expect(outcomeOf(await betOf(alice, 424_242))).toEqual(NOT_FOUND)
    expect(await isBlankObject(crashRound(env, 424_242))).toBe(true)
  })

  it.each(['', '0', '-1', 'x'])('is refused for the round %o', async (roundId) => {
    expect(outcomeOf(await betOf(new Player(0), roundId))).toEqual([400, 'invalid_request'])
  })
})

describe('disclosures by number', () => {
  it.each<[string, string]>([
    ['plays', '/api/entropy?action=play&nonce=0&wallet='],
    ['bets', '/api/crash?action=bet&roundId=1&wallet='],
  ])('of %s are limited for each client address', async (_what, path) => {
    const limit = vi.spyOn(env.READS, 'limit').mockResolvedValue({ success: false })
    expect(outcomeOf(await get(`${path}${new Player(5).wallet}`))).toEqual([429, 'rate_limited'])
    expect(limit).toHaveBeenCalledTimes(1)
  })
})
