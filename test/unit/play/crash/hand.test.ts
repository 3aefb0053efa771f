import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import type { TableState } from '../../../../src/play/crash/table.ts'
import type { Me, OpenBet } from '../../../../src/play/session.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const DRAFT = { token: 'ETH' as const, amountWei: 100n, autoCashout: 200 }
const BET: OpenBet = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: 2, placedAt: 1 }

let page: Awaited<ReturnType<typeof loadPage>>
let stored: Map<string, string>

async function loadPage() {
  const { session, readMe } = await import('../../../../src/play/session.ts')
  const { live } = await import('../../../../src/play/crash/live.ts')
  const hand = await import('../../../../src/play/crash/hand.ts')
  return { session, readMe, live, ...hand }
}

beforeEach(async () => {
  stored = inBrowser()
  vi.useFakeTimers({ now: 1_000_000 })
  page = await loadPage()
  page.session.patch({ player: { wallet: WALLET, authSig: '0x' } })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The table in round 7, as far as a hand looks at it. */
function tableWith(changes: Partial<TableState>): TableState {
  const bounds = { ETH: { min: '1', max: '1000' }, USDG: { min: '1', max: '1000' } }
  const maxPayout = { ETH: '100000', USDG: '100000' }
  const round = { roundId: 7, seedHash: 'ab', pepperSource: { kind: 'drand-quicknet', round: 5 } }
  const times = { betsCloseAt: Date.now() + 5_000, flightAt: Date.now(), serverTime: Date.now() }
  const shown = {
    phase: 'flight',
    multiplier: 1,
    growthPerMs: 0.00006,
    crashPoint: null,
    msLeft: 0,
  }
  const config = { bounds, maxPayout, terms: { hash: 'aa' } }
  const told = { ...round, ...times, ...shown, betsRoot: null, betCount: null, edgeBps: 100 }
  return { ...told, config, ...changes } as object as TableState
}

function meWith(chipsWei: string, openBet: OpenBet | null): Me {
  return { chips: { ETH: chipsWei, USDG: '0' }, openBet } as Partial<Me> as Me
}

/** Answers calls by their action. */
function serve(answers: Record<string, () => object | Promise<object>>): void {
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string } = {}) => {
    const { action = 'state' } = body
      ? (JSON.parse(body) as { action?: string })
      : Object.fromEntries(new URLSearchParams(path.split('?')[1]))
    return Response.json((await answers[action]?.()) ?? fail('internal', `${action} isn’t served.`))
  })
}

const STAKED = { token: 'ETH', amountWei: '100' }
const WON = { ...STAKED, outcome: 'won', multiplier: 2, payout: '200' }
const LOST = { ...STAKED, outcome: 'lost', multiplier: 0, payout: '0' }
const VOIDED = { ...STAKED, outcome: 'voided', multiplier: 1, payout: '100' }

/** Ends a bet that the page has seen open, with this many chips beside it. Returns the result shown. */
async function resultOf(
  table: Partial<TableState>,
  chipsWei: string,
  answers: Record<string, () => object>,
) {
  const after = tableWith(table)
  serve({ state: () => ({ ok: true, ...after, me: meWith(chipsWei, null) }), ...answers })
  const leave = page.playAlong()
  page.live.patch({ table: tableWith({}) })
  page.session.patch({ me: meWith('900', BET) })
  page.live.patch({ table: after })
  page.session.patch({ me: meWith(chipsWei, null) })
  await vi.advanceTimersByTimeAsync(10_000)
  leave()
  return page.hand.value.result
}

/** Answers that fail twice before they succeed. */
function atLast(answer: object): () => object {
  let calls = 0
  return () => (++calls > 2 ? { ok: true, ...answer } : fail('rate_limited', 'Later.'))
}

const ended = (answer: object) => () => ({ ok: true, ...answer })
const refused = () => fail('no_open_bet', 'There is no bet.')

