import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyReceipts } from '../../../../src/cli/verify/receipts.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { shownEnd, shownGame } from '../../../../src/games/mines/open.ts'
import { settle } from '../../../../src/games/play.ts'
import type { Receipt } from '../../../../src/receipts/claims.ts'
import { SEED } from '../../builders.ts'
import { issuedTo, KEYS, playReceipt, sign } from '../../receipts.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const NEXT = commitmentOf('00'.repeat(32))
const TERMS = { edgeBps: 100, tables: 1 }
const DRAW = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 }
const STAKE = { token: 'USDG' as const, amountWei: 1_000_000n }

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
  const game = { ...STAKE, mines: 3, maxPicks: 22, picked, openedAt: 1, edgeBps: 100 }
  return { seed, nextSeedHash: NEXT, clientSeed, nonce, ...game }
}

/** The receipts of a game's opening and of its safe picks. */
function stepsTo(picked: number[]): Receipt[] {
  return [...Array(picked.length + 1).keys()].map((count) => ({
    ...issuedTo(WALLET),
    ...{ seq: 2 + count, entry: `${10 + count}`.repeat(32) },
    ...{ kind: count === 0 ? 'mines-open' : 'mines-pick' },
    game: shownGame(held(picked.slice(0, count))),
  }))
}

/** Verifies receipts against a disclosure. */
async function verify(receipts: Receipt[], disclosed: object) {
  vi.stubGlobal('fetch', async ({ pathname }: URL) => {
    if (pathname === '/.well-known/jwks.json') return Response.json({ keys: KEYS })
    if (pathname.startsWith('/log/'))
      return Response.json(refuse('not_configured', ''), { status: 503 })
    return Response.json({ ok: true, wallet: WALLET, settledAt: 1, ...disclosed })
  })
  const texts = await Promise.all(receipts.map((each) => sign(each)))
  const exitCode = await verifyReceipts(texts, { file: null, logKey: null }).catch(
    (fault: Error) => fault.message,
  )
  return { exitCode, text: output.join('\n') }
}

const ADDED = 'the house added it'

describe('the receipts of a game of mines', () => {
  it('leave no doubt of a game that was cashed out', async () => {
    const play = playedTo(PICKED)
    const last = { ...playReceipt(WALLET, play), seq: 6, entry: 'aa'.repeat(32) }
    const { exitCode, text } = await verify([...stepsTo(PICKED), last], play)
    expect(exitCode).toBe(0)
    expect(text).not.toContain(ADDED)
  })

  it('leave no doubt of a game that was lost with a pick that has one', async () => {
    const picked = [...PICKED, MINE]
    const last = { ...stepsTo(picked).at(-1)!, game: shownEnd(held(picked), true) } as Receipt
    const { exitCode, text } = await verify([...stepsTo(PICKED), last], playedTo(picked))
    expect(exitCode).toBe(0)
    expect(text).not.toContain(ADDED)
  })

  it('leave a doubt if the disclosure ends with a mine that has none', async () => {
    const play = playedTo([...PICKED, MINE])
    const last = { ...playReceipt(WALLET, play), seq: 6, entry: 'aa'.repeat(32) }
    const { text } = await verify([...stepsTo(PICKED), last], play)
    expect(text).toContain(`it was lost with pick 4, tile ${MINE}, but no receipt of that pick`)
    expect(text.split(ADDED)).toHaveLength(2)
  })

  it('contradict a disclosure that has a mine before the last pick', async () => {
    const picked = [...PICKED, MINE, SAFE[3]!]
    const { exitCode, text } = await verify(stepsTo(PICKED), playedTo(picked))
    expect(exitCode).toContain('Not verified')
    expect(text).toContain('its disclosure fails: no pick before the last one is a mine')
  })
})
