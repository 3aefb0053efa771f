import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { flush } from '../../src/api/games/feed.ts'
import { ledger } from '../../src/calls/objects.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { playMines, TILES } from '../../src/games/mines/rule.ts'
import { RandomStream } from '../../src/games/stream.ts'
import type { Receipt } from '../../src/receipts/claims.ts'
import { parseJws } from '../../src/receipts/jws.ts'
import { verifyPlay } from '../../src/verify/play.ts'
import { verifyGameReceipt } from '../../src/verify/receipt.ts'
import { SOON } from '../shared/soon.ts'
import { archived, grow, keys, useShortSegments } from './archive.ts'
import { changeConfig } from './configuration.ts'
import { costsOf } from './costs.ts'
import { archivedLines, headOf, interruptNextEntry } from './journals.ts'
import { ask, setLimit } from './limits.ts'
import { setModes, setTerms } from './operator.ts'
import { Platform } from './partner.ts'
import { recent } from './plays.ts'
import {
  codeOf,
  fundedPlayer,
  get,
  outcomeOf,
  pass,
  post,
  restart,
  ringLedger,
  rowsOf,
  useStories,
  Player,
  type Answer,
} from './support.ts'

useStories()

useShortSegments()

let alice: Player

beforeEach(async () => {
  alice = await fundedPlayer(0)
})

async function act(action: string, fields: object): Promise<Answer> {
  const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
  return post('/api/entropy', { action: `mines-${action}`, ...signed, ...fields })
}

const open = (fields: object = {}) =>
  act('open', { token: 'USDG', amountWei: '1000000', params: { mines: 3 }, nonce: 0, ...fields })

const pick = (tile: number, nonce = 0) => act('pick', { nonce, tile })

const cashOut = (nonce = 0) => act('cashout', { nonce })

async function openGame(): Promise<unknown> {
  const { body } = await get(`/api/entropy?wallet=${alice.wallet}&authSig=${await alice.authSig()}`)
  return body.openGame
}

/** The mined and the safe tiles of the open game, which only its ledger knows. */
async function tiles(): Promise<{ mines: number[]; safe: number[] }> {
  const { openGame: game } = await headOf(ledger(env, alice.wallet))
  const params = { mines: game!.mines, picked: [] }
  const { mines } = playMines(params, new RandomStream(game!), game!).meta
  const all = Array.from({ length: TILES }, (_, tile) => tile)
  return { mines, safe: all.filter((tile) => !mines.includes(tile)) }
}

describe('while an operator has closed a switch', () => {
  it.each([
    ['mines=draining', 200],
    ['token:ETH=closed', 200],
    ['mines=closed', 503],
    ['token:USDG=closed', 503],
  ])(
    '%s: a pick in an open game gets %i, and the game can be cashed out',
    async (target, status) => {
      await open()
      const [first = 0, second = 0] = (await tiles()).safe
      expect((await pick(first)).status).toBe(200)
      await setModes(target)
      expect((await pick(second)).status).toBe(status)
      expect((await cashOut()).status).toBe(200)
    },
  )
})