describe('the end of a bet on the page', () => {
  it('is asked for again while the answer to a cash-out in flight fails', async () => {
    const paid = { roundId: 7, multiplier: 2, payout: '200', me: meWith('1100', null) }
    expect(await resultOf({}, '1100', { cashout: atLast(paid) })).toMatchObject({
      kind: 'won',
      multiplier: 200,
      payoutWei: '200',
    })
  })

  it('is undecided in flight until its cash-out is answered', async () => {
    const answers = { cashout: () => fail('rate_limited', 'Later.') }
    expect(await resultOf({}, '1100', answers)).toBeNull()
  })

  it('is a refund if the page has missed that the round was voided', async () => {
    const answers = { bet: atLast(VOIDED), cashout: refused }
    const result = await resultOf({ roundId: 9, phase: 'betting' }, '1000', answers)
    expect(result).toMatchObject({ kind: 'voided', amountWei: '100' })
  })

  it('is a win even if the chips have fallen meanwhile and the cash-out is not repeated', async () => {
    const answers = { bet: ended(WON), cashout: () => fail('internal', 'Later.') }
    const result = await resultOf({ phase: 'results', crashPoint: 3 }, '500', answers)
    expect(result).toMatchObject({ kind: 'won', multiplier: 200, payoutWei: '200' })
  })

  it('is a loss once the round says so', async () => {
    const answers = { bet: atLast(LOST), cashout: refused }
    const result = await resultOf({ phase: 'results', crashPoint: 1.5 }, '900', answers)
    expect(result).toMatchObject({ kind: 'lost', amountWei: '100' })
  })

  it.each([
    ['loss', LOST, /^You lost 0\.\d+ ETH\.$/],
    ['refund', VOIDED, /^0\.\d+ ETH returned\.$/],
  ])('is announced to screen readers: a %s', async (_, answer, words) => {
    const { announcement } = await import('../../../../src/play/announce.ts')
    await resultOf({ roundId: 9, phase: 'betting' }, '900', {
      bet: ended(answer),
      cashout: refused,
    })
    expect(announcement.value).toMatch(words)
  })

  it('is shown until the next flight if the page learns of it in a later round', async () => {
    const result = await resultOf({ roundId: 9 }, '900', { bet: atLast(LOST), cashout: refused })
    expect(result).toMatchObject({ kind: 'lost', amountWei: '100' })
    const leave = page.playAlong()
    page.live.patch({ table: tableWith({ roundId: 10, phase: 'betting' }) })
    await vi.advanceTimersByTimeAsync(0)
    expect(page.hand.value.result).not.toBeNull()
    page.live.patch({ table: tableWith({ roundId: 10 }) })
    await vi.advanceTimersByTimeAsync(0)
    expect(page.hand.value.result).toBeNull()
    leave()
  })

  it('isn’t shown if the bet never entered its round', async () => {
    const bet = vi.fn(() => fail('not_found', 'There is no bet.'))
    expect(await resultOf({ roundId: 8, phase: 'betting' }, '1000', { bet })).toBeNull()
    expect(bet).toHaveBeenCalledTimes(1)
  })
})

