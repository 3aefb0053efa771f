import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { ledger } from '../../src/calls/objects.ts'
import { commits } from '../../src/fairness/seed.ts'
import type { FeedPlay } from '../../src/games/play-request.ts'
import { verifyPlay } from '../../src/verify/play.ts'
import { Ledger } from '../../src/worker.ts'
import { registerSecondTables } from '../unit/games/second-tables.ts'
import { headOf, interruptNextEntry } from './journals.ts'
import { recent, SELECTIONS } from './plays.ts'
import {
  audit,
  fundedPlayer,
  get,
  isBlankObject,
  openRound,
  pass,
  Player,
  post,
  restart,
  rowsOf,
  useStories,
  type Answer,
  outcomeOf,
  codeOf,
  passFlight,
} from './support.ts'

useStories()

/** The secrets of a wallet's next play, known only to its own object. */
async function nextSeed(player: Player): Promise<string> {
  const stub = ledger(env, player.wallet)
  const [first] = await rowsOf<{ seed: string }>(stub, 'SELECT first_seed AS seed FROM plays')
  return (await headOf(stub)).nextPlay?.seed ?? first!.seed
}

describe('the configuration of the games', () => {
  it('shows bounds, limits and every table', async () => {
    const { body } = await get('/api/entropy')
    expect(body).toMatchObject({
      ok: true,
      games: ['mines', 'limbo', 'plinko', 'keno'],
      bounds: {
        ETH: { min: '50000000000000', max: '200000000000000000' },
        USDG: { min: '10000', max: '500000000' },
      },
      maxPayout: { ETH: '200000000000000000000', USDG: '500000000000' },
      edgeBps: 100,
    })
    expect(body.plinkoTables.high[0]).toBe(1000)
    expect(body.plinkoTables).toEqual(body.plinkoRows[16])
    expect(Object.keys(body.plinkoRows)).toEqual([
      '8',
      '9',
      '10',
      '11',
      '12',
      '13',
      '14',
      '15',
      '16',
    ])
    expect(body.kenoTables.classic['1']).toEqual([0, 3.96])
    expect(body).not.toHaveProperty('fairness')
  })

  it('shows a wallet the commitment of its next play, unchanged by repeated reads', async () => {
    const alice = new Player(0)
    const first = await alice.nextPlay()
    expect(first).toEqual({ nonce: 0, seedHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await restart()
    expect(await alice.nextPlay()).toEqual(first)
  })

  it('draws first seeds within the limit of a network, and shows any that are drawn', async () => {
    const [alice, bob] = [new Player(100), new Player(101)]
    const first = await ledger(env, alice.wallet).commitNextPlay()
    const spent = vi.spyOn(env.MONEY_CALLS, 'limit').mockResolvedValue({ success: false })
    expect(await alice.nextPlay()).toEqual(first.fairness)
    const query = `wallet=${bob.wallet}&authSig=${await bob.authSig()}`
    expect(codeOf(await get(`/api/entropy?${query}`))).toBe('rate_limited')
    expect(await isBlankObject(ledger(env, bob.wallet))).toBe(true)
    expect(spent.mock.calls).toEqual(Array(2).fill([{ key: 'newWallets unknown' }]))
    expect(await alice.nextPlay()).toEqual(first.fairness)
    expect(spent).toHaveBeenCalledTimes(2)
  })

  it('refuses an invalid wallet', async () => {
    expect(codeOf(await get('/api/entropy?wallet=0x12'))).toBe('invalid_request')
  })
})

describe('a play', () => {
  it.each(SELECTIONS)(
    'of $game opens its commitment and pays the stated payout',
    async (selection) => {
      const alice = await fundedPlayer(0)
      const committed = await alice.nextPlay()
      const { status, body } = await alice.play({ ...selection, clientSeed: 'my own', nonce: 0 })
      expect(status).toBe(200)
      expect(body).toEqual({
        ok: true,
        game: selection.game,
        token: 'USDG',
        amount: '1000000',
        multiplier: expect.any(Number),
        payout: expect.stringMatching(/^\d+$/),
        win: body.payout !== '0',
        seedHash: committed.seedHash,
        seed: expect.any(String),
        clientSeed: 'my own',
        nonce: 0,
        nextSeedHash: (await alice.nextPlay()).seedHash,
        edgeBps: 100,
        tables: 1,
        settledAt: expect.any(Number),
        meta: expect.any(Object),
        me: { chips: { ETH: '0', USDG: String(999_000_000n + BigInt(body.payout)) } },
      })
      expect(commits(body.seedHash, body.seed)).toBe(true)
      expect(await alice.chips()).toBe(body.me.chips.USDG)
    },
  )

  it('without a client seed uses the lower-case wallet', async () => {
    const alice = await fundedPlayer(0)
    expect((await alice.play()).body.clientSeed).toBe(alice.wallet.toLowerCase())
  })

  it('accepts equivalent JSON spellings of numbers', async () => {
    const alice = await fundedPlayer(0)
    const body = JSON.stringify({
      action: 'play',
      game: 'limbo',
      token: 'USDG',
      amountWei: '1000000',
      wallet: alice.wallet,
      authSig: await alice.authSig(),
    })
    const answer = await post('/api/entropy', `${body.slice(0, -1)},"params":{"target":0.2e1}}`)
    expect(answer.body).toMatchObject({ ok: true, meta: { target: 2 } })
  })

  it('requires the wallet to have signed in', async () => {
    const alice = await fundedPlayer(0)
    expect(codeOf(await alice.play({ authSig: undefined }))).toBe('auth_required')
    expect(codeOf(await alice.play({ authSig: `0x${'11'.repeat(65)}` }))).toBe('auth_invalid')
  })

  it.each<[string, object]>([
    ['an unknown game', { game: 'dice' }],
    ['no params', { params: undefined }],
    ['a target of 1.00', { params: { target: 1 } }],
    ['a target above a million', { params: { target: 1_000_000.01 } }],
    ['a target with three decimals', { params: { target: 1.005 } }],
    ['a target as text', { params: { target: '2' } }],
    ['no mines', { game: 'mines', params: { mines: 0, pick: 1 } }],
    ['25 mines', { game: 'mines', params: { mines: 25, pick: 1 } }],
    ['half a mine', { game: 'mines', params: { mines: 1.5, pick: 1 } }],
    ['no pick', { game: 'mines', params: { mines: 1, pick: 0 } }],
    ['an empty list of tiles', { game: 'mines', params: { mines: 1, pick: [] } }],
    ['a tile picked twice', { game: 'mines', params: { mines: 1, pick: [3, 3] } }],
    ['a tile off the board', { game: 'mines', params: { mines: 1, pick: [25] } }],
    ['more mines and picks than tiles', { game: 'mines', params: { mines: 24, pick: 2 } }],
    ['an unknown risk', { game: 'plinko', params: { risk: 'classic' } }],
    ['seven rows', { game: 'plinko', params: { risk: 'low', rows: 7 } }],
    ['17 rows', { game: 'plinko', params: { risk: 'low', rows: 17 } }],
    ['no numbers', { game: 'keno', params: { picks: [] } }],
    ['eleven numbers', { game: 'keno', params: { picks: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } }],
    ['number 41', { game: 'keno', params: { picks: [41] } }],
    ['a duplicate number', { game: 'keno', params: { picks: [5, 5] } }],
    ['an empty client seed', { clientSeed: '' }],
    ['a client seed of 65 characters', { clientSeed: 'x'.repeat(65) }],
    ['a client seed that is not ASCII', { clientSeed: 'für' }],
    ['a negative nonce', { nonce: -1 }],
    ['an amount as a number', { amountWei: 1 }],
    ['an unknown token', { token: 'BTC' }],
  ])('with %s is refused before any chips move', async (_what, fields) => {
    const alice = await fundedPlayer(0)
    const committed = await alice.nextPlay()
    expect(codeOf(await alice.play(fields))).toBe('invalid_request')
    expect(await alice.nextPlay()).toEqual(committed)
    expect(await alice.chips()).toBe('1000000000')
  })

  it('that is invalid in several ways is refused with all of them', async () => {
    const alice = await fundedPlayer(0)
    const { body } = await alice.play({ params: { target: 1 }, amountWei: '-1', nonce: -1 })
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'params.target',
      'amountWei',
      'nonce',
    ])
  })

  it('is refused outside the bounds, without chips and above the payout limit', async () => {
    const alice = await fundedPlayer(0)
    const bounds = { min: '10000', max: '500000000' }
    for (const amountWei of ['0', '9999', '500000001']) {
      const { status, body } = await alice.play({ amountWei })
      expect([status, body.error.details]).toEqual([422, bounds])
    }
    const params = { target: 1_000_000 }
    const { status, body } = await alice.play({ amountWei: '500001', params })
    expect(body.error).toMatchObject({ code: 'payout_limit', message: expect.any(String) })
    expect(status).toBe(422)
    expect(body.error.details).toEqual({ maxPayout: '500000000000', maxAmountWei: '500000' })
    const poor = await new Player(1).play()
    expect(poor.body.error.details).toEqual({ available: '0', required: '1000000' })
    expect(poor.status).toBe(402)
  })

  it('refused for its amount names the largest one accepted, which is then accepted', async () => {
    const alice = await (await fundedPlayer(0)).fund('500000000000', 'USDG')
    const params = { target: 2_000 }
    const { body } = await alice.play({ amountWei: '500000000', params })
    expect(body.error.details.maxAmountWei).toBe('250000000')
    expect((await alice.play({ amountWei: '250000000', params })).status).toBe(200)
    expect(codeOf(await alice.play({ amountWei: '250000001', params }))).toBe('payout_limit')
  })

  it('can stake the winnings of a crash bet that has not been read yet', async () => {
    const alice = await new Player(0).fund('100000000')
    const plan = await openRound({ min: 300, max: 1_000 })
    await alice.bet('100000000', { autoCashout: 2 })
    await passFlight(plan)
    const { body } = await alice.play({ amountWei: '150000000' })
    expect(body).toMatchObject({ ok: true, amount: '150000000' })
  })
})

