import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../../../../src/core/utc-day.ts'
import { commitmentOf } from '../../../../../src/fairness/seed.ts'
import { settle } from '../../../../../src/games/play.ts'
import { exactAmount } from '../../../../../src/play/amounts.ts'
import { isFailure } from '../../../../../src/play/api.ts'
import type { Plan } from '../../../../../src/play/autobet/rules.ts'
import type { AutoChoice } from '../../../../../src/play/games/autobet.ts'
import { inBrowser } from '../../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = 'aa'.repeat(32)
const NEXT_SEED = 'cc'.repeat(32)
const NEXT = commitmentOf(NEXT_SEED)
const STAKE = { token: 'USDG' as const, amountWei: 1_000_000n }
const TERMS = { hash: 'terms', autoplay: true, minPlayMs: 0 }
const MAX_PAYOUT = { ETH: '0', USDG: '500000000000' }
const CONFIG = { edgeBps: 100, tables: 1, terms: TERMS, maxPayout: MAX_PAYOUT }
const LIMBO = { game: 'limbo' as const, params: { target: 101 } }
const ONE_BET: Plan<AutoChoice> = {
  choice: LIMBO,
  token: STAKE.token,
  amountWei: String(STAKE.amountWei),
  count: 1,
  onWin: { kind: 'keep' },
  onLoss: { kind: 'keep' },
  stopProfitWei: null,
  stopLossWei: null,
  pauseMs: 0,
}
const NO_GAME = { ok: false, error: { code: 'no_open_game', message: '' } }
const NO_CHIPS = { ok: false, error: { code: 'insufficient_chips', message: '' } }
const LOWERED = { ok: false, error: { code: 'payout_limit', message: '' } }
const ME = { chips: { ETH: '0', USDG: '0' } }

interface Sent {
  action: string
  tile: number
  clientSeed: string
}

let page: Awaited<ReturnType<typeof loadPage>>
let clientSeed: string
/** What the house discloses of the game once it has ended. */
let disclosed: object

async function loadPage() {
  const { session } = await import('../../../../../src/play/session.ts')
  const desk = await import('../../../../../src/play/games/desk.ts')
  const hand = await import('../../../../../src/play/games/mines/hand.ts')
  const { provePlay } = await import('../../../../../src/play/verify/play.ts')
  const { autobet } = await import('../../../../../src/play/games/autobet.ts')
  // The page loads it with the first bet.
  await import('../../../../../src/play/games/mines/autobet.ts')
  const { keepSeed } = await import('../../../../../src/play/games/client-seed.ts')
  return { session, ...desk, ...hand, autobet, provePlay, keepSeed }
}

beforeEach(async () => {
  inBrowser()
  vi.stubGlobal('navigator', {})
  vi.useFakeTimers({ now: 1 })
  page = await loadPage()
  page.session.patch({ player: { wallet: WALLET, authSig: '0x' }, credentials: null })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function played(picked: number[]) {
  const draw = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed, nonce: 0 }
  return settle({ game: 'mines', params: { mines: 3, picked } }, STAKE, draw, CONFIG)
}

const isMine = (tile: number) => played([]).meta.mines.includes(tile)
const safeTiles = () => [...Array(25).keys()].filter((tile) => !isMine(tile))
const mine = () => played([]).meta.mines[0]!

/** Ends the game with these picks, which the house may have chosen. */
function end(picked: number[], settledAt = 1): object {
  const play = { ...played(picked), nextSeedHash: NEXT, settledAt }
  disclosed = { ok: true, wallet: WALLET, ...play }
  return play
}

function shownAt(picked: number[]): object {
  const next = { multiplier: 1, next: 1, payout: '1', maxPicks: 22, openedAt: 1 }
  const { seedHash, nonce } = played([])
  const stake = { token: 'USDG', amountWei: String(STAKE.amountWei), clientSeed, mines: 3 }
  return { nonce, seedHash, nextSeedHash: NEXT, ...stake, picked, ...next }
}

/** Opens a game and picks safe tiles, at a house that answers further steps like this. */
async function open(answerStep: (sent: Sent) => object, picks = 3) {
  const picked: number[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const sent = JSON.parse(body ?? 'null')
    if (sent?.action === 'recent') return Response.json({ ok: true, recent: [] })
    if (sent?.action === 'mines-open') ({ clientSeed } = sent)
    else if (sent && picked.length === picks) return Response.json(answerStep(sent))
    else if (sent) picked.push(sent.tile)
    if (sent)
      return Response.json({ ok: true, hit: false, play: null, game: shownAt(picked), me: ME })
    if (path.includes('action=play')) return Response.json(disclosed)
    return Response.json({ ...CONFIG, fairness: { nonce: 0, seedHash: commitmentOf(SEED) } })
  })
  await page.sitDown()
  await page.openGame(3, STAKE)
  for (const tile of safeTiles().slice(0, picks)) await page.pickTile(tile)
  return picked
}

