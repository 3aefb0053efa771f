import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settle } from '../../../src/games/play.ts'
import { fail } from '../../../src/play/api.ts'
import { inBrowser } from './in-browser.ts'

const PLAYER = { wallet: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', authSig: '0x' }
const STAKE = { token: 'ETH' as const, amountWei: 100n }
const ORDER = { ...STAKE, autoCashout: null }
const LIMBO = { game: 'limbo' as const, params: { target: 200 } }
const OPEN_BET = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null, placedAt: 1 }
const ME = { chips: { ETH: '1000', USDG: '0' }, openBet: null }
const GAME = { nonce: 4, token: 'ETH', amountWei: '100', mines: 3, picked: [1] }
const DRAW = { seed: 'aa'.repeat(32), seedHash: 'ab', clientSeed: 'fresh', nonce: 4 }
const MINES = { game: 'mines' as const, params: { mines: 3, picked: [1] } }
const HIT = { game: 'mines' as const, params: { mines: 24, picked: [1, 2] } }
const LOST = {
  ...settle(HIT, STAKE, DRAW, { edgeBps: 100, tables: 1 }),
  nextSeedHash: 'ef',
  settledAt: 1,
}
const PLAYED = settle(MINES, STAKE, DRAW, { edgeBps: 100, tables: 1 })

let page: Awaited<ReturnType<typeof loadPage>>
/** The stakes that the page has sent, by their action. */
let stakes: string[]
/** How long the answer to a cash-out takes, in milliseconds. */
let answersAfterMs: number

async function loadPage() {
  const { session } = await import('../../../src/play/session.ts')
  const { live } = await import('../../../src/play/crash/live.ts')
  const { act } = await import('../../../src/play/crash/act-button.tsx')
  const hand = await import('../../../src/play/crash/hand.ts')
  const desk = await import('../../../src/play/games/desk.ts')
  const mines = await import('../../../src/play/games/mines/hand.ts')
  const { Autobet } = await import('../../../src/play/autobet/autobet.ts')
  const { startAutobet } = await import('../../../src/play/autobet/use-autobet.ts')
  return {
    session,
    live,
    act,
    hand: hand.hand,
    playAlong: hand.playAlong,
    ...desk,
    ...mines,
    Autobet,
    startAutobet,
  }
}