describe('a game of mines, tile by tile', () => {
  it('opens under the commitment of the next play, and holds the stake', async () => {
    const { seedHash } = await alice.nextPlay()
    const { status, body } = await open({ clientSeed: 'mine' })
    expect(status).toBe(200)
    expect(body).toEqual({
      ok: true,
      game: {
        nonce: 0,
        seedHash,
        nextSeedHash: (await alice.nextPlay()).seedHash,
        clientSeed: 'mine',
        token: 'USDG',
        amountWei: '1000000',
        mines: 3,
        maxPicks: 22,
        picked: [],
        multiplier: 1,
        next: 1.125,
        payout: '1000000',
        openedAt: expect.any(Number),
      },
      me: { chips: { ETH: '0', USDG: '999000000' } },
    })
    expect(await alice.nextPlay()).toMatchObject({ nonce: 1 })
    expect(await openGame()).toEqual(body.game)
  })

  it('ends with the last pick that its player has asked for', async () => {
    expect((await open({ maxPicks: 2 })).body.game).toMatchObject({ maxPicks: 2 })
    expect((await open({ maxPicks: 2 })).body.game).toMatchObject({ maxPicks: 2 })
    expect(codeOf(await open({ maxPicks: 3 }))).toBe('idempotency_conflict')
    expect(codeOf(await open())).toBe('idempotency_conflict')
    const [first = 0, second = 0] = (await tiles()).safe
    expect((await pick(first)).body).toMatchObject({ hit: false, play: null })
    expect((await pick(second)).body).toMatchObject({ hit: false, play: { win: true } })
  })

  it('is not opened with more picks than the limits allow', async () => {
    expect(outcomeOf(await open({ maxPicks: 23 }))).toEqual([422, 'payout_limit'])
    expect(await openGame()).toBeNull()
    expect((await open()).body.game).toMatchObject({ maxPicks: 22 })
  })

  it('shows nobody else that it is open', async () => {
    await open()
    const { body } = await get(`/api/entropy?wallet=${alice.wallet}`)
    expect(body).not.toHaveProperty('openGame')
  })

  it('grows with each safe pick and is cashed out as a play that verifies', async () => {
    const { game } = (await open()).body
    const { safe } = await tiles()
    const first = (await pick(safe[0]!)).body
    expect(first).toMatchObject({ ok: true, hit: false, play: null })
    expect(first.game).toMatchObject({ picked: [safe[0]], multiplier: 1.125, payout: '1125000' })
    await pick(safe[1]!)
    const { status, body } = await cashOut()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      game: 'mines',
      nonce: 0,
      amount: '1000000',
      payout: '1285714',
      win: true,
      seedHash: game.seedHash,
      nextSeedHash: game.nextSeedHash,
      meta: { picked: safe.slice(0, 2) },
      me: { chips: { USDG: '1000285714' } },
    })
    expect(verifyPlay(body).filter(({ holds }) => !holds)).toEqual([])
    expect(await openGame()).toBeNull()
    expect(await alice.chips()).toBe('1000285714')
  })

  it('ends with a mine, which loses the stake and discloses the play', async () => {
    await open()
    const { mines, safe } = await tiles()
    await pick(safe[0]!)
    const { body } = await pick(mines[0]!)
    expect(body).toMatchObject({ ok: true, hit: true, me: { chips: { USDG: '999000000' } } })
    expect(body.game).toMatchObject({ multiplier: 0, next: null, payout: '0' })
    expect(body.play).toMatchObject({ win: false, payout: '0', meta: { mines } })
    expect(verifyPlay(body.play).filter(({ holds }) => !holds)).toEqual([])
    expect(outcomeOf(await cashOut())).toEqual([409, 'no_open_game'])
    expect(outcomeOf(await pick(safe[1]!))).toEqual([409, 'no_open_game'])
  })

  it('is cashed out by its last pick', async () => {
    await open({ params: { mines: 24 } })
    const [tile = 0] = (await tiles()).safe
    const { body } = await pick(tile)
    expect(body).toMatchObject({ hit: false, game: { maxPicks: 1, next: null } })
    expect(body.play).toMatchObject({ win: true, payout: '24750000' })
    expect(await alice.chips()).toBe('1023750000')
    expect((await pick(tile)).body).toEqual(body)
    expect((await cashOut()).body).toMatchObject({ payout: '24750000' })
  })

  it('answers every repeated step as before, also after later steps and a restart', async () => {
    const opened = await open()
    const { safe, mines } = await tiles()
    const picks = [await pick(safe[0]!), await pick(safe[1]!)]
    const paid = await cashOut()
    const chips = await alice.chips()
    await restart()
    const { me: _me, ...first } = opened.body
    expect((await open()).body).toMatchObject(first)
    for (const [index, { body }] of picks.entries()) {
      const { me: _, ...rest } = body
      expect((await pick(safe[index]!)).body).toMatchObject(rest)
    }
    expect((await cashOut()).body).toEqual(paid.body)
    expect(outcomeOf(await pick(mines[0]!))).toEqual([409, 'no_open_game'])
    expect(await alice.chips()).toBe(chips)
  })

  it('counts a tile once, however often it is picked while the game is open', async () => {
    await open()
    const { safe } = await tiles()
    const { me: _me, ...first } = (await pick(safe[0]!)).body
    expect((await pick(safe[0]!)).body).toMatchObject(first)
    await pick(safe[1]!)
    expect((await pick(safe[0]!)).body).toMatchObject(first)
    expect(await openGame()).toMatchObject({ picked: safe.slice(0, 2), payout: '1285714' })
    expect((await cashOut()).body).toMatchObject({ payout: '1285714' })
  })

  it('is not disclosed before its end, nor are its mines hinted at', async () => {
    const answers = [await open()]
    const { safe, mines } = await tiles()
    const { seed } = (await headOf(ledger(env, alice.wallet))).openGame!
    answers.push(await pick(safe[0]!), await alice.state())
    expect(await recent({ wallet: alice.wallet })).toEqual([])
    for (const { text, body } of answers) {
      expect(text).not.toContain(seed)
      expect(text).not.toContain(mines.join())
      expect(body.game ?? {}).not.toHaveProperty('meta')
    }
    const path = `/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`
    expect(codeOf(await get(path))).toBe('not_found')
    await cashOut()
    expect((await get(path)).body).toMatchObject({ seed, meta: { picked: [safe[0]] } })
  })

  it('lets other plays go on with the next numbers, and is listed once it has ended', async () => {
    await open()
    const { safe } = await tiles()
    const between = (await alice.play({ nonce: 1 })).body
    expect(between.nonce).toBe(1)
    const early = await ledger(env, alice.wallet).exportPlays(0, Infinity)
    expect(early).toMatchObject({ plays: [{ nonce: 1 }], openGame: 0 })
    await pick(safe[0]!)
    await cashOut()
    await flush(env)
    const listed = await recent({ wallet: alice.wallet })
    expect(listed.map(({ nonce }) => nonce)).toEqual([0, 1])
    const { body } = await get(
      `/api/history?wallet=${alice.wallet}&authSig=${await alice.authSig()}&kind=mines`,
    )
    expect(body.entries).toMatchObject([{ nonce: 0, amountWei: '1000000', payout: '1125000' }])
    const exported = await ledger(env, alice.wallet).exportPlays(0, Infinity)
    expect(exported).toMatchObject({ plays: [{ nonce: 1 }, { nonce: 0 }], openGame: null })
  })

  it('reaches the feed after a later play was told, when nobody asks for it', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await open()
    const { safe } = await tiles()
    await alice.play({ nonce: 1 })
    await pick(safe[0]!)
    pass(300_000)
    await ringLedger(alice)
    pass(DAY_MS)
    await ringLedger(alice)
    pass(300_000)
    await ringLedger(alice)
    expect(await recent({ game: 'mines' })).toMatchObject([{ nonce: 0, payout: '1125000' }])
  })
})