/** Opens a game at a house that answers each request in turn. @returns what was sent to open it */
async function openAt(answers: (object | 'lost')[], config: object = {}) {
  const opened: (Sent & { maxPicks: number })[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const sent = JSON.parse(body ?? 'null')
    if (sent?.action === 'recent') return Response.json({ ok: true, recent: [] })
    if (path.includes('action=play')) return Response.json(disclosed)
    const fairness = { nonce: 0, seedHash: commitmentOf(SEED) }
    if (!sent) return Response.json({ ...CONFIG, ...config, fairness })
    ;({ clientSeed } = sent)
    const answer = answers[opened.length]
    opened.push(sent)
    if (answer === 'lost') throw new TypeError('no answer')
    if (answer === LOWERED) return Response.json(LOWERED)
    return Response.json({ ok: true, game: { ...shownAt([]), ...answer }, me: ME })
  })
  await page.sitDown()
  const asked = page.openGame(3, STAKE)
  await vi.runAllTimersAsync()
  await asked
  return opened
}

const hit = (picked: number[]) => ({
  ok: true,
  hit: true,
  game: shownAt(picked),
  me: ME,
  play: end(picked),
})

const paidIn = (play: object) => exactAmount((play as { payout: string }).payout, 'USDG')

async function claimsBroken(): Promise<string[]> {
  const proof = await page.provePlay(WALLET, '0')
  if (isFailure(proof)) throw new Error(proof.error.message)
  return proof.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
}

/** Bets on a safe tile and on a mine, at a house that answers the second pick like this. */
async function betOnTiles(answerPick: (tiles: [safe: number, mine: number]) => object) {
  clientSeed = 'mine'
  page.keepSeed(clientSeed)
  const tiles: [number, number] = [safeTiles()[0]!, mine()]
  const sent: string[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const asked = JSON.parse(body ?? 'null')
    if (asked?.action === 'recent') return Response.json({ ok: true, recent: [] })
    if (asked) sent.push(asked.action)
    if (asked?.nonce === 1) return Response.json(NO_CHIPS)
    if (asked?.tile === tiles[1]) return Response.json(answerPick(tiles))
    const picked = asked?.action === 'mines-pick' ? [tiles[0]] : []
    const game = { ...shownAt(picked), maxPicks: tiles.length }
    if (asked) return Response.json({ ok: true, hit: false, play: null, game, me: ME })
    if (path.includes('action=play')) return Response.json(disclosed)
    return Response.json({ ...CONFIG, fairness: { nonce: 0, seedHash: commitmentOf(SEED) } })
  })
  await page.sitDown()
  page.autobet.show(WALLET)
  const choice = { game: 'tiles', mines: 3, tiles: { kind: 'these', picked: tiles } } as const
  await page.autobet.start({ ...ONE_BET, choice, count: null })
  await vi.advanceTimersByTimeAsync(10_000)
  return { sent, run: page.autobet.run.value, problem: page.desk.value.problem?.message }
}

describe('automatic bets on tiles', () => {
  it.each<[string, (tiles: [number, number]) => object, string]>([
    [
      'lost under another client seed',
      ([safe]) => {
        clientSeed = 'of the house'
        return end([safe, mine()])
      },
      'its client seed is the one you sent',
    ],
    [
      'lost with another pick',
      ([safe]) => end([safe, played([]).meta.mines[1]!]),
      'on another device',
    ],
    ['cashed out before the pick', ([safe]) => end([safe]), 'If you did not cash it out'],
    ['left open for a day', ([safe]) => end([safe], 1 + DAY_MS), 'If you did not cash it out'],
  ])('stop at a game that the house says was %s', async (_how, lie, problem) => {
    const told = await betOnTiles((tiles) => (lie(tiles), NO_GAME))
    expect(told.sent).toEqual(['mines-open', 'mines-pick', 'mines-pick'])
    expect(told.run).toMatchObject({ settled: 0, end: { code: 'unverified' } })
    expect(told.problem).toContain(problem)
  })

  it('go on after a game that was lost with a pick whose answer was lost', async () => {
    let isLost = false
    const { run } = await betOnTiles((tiles) => {
      end(tiles)
      if (isLost) return NO_GAME
      isLost = true
      throw new TypeError('no answer')
    })
    expect(run).toMatchObject({ settled: 1, end: { code: 'insufficient_chips' } })
  })

  it('go on after a game that was left open for a day', async () => {
    const { run } = await betOnTiles(([safe]) => {
      end([safe], 1 + DAY_MS)
      vi.setSystemTime(1 + DAY_MS)
      return NO_GAME
    })
    expect(run).toMatchObject({ settled: 1 })
  })
})

