import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyReceipts } from '../../../../src/cli/verify/receipts.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import { DAY_MS } from '../../../../src/core/utc-day.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { shownEnd, shownGame, type MinesGame } from '../../../../src/games/mines/open.ts'
import { settle } from '../../../../src/games/play.ts'
import type { Receipt } from '../../../../src/receipts/claims.ts'
import { SEED } from '../../support/builders.ts'
import { ISSUED_AT, issuedTo, KEYS, playReceipt, sign, type Of } from '../../support/receipts.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const NEXT = commitmentOf('00'.repeat(32))
const TERMS = { edgeBps: 100, tables: 1 }
const DRAW = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 }
const STAKE = { token: 'USDG' as const, amountWei: 1_000_000n }

const OPENED_AT = issuedTo(WALLET).iat * 1_000 + 123

const playedTo = (picked: number[]) => ({
  ...settle({ game: 'mines', params: { mines: 3, picked } }, STAKE, DRAW, TERMS),
  nextSeedHash: NEXT,
})

const [MINE = 0] = playedTo([]).meta.mines
const SAFE = [...Array(25).keys()].filter((tile) => !playedTo([]).meta.mines.includes(tile))
const PICKED = SAFE.slice(0, 3)

let output: string[] = []

beforeEach(() => {
  output = []
  vi.useFakeTimers({ now: issuedTo(WALLET).iat * 1_000, toFake: ['Date'] })
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function held(picked: number[]) {
  const { seed, clientSeed, nonce } = DRAW
  const game = { ...STAKE, mines: 3, maxPicks: 22, picked, openedAt: OPENED_AT, edgeBps: 100 }
  return { seed, nextSeedHash: NEXT, clientSeed, nonce, ...game }
}

/** The receipts of a game's opening and of its safe picks. */
function stepsTo(picked: number[]): Receipt[] {
  return [...Array(picked.length + 1).keys()].map((count) => ({
    ...issuedTo(WALLET),
    seq: 2 + count,
    entry: `${10 + count}`.repeat(32),
    kind: count === 0 ? 'mines-open' : 'mines-pick',
    game: shownGame(held(picked.slice(0, count))),
  }))
}

/** Verifies receipts against a disclosure. */
async function verify(receipts: Receipt[], disclosed: object) {
  vi.stubGlobal('fetch', async ({ pathname }: URL) => {
    if (pathname === '/.well-known/jwks.json') return Response.json({ keys: KEYS })
    if (pathname.startsWith('/log/'))
      return Response.json(refuse('not_configured', ''), { status: 503 })
    return Response.json({
      ok: true,
      wallet: WALLET,
      settledAt: ISSUED_AT,
      ...disclosed,
      fairness: { nonce: DRAW.nonce + 1 },
    })
  })
  const texts = await Promise.all(receipts.map((each) => sign(each)))
  const exitCode = await verifyReceipts(texts, { file: null, logKey: null }).catch(
    (fault: Error) => fault.message,
  )
  return { exitCode, text: output.join('\n') }
}

const ADDED = 'the house added it'
const ENDED = 'the house ended it'

describe('the receipts of a game of mines', () => {
  it('leave no doubt of a game that was cashed out', async () => {
    const play = playedTo(PICKED)
    const last = { ...playReceipt(WALLET, play), seq: 6, entry: 'aa'.repeat(32) }
    const { exitCode, text } = await verify([...stepsTo(PICKED), last], play)
    expect(exitCode).toBe(0)
    expect(text).not.toContain(ADDED)
    expect(text).not.toContain(ENDED)
  })

  it('leave no doubt of a game that was lost with a pick that has one', async () => {
    const picked = [...PICKED, MINE]
    const last = { ...stepsTo(picked).at(-1)!, game: shownEnd(held(picked), true) } as Receipt
    const { exitCode, text } = await verify([...stepsTo(PICKED), last], playedTo(picked))
    expect(exitCode).toBe(0)
    expect(text).not.toContain(ADDED)
  })

  it('warn of a lost game whose last pick has none', async () => {
    const play = playedTo([...PICKED, MINE])
    const last = { ...playReceipt(WALLET, play), seq: 6, entry: 'aa'.repeat(32) }
    const { text } = await verify([...stepsTo(PICKED), last], play)
    expect(text).toContain(
      `it was lost with pick 4, tile ${MINE}, but you gave no receipt of that pick`,
    )
    expect(text.split(ADDED)).toHaveLength(2)
  })

  it('leave a doubt if the game was cashed out within a day and nothing signed says so', async () => {
    const settledAt = OPENED_AT + 65_000
    vi.setSystemTime(settledAt)
    const { exitCode, text } = await verify(stepsTo(PICKED), { ...playedTo(PICKED), settledAt })
    expect(exitCode).toBe(0)
    expect(text).toContain(
      'was cashed out 65 seconds after it opened, with 3 picks, but you gave no receipt',
    )
    expect(text.split(ENDED)).toHaveLength(2)
  })

  it('leave a doubt if the game returned its stake within a day', async () => {
    const settledAt = OPENED_AT + DAY_MS - 1
    vi.setSystemTime(settledAt)
    const { text } = await verify(stepsTo([]), { ...playedTo([]), settledAt })
    expect(text).toContain('it returned its stake 86399 seconds after it opened')
    expect(text).toContain(ENDED)
  })

  it('leave no doubt of a game that was left open for a day', async () => {
    const settledAt = OPENED_AT + DAY_MS
    vi.setSystemTime(settledAt)
    const { text } = await verify(stepsTo(PICKED), { ...playedTo(PICKED), settledAt })
    expect(text).not.toContain(ENDED)
  })

  it('leave a doubt if the end of the game is dated ahead', async () => {
    const settledAt = OPENED_AT + DAY_MS
    vi.setSystemTime(settledAt - 60_001)
    const { text } = await verify(stepsTo(PICKED), { ...playedTo(PICKED), settledAt })
    expect(text).toContain(ENDED)
  })

  it('leave no doubt of a game that ended with the last pick it allows', async () => {
    const { text } = await verify(stepsTo(SAFE), playedTo(SAFE))
    expect(text).not.toContain(ENDED)
  })

  it('name the limit that excuses the end of a game with its last pick', async () => {
    const limited = (stepsTo(PICKED) as Of<'mines-pick'>[]).map((step) => {
      const next = step.game.picked.length === PICKED.length ? null : step.game.next
      return { ...step, game: { ...step.game, maxPicks: 3, next } }
    })
    const { exitCode, text } = await verify(limited, playedTo(PICKED))
    expect(exitCode).toBe(0)
    expect(text).toContain(
      'it was cashed out with its last pick, because the house set the limit of 3 picks. If neither you',
    )
    expect(text.split(ENDED)).toHaveLength(2)
  })

  it('prove a breach if the game was dated back when it opened', async () => {
    const [opened] = stepsTo(PICKED) as [Extract<Receipt, { kind: 'mines-open' }>]
    const early = { ...opened, game: { ...opened.game, openedAt: OPENED_AT - DAY_MS } }
    const { exitCode, text } = await verify([early], playedTo(PICKED))
    expect(exitCode).toContain('Not verified')
    expect(text).toContain('its disclosure fails: it opened when it was signed')
  })

  it('contradict a disclosure that has a mine before the last pick', async () => {
    const picked = [...PICKED, MINE, SAFE[3]!]
    const { exitCode, text } = await verify(stepsTo(PICKED), playedTo(picked))
    expect(exitCode).toContain('Not verified')
    expect(text).toContain('its disclosure fails: no pick before the last one is a mine')
  })

  it('prove a breach if a safe pick ended the game before the last one', async () => {
    const steps = stepsTo(PICKED)
    const last = { ...steps.at(-1)!, game: shownEnd(held(PICKED), false) } as Receipt
    const { exitCode, text } = await verify([...steps.slice(0, -1), last], playedTo(PICKED))
    expect(exitCode).toContain('Not verified')
    expect(text).toMatch(/its disclosure fails: the multiplier after one more pick is null in the/)
  })

  it('prove a breach if a step names another multiplier than its picks pay', async () => {
    const [opened, ...picks] = stepsTo(PICKED) as [Receipt, ...Of<'mines-pick'>[]]
    const wrong = picks.map((pick) => ({ ...pick, game: { ...pick.game, multiplier: 1 } }))
    const { text } = await verify([opened, ...wrong], playedTo(PICKED))
    expect(text).toContain(
      'its disclosure fails: the multiplier then is 1 in the receipt and 1.125',
    )
  })

  it('leave no doubt of a game that claims more picks than there are safe tiles', async () => {
    const [opened] = stepsTo(SAFE) as [Of<'mines-open'>]
    const { text } = await verify(
      [{ ...opened, game: { ...opened.game, maxPicks: 24 } }],
      playedTo(SAFE),
    )
    expect(text).not.toContain('fails')
  })

  it.each<[string, Partial<MinesGame>, Partial<MinesGame>]>([
    ['dated back by its picks', { openedAt: OPENED_AT - DAY_MS }, {}],
    ['given fewer picks by its last pick', {}, { maxPicks: 3 }],
  ])('prove a breach if a game that the house ended was %s', async (_what, inAll, inLast) => {
    const settledAt = OPENED_AT + 65_000
    vi.setSystemTime(settledAt)
    const [opened, ...picks] = stepsTo(PICKED) as [Receipt, ...Of<'mines-pick'>[]]
    const changed = picks.map((pick, n) => ({
      ...pick,
      game: { ...pick.game, ...inAll, ...(n === picks.length - 1 ? inLast : {}) },
    }))
    const disclosed = { ...playedTo(PICKED), settledAt }
    const { exitCode, text } = await verify([opened, ...changed], disclosed)
    expect(exitCode).toContain('Not verified')
    expect(text).toMatch(/Proof of a breach: game 7 of \S+: (openedAt|maxPicks) is /)
  })

  it.each([
    ['before its game opened', -1_000],
    ['later than an hour after its game was due to end', DAY_MS + 3_601_000],
  ])('prove a breach if a pick is dated %s', async (_when, sinceMs) => {
    const pick = stepsTo(PICKED).at(-1) as Of<'mines-pick'>
    const iat = pick.iat + sinceMs / 1_000
    vi.setSystemTime(iat * 1_000)
    const { text } = await verify([{ ...pick, iat }], playedTo(PICKED))
    expect(text).toContain('its disclosure fails: it was picked within a day after its game opened')
  })

  it('leave no doubt of a pick that was answered just before its game was cashed out late', async () => {
    const [opened, ...picks] = stepsTo(PICKED) as [Receipt, ...Receipt[]]
    const late = picks.map((pick) => ({ ...pick, iat: pick.iat + DAY_MS / 1_000 + 3_599 }))
    const settledAt = OPENED_AT + DAY_MS + 3_600_000
    vi.setSystemTime(settledAt)
    const { exitCode } = await verify([opened, ...late], { ...playedTo(PICKED), settledAt })
    expect(exitCode).toBe(0)
  })
})
