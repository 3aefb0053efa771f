import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkGame } from '../../../../src/cli/play/crash-checks.ts'
import { playGame, type Seat } from '../../../../src/cli/play/crash-game.ts'
import { LiveTable } from '../../../../src/cli/play/live-table.ts'
import { Receipts } from '../../../../src/cli/play/receipts.ts'
import { Client, ServiceError, Unanswered } from '../../../../src/cli/shared/client.ts'
import { Player } from '../../../../src/cli/shared/player.ts'
import { LiveLine } from '../../../../src/cli/shared/terminal.ts'
import { multiplierAt, msToReach } from '../../../../src/crash/curve.ts'
import { BETS_CLOSE_AT, OPENED_AT, ROUND_ID, TAKEOFF_AT } from '../../support/builders.ts'

vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}))

const WALLET_KEY = `0x${'11'.repeat(32)}` as const
const WAGER = { token: 'USDG', amountWei: 1_000_000n, target: 200 } as const
const CRASH_AT = TAKEOFF_AT + msToReach(400)
const NOT_FOUND = new ServiceError(404, { code: 'not_found', message: 'Not here.' })
const LOST = new Unanswered(new URL('http://house.test'))

/** A house with one round that crashes at 4.00. It carries out a call before its answer may be lost. */
class House {
  readonly sent: Record<string, unknown>[] = []
  /** Returns the fault in place of an answer, by the number of calls of its kind. */
  fault: (kind: string, count: number) => Error | null = () => null
  readonly #counts = new Map<string, number>()
  #bet: { token: string; autoCashout: number | null } | null = null
  #cashout: number | null = null

  get = async (): Promise<object> => this.#answer('state', this.#state())