describe('repeated plays', () => {
  it('with one nonce, twenty in parallel, settle once', async () => {
    const alice = await fundedPlayer(0)
    const answers = await Promise.all(Array.from({ length: 20 }, () => alice.play({ nonce: 0 })))
    for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]?.text])
    expect(await alice.chips()).toBe(answers[0]?.body.me.chips.USDG)
    expect((await alice.nextPlay()).nonce).toBe(1)
  })

  it('without a nonce settle individually, in a sequence without gaps', async () => {
    const alice = await fundedPlayer(0)
    const answers = await Promise.all(Array.from({ length: 20 }, () => alice.play()))
    const plays = answers.map(({ body }) => body).toSorted((a, b) => a.nonce - b.nonce)
    expect(plays.map(({ nonce }) => nonce)).toEqual(Array.from({ length: 20 }, (_, n) => n))
    for (const [index, play] of plays.slice(1).entries()) {
      expect(play.seedHash).toBe(plays[index].nextSeedHash)
    }
    expect(new Set(plays.map(({ seed }) => seed)).size).toBe(20)
  })

  it('return the first result, later and after a restart', async () => {
    const alice = await fundedPlayer(0)
    const fields = { game: 'keno', params: { picks: [3, 9] }, nonce: 0 }
    const { me: _first, ...first } = (await alice.play(fields)).body
    await alice.play({ nonce: 1 })
    pass(3_600_000)
    await restart()
    const { me, ...again } = (await alice.play(fields)).body
    expect(again).toEqual(first)
    expect(me.chips.USDG).toBe(await alice.chips())
  })

  it('return the first result even if a new play would be refused', async () => {
    const alice = await new Player(0).fund('1000000')
    const first = await alice.play({ nonce: 0, params: { target: 1_000_000 }, amountWei: '500000' })
    await alice.play({ nonce: 1, params: { target: 1_000_000 }, amountWei: '500000' })
    expect(codeOf(await alice.play())).toBe('insufficient_chips')
    const again = await alice.play({ nonce: 0, params: { target: 1_000_000 }, amountWei: '500000' })
    expect(again.body.seed).toBe(first.body.seed)
  })

  it.each<[string, object]>([
    ['another amount', { amountWei: '1000001' }],
    ['another token', { token: 'ETH', amountWei: '1000000' }],
    ['another selection', { params: { target: 2.01 } }],
    ['another game', { game: 'plinko', params: { risk: 'low' } }],
    ['another client seed', { clientSeed: 'mine' }],
  ])('with a played nonce and %s are a conflict', async (_what, fields) => {
    const alice = await fundedPlayer(0)
    await alice.play({ nonce: 0 })
    const chips = await alice.chips()
    expect(outcomeOf(await alice.play({ nonce: 0, ...fields }))).toEqual([
      409,
      'idempotency_conflict',
    ])
    expect(await alice.chips()).toBe(chips)
  })

  it('with a future nonce are refused with the next one', async () => {
    const alice = await fundedPlayer(0)
    const { status, body } = await alice.play({ nonce: 2 })
    expect([status, body.error.code]).toEqual([409, 'nonce_mismatch'])
    expect(body.error.details).toEqual({ expected: 0 })
  })
})