/** The claims of an answer's receipt. */
const claimsOf = ({ receipt }: Answer) => parseJws(String(receipt))?.payload as Receipt

describe('the receipts of a game of mines', () => {
  it('name the terms that it began with, also if it is asked for as a play under others', async () => {
    await open()
    const [tile = 0] = (await tiles()).safe
    await pick(tile)
    await setTerms({ 'entropy.edgeBps': 500 })
    expect((await alice.play({ nonce: 1 })).status).toBe(200)
    const cashed = claimsOf(await cashOut())
    const play = { game: 'mines', params: { mines: 3, pick: [tile] }, nonce: 0 }
    const repeated = claimsOf(await alice.play(play))
    expect(repeated).toEqual({ ...cashed, iat: repeated.iat })
  })
})

describe('a game of mines is refused', () => {
  it('while another one is open', async () => {
    await open()
    const { status, body } = await open({ nonce: 1 })
    expect([status, body.error.code]).toEqual([409, 'game_open'])
    expect(body.error.details).toEqual({ nonce: 0 })
    expect(await alice.chips()).toBe('999000000')
  })

  it('sooner after the last play than the deployment allows', async () => {
    changeConfig({ minPlayMs: 2_500 })
    await alice.play({ nonce: 0 })
    pass(2_499)
    expect(outcomeOf(await open({ nonce: 1 }))).toEqual([409, 'too_early'])
    pass(1)
    expect((await open({ nonce: 1 })).status).toBe(200)
  })

  it('under a number that has been played or opened otherwise', async () => {
    await alice.play({ nonce: 0 })
    expect(codeOf(await open())).toBe('idempotency_conflict')
    await open({ nonce: 1 })
    expect(codeOf(await open({ nonce: 1, amountWei: '2000000' }))).toBe('idempotency_conflict')
    expect(codeOf(await alice.play({ nonce: 1 }))).toBe('idempotency_conflict')
    expect(codeOf(await open({ nonce: 3 }))).toBe('game_open')
  })

  it.each<[string, object, string]>([
    ['a later number', { nonce: 2 }, 'nonce_mismatch'],
    ['no mines', { params: { mines: 0 } }, 'invalid_request'],
    ['25 mines', { params: { mines: 25 } }, 'invalid_request'],
    ['too small a stake', { amountWei: '1' }, 'amount_out_of_bounds'],
    ['more than there is', { amountWei: '1000000', token: 'ETH' }, 'amount_out_of_bounds'],
    ['no authSig', { authSig: undefined }, 'auth_required'],
  ])('with %s', async (_what, fields, code) => {
    expect(codeOf(await open(fields))).toBe(code)
    expect(await alice.chips()).toBe('1000000000')
  })

  it('without chips, of a wallet that was never here', async () => {
    alice = new Player(5)
    expect(codeOf(await open())).toBe('insufficient_chips')
    expect(codeOf(await pick(1))).toBe('no_open_game')
  })

  it('to be cashed out before its first pick', async () => {
    await open()
    expect(outcomeOf(await cashOut())).toEqual([400, 'invalid_request'])
  })

  it('to be picked off the board, or by a number that was a play', async () => {
    await open()
    expect(codeOf(await pick(25))).toBe('invalid_request')
    await alice.play({ nonce: 1 })
    expect(codeOf(await pick(1, 1))).toBe('no_open_game')
    expect(codeOf(await cashOut(1))).toBe('no_open_game')
  })
})