describe('a game of mines on the page', () => {
  it('that is cashed out and paid verifies', async () => {
    const picked: number[] = await open(() => ({ ok: true, ...end(picked), me: ME }))
    await page.cashOutGame()
    expect(page.desk.value.problem).toBeNull()
    expect(await claimsBroken()).toEqual([])
  })

  it('that ends with the mine picked verifies', async () => {
    const picked: number[] = await open(({ tile }) => hit([...picked, tile]))
    await page.pickTile(mine())
    expect(page.desk.value.problem).toBeNull()
    expect(await claimsBroken()).toEqual([])
  })

  it('is caught if the house answers a cash-out with a mine', async () => {
    const picked: number[] = await open(() => ({ ok: true, ...end([...picked, mine()]), me: ME }))
    await page.cashOutGame()
    expect(page.desk.value.problem?.message).toContain('you cashed it out, so it is won')
    expect(await claimsBroken()).toEqual(['you cashed it out, so it is won'])
  })

  it.each([
    ['after the tile picked', (picked: number[], tile: number) => [...picked, tile, mine()]],
    ['before the tile picked', (picked: number[], tile: number) => [...picked, mine(), tile]],
  ])('is caught if the house adds a mine %s', async (_where, lie) => {
    const picked: number[] = await open(({ tile }) => hit(lie(picked, tile)))
    const tile = safeTiles()[3]!
    await page.pickTile(tile)
    expect(page.desk.value.problem?.message).toContain(`it ended with your pick of tile ${tile}`)
    expect(await claimsBroken()).toEqual([`it ended with your pick of tile ${tile}`])
  })

  it('is opened with the last pick that the limits allow', async () => {
    const sent = await openAt([{ maxPicks: 2 }], { maxPayout: { USDG: '1285714' } })
    expect(sent).toMatchObject([{ action: 'mines-open', maxPicks: 2 }])
    expect(page.desk.value).toMatchObject({ problem: null, game: { maxPicks: 2 } })
  })

  it('is caught at once if it ends with another pick than the one asked for', async () => {
    await openAt([{ maxPicks: 1 }])
    expect(page.desk.value.problem).toMatchObject({
      code: 'unverified',
      message: expect.stringContaining('up to 22 picks, but the house ends it with pick 1'),
    })
    expect(page.desk.value.game).toMatchObject({ maxPicks: 1 })
    end(safeTiles().slice(0, 1))
    expect(await claimsBroken()).toEqual(['its last pick was the one you asked for'])
  })

  it.each<[string, (object | 'lost')[]]>([
    ['its answer was lost', ['lost', 'lost', {}]],
    ['it was refused, by a house that then lowers the limit', [LOWERED, {}]],
  ])('is asked for again with the same last pick after %s', async (_why, answers) => {
    const sent = await openAt(answers)
    page.desk.patch({ config: { ...page.desk.value.config!, maxPayout: { ETH: '0', USDG: '1' } } })
    await page.openGame(3, STAKE)
    expect(sent.map(({ maxPicks }) => maxPicks)).toEqual(answers.map(() => 22))
    expect(page.desk.value.problem).toBeNull()
  })

  it('is caught if the house cashes it out with a safe pick', async () => {
    const picked: number[] = await open(({ tile }) => ({ ...hit([...picked, tile]), hit: false }))
    const tile = safeTiles()[3]!
    await page.pickTile(tile)
    const claim = `it ended with your pick of tile ${tile} as the last of 22`
    expect(page.desk.value.problem?.message).toContain(claim)
    expect(await claimsBroken()).toEqual([claim])
  })

  it('that ends with the last pick it allows verifies', async () => {
    const picked: number[] = await open(
      ({ tile }) => ({ ...hit([...picked, tile]), hit: false }),
      21,
    )
    await page.pickTile(safeTiles()[21]!)
    expect(page.desk.value.problem).toBeNull()
    expect(await claimsBroken()).toEqual([])
  })

  it('that ended on a mine elsewhere says so, and asks for its proof to be saved', async () => {
    const picked: number[] = await open(() => NO_GAME)
    end([...picked, mine()])
    await page.cashOutGame()
    expect(page.desk.value.problem?.message).toContain('on another device or in another tab')
    expect(page.desk.value.problem?.message).toContain('save the proof of this play')
  })

  it.each([
    ['within a day', 1 + 86_399_999, 3],
    ['within a day, dated ahead', 1 + 86_400_000, 3, -43_200_001],
  ])(
    'that was cashed out %s asks for its proof to be saved',
    async (_when, at, picks, early = 0) => {
      const picked: number[] = await open(() => NO_GAME, picks)
      end(picked, at)
      vi.setSystemTime(at + early)
      await page.pickTile(safeTiles()[picks]!)
      expect(page.desk.value.problem?.message).toContain('save the proof of this play as evidence')
      expect(page.desk.value.problem?.message).not.toContain('left open for a day')
    },
  )

  it.each<[string, object]>([
    ['opened a day earlier', { openedAt: 1 - 86_400_000 }],
    ['ended with that pick', { maxPicks: 3 }],
  ])(
    'that was cashed out after an answer that it had %s asks for its proof to be saved',
    async (_what, change) => {
      const picked: number[] = await open(({ tile }) =>
        picked.includes(tile)
          ? { ok: true, hit: false, play: null, game: { ...shownAt(picked), ...change }, me: ME }
          : NO_GAME,
      )
      await page.pickOf(0, picked[2]!)
      end(picked, 2)
      vi.setSystemTime(2)
      await page.pickTile(safeTiles()[3]!)
      expect(page.desk.value.problem?.message).toContain('save the proof of this play as evidence')
    },
  )

  it('that seems to have been open for a day, but not by this clock, asks for its proof', async () => {
    const openedAt = 1 - DAY_MS
    await openAt([{ openedAt }])
    vi.stubGlobal('fetch', async (path: string) =>
      Response.json(path.includes('action=play') ? disclosed : NO_GAME),
    )
    end([])
    await page.pickTile(mine())
    expect(page.desk.value.problem?.message).toContain('save the proof of this play as evidence')
  })

  it.each([
    ['after a day', 1 + 86_400_000, 3],
    ['with its last pick', 2, 22],
  ])('that ended %s asks for nothing', async (_when, at, picks) => {
    const picked: number[] = await open(() => NO_GAME, picks)
    end(picked, at)
    vi.setSystemTime(at)
    await page.pickTile(mine())
    expect(page.desk.value.problem?.message).toBe(
      `This game was cashed out for ${paidIn(disclosed)} USDG: in another tab or on another device, with its last pick, or after it had been open for a day.`,
    )
  })

  it('that ended on a mine picked here says so if the answer was lost', async () => {
    const picked: number[] = await open(({ tile }) => {
      end([...picked, mine()])
      if (tile !== mine()) return NO_GAME
      throw new TypeError('no answer')
    })
    const lost = page.pickTile(mine())
    await vi.runAllTimersAsync()
    await lost
    await page.cashOutGame()
    expect(page.desk.value.problem?.message).toBe(
      'This game ended on a mine. The answer to your last pick didn’t reach this page.',
    )
  })

  it('that stays open lets automatic bets go on in another game, under the next seed', async () => {
    const picked: number[] = await open(({ action, clientSeed: sent }) => {
      if (action === 'mines-cashout') return { ok: true, ...end(picked), me: ME }
      const draw = { seed: NEXT_SEED, seedHash: NEXT, clientSeed: sent, nonce: 1 }
      const play = settle(LIMBO, STAKE, draw, CONFIG)
      return { ok: true, ...play, nextSeedHash: commitmentOf(SEED), settledAt: 1, me: ME }
    })
    page.autobet.show(WALLET)
    await page.autobet.start(ONE_BET)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(page.autobet.run.value).toMatchObject({ settled: 1, end: { reason: 'count' } })
    expect(page.desk.value.game).toMatchObject({ nonce: 0, picked })
    await page.cashOutGame()
    expect(page.desk.value).toMatchObject({ game: null, problem: null, next: { nonce: 2 } })
  })
})
