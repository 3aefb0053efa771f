import { afterEach, describe, expect, it, vi } from 'vitest'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { type Selection } from '../../../src/games/games.ts'
import { settle } from '../../../src/games/play.ts'
import { isFailure } from '../../../src/play/api.ts'
import { proveBet } from '../../../src/play/verify/crash.ts'
import { provePlay } from '../../../src/play/verify/play.ts'
import { disclosedCommitted } from '../builders.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'

afterEach(() => vi.unstubAllGlobals())

/** A service that answers a single path. */
function serve(path: string, answer: object): void {
  vi.stubGlobal('fetch', async (asked: string) => {
    if (asked === path) return Response.json(answer)
    throw new Error(`${asked} was asked for`)
  })
}

function playOf(selection: Selection) {
  const draw = { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'v750-_nL', nonce: 3 }
  const stake = { token: 'USDG' as const, amountWei: 1_000_000n }
  return {
    ok: true,
    wallet: WALLET,
    ...settle(selection, stake, draw, { edgeBps: 100, tables: 1 }),
  }
}

async function provenPlay(selection: Selection) {
  const play = playOf(selection)
  serve(`/api/entropy?action=play&wallet=${WALLET}&nonce=3`, play)
  const proof = await provePlay(WALLET, '3')
  if (isFailure(proof)) throw new Error(proof.error.message)
  return { play, proof }
}

describe('the page verifies a play', () => {
  it.each<Selection>([
    { game: 'plinko', params: { risk: 'low', rows: 12 } },
    { game: 'keno', params: { picks: [19, 29, 5], risk: 'low' } },
  ])('of $game by its number, and shows which tables bind its multiplier', async (selection) => {
    const { play, proof } = await provenPlay(selection)
    expect(proof.checks.every(({ holds }) => holds)).toBe(true)
    const name = 'What the pay tables, version 1, pay for it'
    expect(proof.steps).toContainEqual({ name, value: `${play.multiplier}x` })
  })

  it('of limbo by its number, without a pay table', async () => {
    const { proof } = await provenPlay({ game: 'limbo', params: { target: 150 } })
    expect(proof.checks.every(({ holds }) => holds)).toBe(true)
    expect(proof.steps.some(({ name }) => name.includes('tables'))).toBe(false)
  })
})

describe('the page verifies a bet', () => {
  it('by its round, with its payout', async () => {
    const round = disclosedCommitted()
    const bet = { amountWei: '1000', autoCashout: null, multiplier: 0, payout: '0' }
    serve(`/api/crash?action=bet&wallet=${WALLET}&roundId=${round.roundId}`, {
      ok: true,
      ...{ wallet: WALLET, token: 'USDG', placedAt: 1, outcome: 'lost', ...bet },
      ...round,
    })
    const proof = await proveBet(WALLET, String(round.roundId))
    if (isFailure(proof)) throw new Error(proof.error.message)
    expect(proof.title).toBe(`Bet in round ${round.roundId}`)
    expect(proof.checks.map(({ holds }) => holds)).toEqual([true, true, true, true])
    expect(proof.steps.at(-1)?.value).toBe('1000, 0.00x, 0')
  })
})