describe('after a failure', () => {
  it('a play whose answer was lost is returned when it is repeated', async () => {
    const alice = await fundedPlayer(0)
    const play = Reflect.get(Ledger.prototype, 'play')
    vi.spyOn(Ledger.prototype, 'play').mockImplementationOnce(async function (this: Ledger, asked) {
      await play.call(this, asked)
      throw new Error('connection lost')
    })
    const committed = await alice.nextPlay()
    expect((await alice.play({ nonce: 0 })).status).toBe(500)
    await restart()
    const { status, body } = await alice.play({ nonce: 0 })
    expect([status, body.seedHash]).toEqual([200, committed.seedHash])
    expect(await alice.chips()).toBe(String(999_000_000n + BigInt(body.payout)))
  })

  it('an interrupted play has not happened: chips, seed and journal are unchanged', async () => {
    const alice = await fundedPlayer(0)
    const committed = await alice.nextPlay()
    const before = await audit(alice)
    interruptNextEntry()
    expect((await alice.play({ nonce: 0 })).status).toBe(500)
    expect(await alice.nextPlay()).toEqual(committed)
    expect(await audit(alice)).toEqual(before)
    expect((await alice.play({ nonce: 0 })).body.seedHash).toBe(committed.seedHash)
  })

  it('restarts between plays change nothing', async () => {
    const alice = await fundedPlayer(0)
    for (let nonce = 0; nonce < 3; nonce++) {
      const committed = await alice.nextPlay()
      await restart()
      const { body } = await alice.play({ nonce })
      expect(body.seedHash).toBe(committed.seedHash)
      await restart()
      expect((await alice.play({ nonce })).body.seed).toBe(body.seed)
    }
  })
})