  post = async (_path: string, posted: object): Promise<object> => {
    const body = posted as Record<string, unknown>
    const { action } = body
    this.sent.push(body)
    if (action === 'bet') {
      this.#bet ??= body as { token: string; autoCashout: number | null }
      return this.#answer('bet', { ok: true, roundId: ROUND_ID, me: this.#me() })
    }
    this.#reach()
    if (this.#cashout === null && Date.now() >= CRASH_AT)
      throw new ServiceError(409, { code: 'already_crashed', message: 'The round has crashed.' })
    this.#cashout ??= multiplierAt(Date.now() - TAKEOFF_AT)
    const payout = String((WAGER.amountWei * BigInt(this.#cashout)) / 100n)
    const multiplier = this.#cashout / 100
    return this.#answer('cashout', {
      ok: true,
      roundId: ROUND_ID,
      multiplier,
      payout,
      me: this.#me(),
    })
  }

  #answer(kind: string, answer: object): object {
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const fault = this.fault(kind, count)
    if (fault) throw fault
    return answer
  }

  /** Carries out a reached automatic cash-out. */
  #reach(): void {
    const target = Math.round((this.#bet?.autoCashout ?? Infinity) * 100)
    const reached = multiplierAt(Math.max(0, Math.min(Date.now(), CRASH_AT) - TAKEOFF_AT))
    if (this.#bet && reached >= target) this.#cashout ??= target
  }

  #me() {
    this.#reach()
    const isOpen = this.#bet && this.#cashout === null && Date.now() < CRASH_AT
    const paid = (WAGER.amountWei * BigInt(this.#cashout ?? 0)) / 100n
    const chips = 5_000_000n - (this.#bet ? WAGER.amountWei : 0n) + paid
    return { chips: { USDG: String(chips) }, openBet: isOpen ? { roundId: ROUND_ID } : null }
  }

  #state() {
    const now = Date.now()
    const phase = now < TAKEOFF_AT ? 'betting' : now < CRASH_AT ? 'flight' : 'results'
    const flown = now < TAKEOFF_AT ? 100 : multiplierAt(Math.min(now, CRASH_AT) - TAKEOFF_AT)
    return {
      roundId: ROUND_ID,
      phase,
      seedHash: 'aa',
      pepperSource: { kind: 'committed', pepperHash: 'bb' },
      edgeBps: 100,
      betsCloseAt: BETS_CLOSE_AT,
      flightAt: TAKEOFF_AT,
      growthPerMs: 0.00006,
      serverTime: now,
      msLeft: 0,
      multiplier: flown / 100,
      crashPoint: phase === 'results' ? 4 : null,
      me: this.#me(),
    }
  }
}

let house: House
let printed: string[]

beforeEach(() => {
  vi.useFakeTimers({ now: OPENED_AT + 100, toFake: ['Date'] })
  house = new House()
  printed = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function play() {
  const client = new Client('http://house.test')
  vi.spyOn(client, 'get').mockImplementation(house.get)
  vi.spyOn(client, 'post').mockImplementation(house.post)
  const line = new LiveLine()
  vi.spyOn(line, 'show').mockReturnValue()
  vi.spyOn(line, 'print').mockImplementation((text) => void printed.push(text))
  const player = new Player(client, WALLET_KEY)
  const receipts = new Receipts(player.wallet, { origin: client.baseUrl, keys: [], folder: '' })
  const seat: Seat = { player, table: new LiveTable(player, line), receipts, line }
  return playGame(seat, WAGER)
}

const WON = { kind: 'won', multiplier: 200, payoutWei: 2_000_000n }
const bets = () => house.sent.filter(({ action }) => action === 'bet')

describe('a round of crash in the terminal', () => {
  it('is bet on with its target as an automatic cash-out', async () => {
    expect((await play()).result).toEqual(WON)
    expect(bets()).toEqual([expect.objectContaining({ roundId: ROUND_ID, autoCashout: 2 })])
  })

  it.each([
    ['the answer to a look at the table is lost', LOST],
    ['the service fails', new ServiceError(500)],
  ])('goes on after %s in flight', async (_, fault) => {
    house.fault = (kind) =>
      kind === 'state' && Date.now() > TAKEOFF_AT && Date.now() < TAKEOFF_AT + 3_000 ? fault : null
    expect((await play()).result).toEqual(WON)
  })

  it.each(['bet', 'cashout'])('repeats a %s whose answer is lost', async (action) => {
    house.fault = (kind, count) => (kind === action && count <= 2 ? LOST : null)
    expect((await play()).result).toEqual(WON)
    expect(house.sent.filter((sent) => sent['action'] === action)).toHaveLength(3)
  })

  it('claims nothing of the chips after a bet whose answer comes only after its end', async () => {
    house.fault = (kind) => (kind === 'bet' && Date.now() < TAKEOFF_AT + 12_000 ? LOST : null)
    const game = await play()
    expect(game).toMatchObject({ result: WON, chipsAfterBet: null })
    const checks = checkGame(game, { ok: true, rounds: [], voided: [] }, 6_000_000n)
    expect(checks.filter(({ claim }) => claim.includes('chips'))).toEqual([
      { claim: 'your chips add up: 5 USDG before, 6 USDG after', holds: true },
    ])
    expect(checks.some(({ claim }) => claim.includes('your bet took'))).toBe(false)
  })

  it('ends after a minute without an answer, and says what becomes of the bet', async () => {
    house.fault = (kind) => (kind === 'bet' ? LOST : null)
    await expect(play()).rejects.toBe(LOST)
    expect(Date.now()).toBe(OPENED_AT + 100 + 60_750)
    expect(printed).toEqual([`round ${ROUND_ID}: your bet may stand. It then cashes out at 2.00x.`])
  })

  it('says nothing of a bet that was refused', async () => {
    const refused = new ServiceError(402)
    house.fault = (kind) => (kind === 'bet' ? refused : null)
    await expect(play()).rejects.toBe(refused)
    expect([printed, bets()]).toEqual([[], [expect.anything()]])
  })

  it('ends at once after a refusal', async () => {
    house.fault = (kind) => (kind === 'state' ? NOT_FOUND : null)
    await expect(play()).rejects.toBe(NOT_FOUND)
  })
})