describe('a game of mines that its player leaves', () => {
  it('is cashed out by the alarm 24 hours after it opened', async () => {
    await open()
    await pick((await tiles()).safe[0]!)
    pass(DAY_MS - 1)
    await ringLedger(alice)
    expect((await headOf(ledger(env, alice.wallet))).openGame).not.toBeNull()
    pass(1)
    await ringLedger(alice)
    expect((await headOf(ledger(env, alice.wallet))).openGame).toBeNull()
    expect(await alice.chips()).toBe('1000125000')
  })

  it('is cashed out by its player’s next call, if the alarm was lost', async () => {
    await open()
    const { safe } = await tiles()
    await pick(safe[0]!)
    pass(DAY_MS)
    expect(outcomeOf(await pick(safe[1]!))).toEqual([409, 'no_open_game'])
    expect((await cashOut()).body).toMatchObject({ payout: '1125000' })
  })

  it('returns the whole stake without a pick, and counts as no bet', async () => {
    await open()
    pass(DAY_MS)
    expect(await alice.chips()).toBe('1000000000')
    const { body } = await get(`/api/entropy?action=play&wallet=${alice.wallet}&nonce=0`)
    expect(body).toMatchObject({ payout: '1000000', meta: { picked: [] } })
    expect(verifyPlay(body).filter(({ holds }) => !holds)).toEqual([])
    expect(outcomeOf(await cashOut())).toEqual([400, 'invalid_request'])
    const history = await get(
      `/api/history?wallet=${alice.wallet}&authSig=${await alice.authSig()}`,
    )
    expect(history.body.totals.USDG).toMatchObject({ wagered: '0', returned: '0', bets: 0 })
  })
})