describe('plays before and after a change of the pay tables', () => {
  it.each(SELECTIONS)('of $game are each verified by the version that paid them', async (game) => {
    const alice = await fundedPlayer(0)
    const before = (await alice.play({ ...game, nonce: 0 })).body
    const takeBack = registerSecondTables()
    try {
      const after = (await alice.play({ ...game, nonce: 1 })).body
      expect([before.tables, after.tables]).toEqual([1, 2])
      expect((await alice.play({ ...game, nonce: 0 })).body.tables).toBe(1)
      await flush(env)
      const told: FeedPlay[] = await recent({ wallet: alice.wallet })
      expect(new Set(told.map(({ tables }) => tables))).toEqual(new Set([1, 2]))
      for (const play of [before, after, ...told]) {
        const failed = verifyPlay(play).filter(({ holds }) => !holds)
        expect(failed).toEqual([])
      }
    } finally {
      takeBack()
    }
  })
})

describe('the seed of the next play', () => {
  it('is in no answer before it is played', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const answers: Answer[] = []
    const secrets: string[] = []
    for (let nonce = 0; nonce < 3; nonce++) {
      const told = [
        await get(`/api/entropy?wallet=${alice.wallet}`),
        await alice.state(),
        await alice.play({ nonce: nonce + 1 }),
        await alice.play({ nonce, amountWei: '1' }),
      ]
      secrets.push(await nextSeed(alice))
      answers.push(...told)
      for (const secret of secrets) {
        for (const { text } of answers) expect(text).not.toContain(secret)
      }
      const played = await alice.play({ nonce })
      expect(played.body.seed).toBe(secrets.pop())
      await flush(env)
      const feed = await post('/api/entropy', { action: 'recent' })
      for (const { text } of [played, feed]) expect(text).not.toContain(await nextSeed(alice))
    }
  })

  it('is never the same for two wallets', async () => {
    const players = Array.from({ length: 10 }, (_, index) => new Player(index))
    const hashes = await Promise.all(players.map((player) => player.nextPlay()))
    expect(new Set(hashes.map(({ seedHash }) => seedHash)).size).toBe(10)
  })
})
