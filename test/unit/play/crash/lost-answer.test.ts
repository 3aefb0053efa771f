import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me, OpenBet } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ORDER = { token: 'ETH' as const, amountWei: 100n, autoCashout: 102 }
const STOOD = { ok: true, token: 'ETH', amountWei: '100' }
const LOST = { ...STOOD, outcome: 'lost', multiplier: 0, payout: '0' }
const WON = { ...STOOD, outcome: 'won', multiplier: 1.02, payout: '102' }
const NEVER_PLACED = fail('not_found', 'There is no bet.')
const PAID = { ok: true, roundId: 7, multiplier: 1.02, payout: '102', me: meWith('1002', null) }

let page: Awaited<ReturnType<typeof loadPage>>

async function loadPage() {
  const { session } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const hand = await import('../../../../src/play/crash/hand.ts')
  return { session, live, ...hand }
}

beforeEach(async () => {
  inBrowser()
  vi.useFakeTimers({ now: 1_000_000 })
  page = await loadPage()
  page.session.patch({ player: { wallet: WALLET, authSig: '0x' }, me: meWith('1000', null) })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function meWith(chipsWei: string, openBet: OpenBet | null): Me {
  return { chips: { ETH: chipsWei, USDG: '0' }, openBet } as Partial<Me> as Me
}

function tableIn(roundId: number, phase: TableState['phase']): TableState {
  const bounds = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }
  const config = { bounds, maxPayout: { ETH: '100000', USDG: '100000' } }
  const times = { betsCloseAt: Date.now() + 5_000, serverTime: Date.now(), msLeft: 0 }
  return { roundId, phase, ...times, betsRoot: null, betCount: null, config } as never
}

interface Answers {
  /** To the bet, when it is sent for the first time and again. */
  bets: (object | 'lost')[]
  /** How the bet has ended. */
  ended: object
}

/**
 * Bets in round 7 on a network that loses answers until the round has ended. Returns the actions that are sent then.
 */
async function betWith({ bets, ended }: Answers): Promise<string[]> {
  const asked: string[] = []
  let isOffline = true
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const { action = 'state' } = body
      ? (JSON.parse(body) as { action?: string })
      : Object.fromEntries(new URLSearchParams(path.split('?')[1]))
    if (body && action === 'bet') {
      const answer = bets.shift()
      if (answer === 'lost') throw new TypeError('The network is gone.')
      return Response.json(answer)
    }
    asked.push(action)
    if (isOffline) throw new TypeError('The network is gone.')
    if (action === 'cashout') return Response.json(PAID)
    const table = page.live.value.table
    return Response.json(action === 'bet' ? ended : { ok: true, ...table, me: meWith('900', null) })
  })
  const leave = page.playAlong()
  page.live.patch({ table: tableIn(7, 'betting') })
  await page.bet(ORDER)
  isOffline = false
  page.live.patch({ table: tableIn(7, 'results') })
  await vi.advanceTimersByTimeAsync(3_000)
  page.live.patch({ table: tableIn(8, 'betting') })
  await vi.advanceTimersByTimeAsync(5_000)
  leave()
  return asked
}

/** A repeated bet is answered as at first, but with the player's state of now. */
const REPEATED = { ok: true, roundId: 7, me: meWith('900', null) }

it.each([
  ['answered when it is repeated', ['lost', REPEATED]],
  ['never answered', ['lost', 'lost']],
  ['answered with a fault', [fail('internal', 'Try again.')]],
  ['answered by a busy round', [fail('rate_limited', 'Later.')]],
] as [string, Answers['bets']][])(
  'a bet that is %s, and is lost meanwhile, shows its loss and no failure',
  async (_, bets) => {
    await betWith({ bets, ended: LOST })
    const result = { kind: 'lost', roundId: 7, amountWei: '100' }
    expect(page.hand.value).toMatchObject({ pending: null, problem: null, result })
  },
)

it('a bet that was cashed out automatically before its answer came shows its win, with its receipt', async () => {
  const asked = await betWith({ bets: ['lost', 'lost'], ended: WON })
  expect(page.hand.value.result).toMatchObject({ kind: 'won', multiplier: 102, payoutWei: '102' })
  expect(asked.filter((action) => action === 'cashout')).toHaveLength(1)
})

it('a bet without an answer that never reached its round says so', async () => {
  await betWith({ bets: ['lost', 'lost'], ended: NEVER_PLACED })
  const { result, problem } = page.hand.value
  expect(result).toBeNull()
  expect(problem?.message).toBe('Your bet did not enter round 7.')
})

it('a bet that its ledger refuses keeps the refusal, and is not asked about', async () => {
  const closed = fail('betting_closed', 'Betting has closed.')
  const asked = await betWith({ bets: [closed], ended: NEVER_PLACED })
  expect(asked).not.toContain('bet')
  expect(page.hand.value.problem).toEqual(closed.error)
})

it('a bet without an answer is not asked about for another wallet that has signed in meanwhile', async () => {
  const other = { wallet: OTHER, authSig: '0x' }
  const bets = {
    shift() {
      page.session.patch({ player: other, me: meWith('1000', null) })
      return 'lost'
    },
  }
  const asked = await betWith({ bets: bets as never, ended: LOST })
  expect(asked).not.toContain('bet')
  expect(page.hand.value.result).toBeNull()
})

it('the result is of the bet that stands, if that is another than the last one sent', async () => {
  await betWith({ bets: ['lost', 'lost'], ended: { ...LOST, token: 'USDG', amountWei: '7' } })
  expect(page.hand.value.result).toMatchObject({ kind: 'lost', token: 'USDG', amountWei: '7' })
})