describe('a game of mines and what a player may stake', () => {
  it('counts as a stake for their limits, and makes no room by returning it', async () => {
    await setLimit(alice, 'wager', '1000000')
    await setLimit(alice, 'loss', '1000000')
    await open()
    expect(codeOf(await alice.play({ nonce: 1 }))).toBe('limit_reached')
    pass(DAY_MS)
    expect(await alice.chips()).toBe('1000000000')
    expect((await alice.play({ nonce: 1 })).status).toBe(200)
    expect(codeOf(await open({ nonce: 2 }))).toBe('limit_reached')
  })

  it('is cashed out at once when its player excludes themselves, and told within seconds', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    await open()
    await pick((await tiles()).safe[0]!)
    expect((await ask(alice, 'exclude', { days: 1 })).status).toBe(200)
    expect(await openGame()).toBeNull()
    expect(await alice.chips()).toBe('1000125000')
    await vi.waitFor(async () => {
      expect(await recent({ game: 'mines' })).toMatchObject([{ nonce: 0, payout: '1125000' }])
    }, SOON)
    expect(codeOf(await open({ nonce: 1 }))).toBe('excluded')
  })

  it('is cashed out in time for a partner’s debit once it has expired', async () => {
    const platform = new Platform()
    await open({ amountWei: '500000000' })
    await platform.transact(alice, '-500')
    expect(codeOf(await platform.transact(alice, '-500'))).toBe('insufficient_chips')
    pass(DAY_MS)
    expect((await platform.transact(alice, '-500')).status).toBe(200)
  })
})

describe('after a failure', () => {
  it('an interrupted pick has not happened', async () => {
    await open()
    const { safe } = await tiles()
    const before = await openGame()
    interruptNextEntry()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await pick(safe[0]!)).status).toBe(500)
    expect(await openGame()).toEqual(before)
    expect((await pick(safe[0]!)).body.game.picked).toEqual([safe[0]])
  })

  it('its seed is not archived while it is open', async () => {
    await open()
    const { seed } = (await headOf(ledger(env, alice.wallet))).openGame!
    for (let nonce = 1; nonce < 24; nonce++) await alice.play({ nonce })
    await grow(alice)
    expect(await archived(alice)).toBe(0)
    await pick((await tiles()).safe[0]!)
    await cashOut()
    await grow(alice)
    expect(await archived(alice)).toBe(2)
    const [first = ''] = await keys()
    expect((await archivedLines(first)).join()).toContain(seed)
    expect((await open()).body.game.picked).toEqual([])
  })
})

it('a step of a game costs one row, and its opening no more than a play', async () => {
  const stub = ledger(env, alice.wallet)
  const rowsFor = async (work: () => Promise<unknown>) => (await costsOf(work)).rows
  const play = await rowsFor(() => alice.play({ nonce: 0 }))
  expect(await rowsFor(() => open({ nonce: 1 }))).toBeLessThanOrEqual(play)
  const { safe } = await tiles()
  expect(await rowsFor(() => pick(safe[0]!, 1))).toBe(1)
  expect(await rowsFor(() => pick(safe[1]!, 1))).toBe(1)
  await cashOut(1)
  const ids = await rowsOf<{ id: string }>(stub, 'SELECT operation_id AS id FROM journal_1')
  expect(ids.map(({ id }) => id).slice(1)).toEqual([
    'entropy:0',
    'mines:1',
    `pick:1:${safe[0]}`,
    `pick:1:${safe[1]}`,
    'entropy:1',
  ])
})

it('the receipts of its steps are held against its disclosure', async () => {
  const { game } = (await open()).body
  const { safe } = await tiles()
  const picked = (await pick(safe[0]!)).body.game
  const play = (await cashOut()).body
  const iat = Math.ceil(game.openedAt / 1_000)
  const failed = (claimed: object) =>
    verifyGameReceipt({ kind: 'mines-pick', iat, game: claimed } as never, play)
      .filter(({ holds }) => !holds)
      .map(({ claim }) => claim)
  expect(failed(game)).toEqual([])
  expect(failed(picked)).toEqual([])
  const other = safe[1]!
  expect(failed({ ...picked, picked: [other] })).toEqual([
    `the list of picks so far is [${other}] in the receipt and [${safe[0]}] in the disclosure`,
  ])
  expect(failed({ ...picked, payout: '1125001' }).join()).toContain('the payout then')
})