beforeEach(async () => {
  inBrowser()
  vi.stubGlobal('navigator', {})
  vi.useFakeTimers()
  stakes = []
  answersAfterMs = 0
  vi.stubGlobal('fetch', async (_path: string, { body }: { body?: string } = {}) => {
    const { action } = JSON.parse(body ?? '{}') as { action?: string }
    if (action === 'bet' || action === 'play' || action === 'mines-open') stakes.push(action)
    if (action?.endsWith('cashout')) await vi.advanceTimersByTimeAsync(answersAfterMs)
    const cashouts: Record<string, object> = {
      cashout: { ok: true, roundId: 7, multiplier: 1.1, payout: '110', me: ME },
      'mines-pick': { ok: true, hit: true, game: GAME, me: ME, play: LOST },
      'mines-cashout': { ok: true, ...PLAYED, nextSeedHash: 'ef', settledAt: 1, me: ME },
    }
    return Response.json(cashouts[action ?? ''] ?? fail('internal', 'Not served.'))
  })
  page = await loadPage()
  page.session.patch({ player: PLAYER, me: ME as never })
  const maxPayout = { ETH: '1000000', USDG: '1000000' }
  const config = { edgeBps: 100, tables: 1, terms: { hash: 'terms' }, maxPayout } as never
  page.desk.patch({ config, next: { nonce: 5, seedHash: 'ab', freshSeed: 'fresh' } })
  tableIn('flight')
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A table that takes bets for this round, or for the next one. */
function tableIn(phase: 'betting' | 'flight') {
  const bounds = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }
  const round = { roundId: 7, phase, multiplier: 1, flightAt: Date.now(), growthPerMs: 0.00006 }
  page.live.patch({
    table: {
      ...round,
      betsCloseAt: Infinity,
      config: { bounds, terms: { hash: 'terms' } },
    } as never,
  })
}

const tapCrash = () => page.act(ORDER)

/** A cash-out whose answer arrives between the two taps. */
async function cashOutCrash() {
  page.session.patch({ me: { ...ME, openBet: OPEN_BET } as never })
  tapCrash()
  await vi.advanceTimersByTimeAsync(0)
  expect(page.session.value.me?.openBet).toBeNull()
}

async function cashOutMines() {
  page.desk.patch({ game: GAME as never })
  await page.cashOutGame()
  expect(page.desk.value.game).toBeNull()
}

const stopAutobet = async () => autobetOf().stop()

function autobetOf() {
  return new page.Autobet<null, null>({
    name: 'test',
    player: () => PLAYER.wallet,
    terms: () => ({ autoplay: true, minPlayMs: 0 }),
    ready: () => ({ id: 1, ticket: null }),
    async place() {
      stakes.push('autobet')
      return null
    },
  })
}

async function startRun() {
  const autobet = autobetOf()
  autobet.show(PLAYER.wallet)
  await page.startAutobet(autobet, null, STAKE)
  await vi.advanceTimersByTimeAsync(0)
  autobet.stop()
}

const bet = async () => {
  tableIn('betting')
  tapCrash()
}
const queue = async () => {
  tapCrash()
  if (page.hand.value.queued) stakes.push('queued')
}

const CASES = [
  ['cashes out crash', 'a bet', cashOutCrash, bet],
  ['cashes out crash', 'a bet on the next round', cashOutCrash, queue],
  ['cashes out mines', 'a new game', cashOutMines, () => page.openGame(3, STAKE)],
  ['cashes out mines', 'a run of autobet', cashOutMines, startRun],
  ['stops autobet', 'another run', stopAutobet, startRun],
  ['stops autobet', 'a play', stopAutobet, () => page.play({ selection: LIMBO, ...STAKE })],
  ['stops autobet', 'a bet', stopAutobet, bet],
] as const

describe('a double tap', () => {
  it.each(CASES)(
    'that %s does not make %s with its second tap',
    async (_, _stake, first, second) => {
      await first()
      await vi.advanceTimersByTimeAsync(300)
      await second()
      expect(stakes).toEqual([])
    },
  )

  it.each(CASES)(
    'no longer counts after half a second: %s, then %s',
    async (_, _stake, first, second) => {
      await first()
      await vi.advanceTimersByTimeAsync(500)
      await second()
      expect(stakes).toHaveLength(1)
    },
  )

  it('on a bet for the next round cancels it', async () => {
    tapCrash()
    await vi.advanceTimersByTimeAsync(1_000)
    tapCrash()
    tapCrash()
    expect(page.hand.value.queued).toBeNull()
  })
})

describe('a press on a button that has just changed', () => {
  let leave: () => void

  beforeEach(() => {
    leave = page.playAlong()
  })
  afterEach(() => leave())

  const loseCrash = async () => {
    page.session.patch({ me: { ...ME, openBet: OPEN_BET } as never })
    page.session.patch({ me: ME as never })
  }
  const loseMines = async () => {
    page.desk.patch({ game: GAME as never })
    await page.pickTile(2)
    expect(page.desk.value.game).toBeNull()
  }
  const slowly = (cashOut: () => Promise<void>) => async () => {
    answersAfterMs = 1_000
    await cashOut()
  }
  const slowlyCashOutCrash = async () => {
    answersAfterMs = 1_000
    page.session.patch({ me: { ...ME, openBet: OPEN_BET } as never })
    tapCrash()
    await vi.waitFor(() => expect(page.session.value.me?.openBet).toBeNull())
  }

  it.each([
    ['a bet was lost', 'on the next round', loseCrash, queue],
    ['a cash-out was slow', 'on the next round', slowlyCashOutCrash, queue],
    ['a game of mines was lost', 'on another', loseMines, () => page.openGame(3, STAKE)],
    ['a slow cash-out ended it', 'on mines', slowly(cashOutMines), () => page.openGame(3, STAKE)],
  ] as const)('because %s stakes nothing %s', async (_, _on, first, second) => {
    await first()
    await vi.advanceTimersByTimeAsync(300)
    await second()
    expect(stakes).toEqual([])
  })

  it('stakes again half a second later, also while it is not known how the bet ended', async () => {
    await loseCrash()
    await vi.advanceTimersByTimeAsync(5_000)
    await queue()
    expect(stakes).toEqual(['queued'])
  })
})