describe('a bet whose end becomes known late', () => {
  const NEWER = { ...BET, roundId: 8 }
  let answerNow: (answer: object) => void

  /** Asks in round 8 how the bet of round 7 ended. The answer is yet to come. */
  async function askLate(): Promise<() => void> {
    const later = new Promise<object>((resolve) => (answerNow = resolve))
    const between = tableWith({ roundId: 8, phase: 'betting' })
    const state = () => ({ ok: true, ...between, me: meWith('900', null) })
    serve({ state, bet: () => later })
    const leave = page.playAlong()
    page.live.patch({ table: tableWith({}) })
    page.session.patch({ me: meWith('900', BET) })
    page.session.patch({ me: meWith('900', null) })
    page.live.patch({ table: between })
    await vi.advanceTimersByTimeAsync(1_000)
    return leave
  }

  it('doesn’t replace a newer bet, whose own end is still shown', async () => {
    const leave = await askLate()
    page.session.patch({ me: meWith('800', NEWER) })
    answerNow({ ok: true, ...LOST })
    await vi.advanceTimersByTimeAsync(100)
    expect(page.hand.value.result).toBeNull()
    const after = tableWith({ roundId: 8, phase: 'results', crashPoint: 1.5 })
    serve({ state: () => ({ ok: true, ...after, me: meWith('800', null) }), bet: ended(LOST) })
    page.live.patch({ table: after })
    page.session.patch({ me: meWith('800', null) })
    await vi.advanceTimersByTimeAsync(2_000)
    leave()
    expect(page.hand.value.result).toMatchObject({ kind: 'lost', roundId: 8 })
  })

  it('isn’t shown to another wallet that signs in meanwhile', async () => {
    const leave = await askLate()
    answerNow({ ok: true, ...WON })
    const paid = new Promise<object>((resolve) => (answerNow = resolve))
    serve({ cashout: () => paid })
    await vi.advanceTimersByTimeAsync(100)
    page.session.patch({ player: { wallet: OTHER, authSig: '0x' }, me: null })
    answerNow({ ok: true, roundId: 7, multiplier: 2, payout: '200', me: meWith('1100', null) })
    await vi.advanceTimersByTimeAsync(100)
    leave()
    expect(page.hand.value.result).toBeNull()
  })
})

describe('a bet that may still be open, whatever the page believes', () => {
  /** The page's own state says that no bet is open; the service answers with this table and this bet. */
  async function cashoutsOf(table: Partial<TableState>, openBet: OpenBet | null) {
    const cashout = vi.fn(() => fail('already_crashed', 'Too late.'))
    const state = () => ({ ok: true, ...tableWith(table), me: meWith('900', openBet) })
    serve({ state, cashout, bet: ended(LOST) })
    const leave = page.playAlong()
    page.live.patch({ table: tableWith({}) })
    page.session.patch({ me: meWith('900', BET) })
    page.session.patch({ me: meWith('900', null) })
    await vi.advanceTimersByTimeAsync(5_000)
    leave()
    return cashout
  }

  it('is never cashed out to learn how it ended while the service says that it is open', async () => {
    expect(await cashoutsOf({}, BET)).not.toHaveBeenCalled()
    expect(page.hand.value.result).toBeNull()
  })

  it('is lost without a cash-out if the round has ended before the page shows it', async () => {
    const cashout = await cashoutsOf({ phase: 'results', crashPoint: 1.5 }, null)
    expect(cashout).not.toHaveBeenCalled()
    expect(page.hand.value.result).toMatchObject({ kind: 'lost', amountWei: '100' })
  })
})

describe('a bet for the next round', () => {
  const queue = async () => {
    page.session.patch({ me: meWith('1000', null) })
    const leave = page.playAlong()
    page.live.patch({ table: tableWith({}) })
    await page.bet(DRAFT)
    return leave
  }
  const placed = vi.fn<() => object>()

  beforeEach(() => {
    placed.mockReset().mockReturnValue({ ok: true, me: meWith('900', { ...BET, roundId: 8 }) })
    serve({ bet: placed })
  })

  it('is placed once that round opens', async () => {
    const leave = await queue()
    expect(placed).not.toHaveBeenCalled()
    page.live.patch({ table: tableWith({ roundId: 8, phase: 'betting' }) })
    await vi.advanceTimersByTimeAsync(100)
    leave()
    expect(placed).toHaveBeenCalledTimes(1)
  })

  it('is dropped, and says so, if the page comes back in a later round', async () => {
    const leave = await queue()
    page.live.patch({ table: tableWith({ roundId: 9, phase: 'betting' }) })
    await vi.advanceTimersByTimeAsync(100)
    leave()
    expect(placed).not.toHaveBeenCalled()
    const { queued, problem } = page.hand.value
    expect([queued, problem?.message]).toEqual([null, expect.stringContaining('missed its round')])
  })

  it('is dropped if that round opens long after, because the table was asleep', async () => {
    const leave = await queue()
    vi.setSystemTime(Date.now() + 3_600_000)
    page.live.patch({ table: tableWith({ roundId: 8, phase: 'betting' }) })
    await vi.advanceTimersByTimeAsync(100)
    leave()
    expect(placed).not.toHaveBeenCalled()
  })

  it.each([
    ['its edge', { edgeBps: 5_000 }],
    ['the terms of play', { config: { terms: { hash: 'bb' } } as TableState['config'] }],
  ])('is dropped, and says so, if %s changed after it was queued', async (_, changed) => {
    const leave = await queue()
    page.live.patch({ table: tableWith({ roundId: 8, phase: 'betting', ...changed }) })
    await vi.advanceTimersByTimeAsync(100)
    leave()
    expect(placed).not.toHaveBeenCalled()
    const { queued, problem } = page.hand.value
    expect([queued, problem?.message]).toEqual([null, expect.stringContaining('have changed')])
  })

  it('cannot be made while another one is open or being settled', async () => {
    page.session.patch({ me: meWith('900', BET) })
    page.live.patch({ table: tableWith({ phase: 'results', crashPoint: 1.5 }) })
    await page.bet(DRAFT)
    expect(page.hand.value.queued).toBeNull()
  })
})

