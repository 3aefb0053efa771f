import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { crashRound, crashTable } from '../../src/calls/objects.ts'
import { LEAD_MS } from '../../src/operator/modes.ts'
import { look, order, setModes } from './operator.ts'
import {
  audit,
  codeOf,
  endRound,
  fundedPlayer,
  openRound,
  pass,
  passFlight,
  post,
  restart,
  ringLedger,
  ringRound,
  ringTable,
  setTime,
  useStories,
  watch,
  type Player,
} from './support.ts'
import { Viewer } from './viewer.ts'

useStories()

const STAKE = '1000000'

describe('a draining table', () => {
  it('finishes its round and opens no other, until it is open again', async () => {
    const alice = await fundedPlayer(0)
    const round = await openRound({ min: 300 })
    expect((await alice.bet(STAKE)).status).toBe(200)
    await order('mode', 'crash=draining')
    // An isolate shows a betting round as it was read until its bets close.
    setTime(round.betsCloseAt)
    expect(await watch()).toMatchObject({ roundId: round.roundId, mode: 'draining' })
    setTime(round.flightAt + 11_553)
    expect((await alice.cashout()).body).toMatchObject({ multiplier: 2 })
    await endRound(round)
    for (const minutes of [1, 2, 3]) {
      pass(minutes * 60_000)
      await ringTable()
      expect(await watch()).toMatchObject({
        roundId: round.roundId,
        phase: 'results',
        mode: 'draining',
      })
    }
    expect(await alice.chips()).toBe('1001000000')
    await order('mode', 'crash=open')
    pass(LEAD_MS - 1)
    expect(await watch()).toMatchObject({ roundId: round.roundId, mode: 'open' })
    pass(1)
    expect(await watch()).toMatchObject({ roundId: round.roundId + 1, phase: 'betting' })
  })

  it('shows its last round after a restart, even one that nobody bet in', async () => {
    const round = await openRound()
    await order('mode', 'crash=closed')
    await endRound(round)
    pass(60_000)
    await restart()
    expect(await watch()).toMatchObject({ roundId: round.roundId, mode: 'closed' })
    expect(await crashRound(env, round.roundId + 1).view()).toBeNull()
  })

  it('that has never had a round, or rests, opens a last one to have something to show', async () => {
    await order('mode', 'crash=draining')
    const first = await watch()
    expect(first).toMatchObject({ roundId: 1, phase: 'betting', mode: 'draining' })
    setTime(first.flightAt)
    await passFlight({ ...first, roundId: 1 })
    await ringRound(1)
    pass(60_000)
    expect(await watch()).toMatchObject({ roundId: 1, phase: 'results' })
  })

  it('sets no alarm while it rests, and is not asked more than every five seconds', async () => {
    const round = await openRound()
    await setModes('crash=closed')
    await endRound(round)
    pass(60_000)
    const snapshot = await crashTable(env).snapshot()
    expect(snapshot.restsUntil).toBe(snapshot.asOf + 5_000)
    await ringTable()
    expect(await runDurableObjectAlarm(crashTable(env))).toBe(false)
  })

  it('tells its viewers at once, and again when it is open', async () => {
    const round = await openRound()
    const viewer = await Viewer.connect()
    const told = async (count: number) =>
      (await viewer.hears('snapshot', count)).map(({ state }) => state.mode)
    await order('mode', 'crash=draining')
    expect(await told(2)).toEqual(['open', 'draining'])
    await endRound(round)
    await order('mode', 'crash=open')
    expect(await told(3)).toEqual(['open', 'draining', 'open'])
  })
})

describe('a drain under load', () => {
  it('loses nothing and ends: afterwards no ledger has anything in play', async () => {
    const players = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => fundedPlayer(index)))
    const round = await openRound({ min: 200, max: 400 })
    const openMines = async (player: Player) =>
      post('/api/entropy', {
        action: 'mines-open',
        wallet: player.wallet,
        authSig: await player.authSig(),
        token: 'USDG',
        amountWei: STAKE,
        params: { mines: 1 },
      })
    const takenOf = (answers: { status: number }[]) =>
      answers.filter(({ status }) => status === 200).length

    const inPlay = async () => {
      pass(10 * 60_000)
      for (const player of players) await ringLedger(player)
      return (await look()).body.walletsInPlay
    }

    await Promise.all(players.map((player) => player.bet(STAKE)))
    await Promise.all(players.map(openMines))
    expect((await look()).body.walletsInPlay).toBeNull()
    const counts: number[] = []
    for (let second = 0; second < 14; second++) {
      const plays = players.map((player) => player.play())
      if (second === 2) await order('mode', 'all=draining')
      counts.push(takenOf(await Promise.all(plays)))
      pass(1_000)
    }
    // Everyone could play until the effect, and nobody after it.
    expect(counts).toEqual([...Array(12).fill(players.length), ...Array(2).fill(0)])
    await restart()
    await endRound(round)
    expect(await inPlay()).toBe(players.length)
    for (const player of players) {
      const authSig = await player.authSig()
      const signed = { wallet: player.wallet, authSig }
      const { body } = await post('/api/entropy', {
        action: 'mines-pick',
        ...signed,
        nonce: 0,
        tile: 0,
      })
      if (!body.hit) await post('/api/entropy', { action: 'mines-cashout', ...signed, nonce: 0 })
    }
    pass(60_000)
    for (const player of players) {
      await player.state()
      await ringLedger(player)
      expect(codeOf(await player.play())).toBe('closed')
      const audited = await audit(player)
      expect(audited).toMatchObject({ ok: true, balances: { USDG: { in_play: '0' } } })
    }
    expect(await inPlay()).toBe(0)
  })
})