describe('the main button', () => {
  const pressIn = (isAuto: boolean, isRunning: boolean) => page.mainPress({ isAuto, isRunning })

  it('starts and stops autobet while there is no bet', () => {
    expect(pressIn(false, false)).toBe('act')
    expect(pressIn(true, false)).toBe('start')
    expect(pressIn(true, true)).toBe('stop')
  })

  it.each([
    ['open', () => page.session.patch({ me: meWith('900', BET) })],
    ['being placed', () => page.hand.patch({ pending: { kind: 'bet', draft: DRAFT, roundId: 7 } })],
    ['queued', () => page.hand.patch({ queued: { ...DRAFT, roundId: 7, terms: '', at: 0 } })],
  ])('acts on a bet that is %s, whatever autobet does', (_, take) => {
    take()
    for (const [isAuto, isRunning] of [
      [true, false],
      [true, true],
    ] as const)
      expect(pressIn(isAuto, isRunning)).toBe('act')
  })
})

describe('a bet on the page', () => {
  it.each([
    ['full', '9', 'This round is full. Wait for the next round.'],
    [
      'nearly full',
      '99',
      'This round is nearly full. Bet at most 0.000000000000000099 ETH, or wait for the next round.',
    ],
  ])('shows that other bets have left its round %s', async (_, maxAmountWei, words) => {
    const { plainWords } = await import('../../../../src/play/plain-words.ts')
    serve({ bet: () => fail('payout_limit', 'For programs.', { maxPayout: '1', maxAmountWei }) })
    page.session.patch({ me: meWith('1000', null) })
    const { config } = tableWith({})
    const bounds = { ...config.bounds, ETH: { min: '10', max: '1000' } }
    await page.place(DRAFT, tableWith({ phase: 'betting', config: { ...config, bounds } }))
    const { problem } = page.hand.value
    expect(problem && plainWords(problem, 'ETH')).toBe(words)
  })

  it('leaves what the table showed as evidence, even if its answer is a failure', async () => {
    serve({})
    page.session.patch({ me: meWith('1000', null) })
    await page.place(DRAFT, tableWith({ phase: 'betting', edgeBps: 100 }))
    const kept = JSON.parse(stored.get('fairhouse.seen.rounds') ?? '[]') as object[]
    const shown = { seedHash: 'ab', pepperSource: { round: 5 }, edgeBps: 100 }
    const limits = { bounds: { ETH: { max: '1000' } }, maxPayout: { USDG: '100000' } }
    expect(kept).toMatchObject([['7', { ...shown, shownLimits: limits }]])
    // Another device may have placed another bet.
    expect(JSON.stringify(kept)).not.toContain('"bet"')
  })

  it('is kept as it was sent once it is accepted, and that this browser has cashed it out', async () => {
    const paid = { roundId: 7, multiplier: 2, payout: '200', me: meWith('1100', null) }
    serve({ bet: ended({ me: meWith('900', BET) }), cashout: ended(paid) })
    const keptOf = () => JSON.parse(stored.get('fairhouse.seen.rounds') ?? '[]') as object[]
    const sent = { wallet: WALLET, token: 'ETH', amountWei: '100', autoCashout: 2 }
    await page.place(DRAFT, tableWith({ phase: 'betting' }))
    expect(keptOf()).toMatchObject([['7', { seedHash: 'ab', bet: sent }]])
    expect(JSON.stringify(keptOf())).not.toContain('hasCashedOut')
    page.live.patch({ table: tableWith({}) })
    await page.cashOut()
    expect(keptOf()).toMatchObject([['7', { seedHash: 'ab', bet: sent, hasCashedOut: true }]])
  })

  it('is not kept as cashed out if the page only asks how it ended', async () => {
    serve({ bet: ended({ me: meWith('900', BET) }) })
    await page.place(DRAFT, tableWith({ phase: 'betting' }))
    const paid = { roundId: 7, multiplier: 2, payout: '200', me: meWith('1100', null) }
    const answers = { bet: ended(WON), cashout: ended(paid) }
    await resultOf({ phase: 'results', crashPoint: 3 }, '1100', answers)
    expect(stored.get('fairhouse.seen.rounds')).not.toContain('hasCashedOut')
  })

  it('leaves the root of the bets as evidence that the table showed first after the close', async () => {
    serve({})
    page.session.patch({ me: meWith('1000', null) })
    await page.place(DRAFT, tableWith({ phase: 'betting' }))
    const leave = page.playAlong()
    page.session.patch({ me: meWith('900', BET) })
    page.live.patch({ table: tableWith({ betsRoot: 'first', betCount: 1 }) })
    page.live.patch({ table: tableWith({ betsRoot: 'later', betCount: 2 }) })
    leave()
    const kept = JSON.parse(stored.get('fairhouse.seen.rounds') ?? '[]') as object[]
    expect(kept).toMatchObject([['7', { seedHash: 'ab', betsRoot: 'first', betCount: 1 }]])
  })
})

describe('a bet whose answer is late', () => {
  const PAID = { roundId: 7, multiplier: 2, payout: '200', me: meWith('1100', null) }
  let answers: { bet(answer: object): void; cashout(answer: object): void }

  /** Bets, reads in flight that the bet stands, and cashes out. Both answers are yet to come. */
  async function cashOutUnanswered() {
    answers = { bet() {}, cashout() {} }
    let me = meWith('900', BET)
    serve({
      state: () => ({ ok: true, ...tableWith({}), me }),
      bet: () => new Promise<object>((resolve) => (answers.bet = resolve)),
      cashout: () => new Promise<object>((resolve) => (answers.cashout = resolve)),
    })
    page.session.patch({ me: meWith('1000', null) })
    const leave = page.playAlong()
    const placing = page.place(DRAFT, tableWith({ phase: 'betting' }))
    page.live.patch({ table: tableWith({}) })
    await page.readMe()
    const cashingOut = page.cashOut()
    await vi.advanceTimersByTimeAsync(0)
    me = PAID.me
    return { leave, placing, cashingOut }
  }

  it.each([
    ['an acceptance', { ok: true, me: meWith('900', BET) }],
    ['a refusal', fail('rate_limited', 'Later.')],
  ])('can be cashed out, and stays cashed out when %s arrives', async (_, late) => {
    const { leave, placing, cashingOut } = await cashOutUnanswered()
    answers.cashout({ ok: true, ...PAID })
    await cashingOut
    answers.bet(late)
    await placing
    leave()
    expect(page.session.value.me?.openBet).toBeNull()
    expect(page.hand.value).toMatchObject({ pending: null, problem: null, result: { kind: 'won' } })
  })

  it('keeps its cash-out in flight when it is refused meanwhile', async () => {
    const { leave, placing } = await cashOutUnanswered()
    answers.bet(fail('rate_limited', 'Later.'))
    await placing
    leave()
    expect(page.hand.value).toMatchObject({ pending: { kind: 'cashout' }, problem: null })
  })
})
