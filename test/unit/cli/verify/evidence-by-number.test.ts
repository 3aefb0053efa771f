import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadEvidence } from '../../../../src/cli/verify/evidence.ts'
import { otherSeedHash, verdictsOf } from '../../../../src/cli/verify/verdicts.ts'
import type { VerifyTargets } from '../../../../src/cli/verify/wanted.ts'
import { crashPointOf } from '../../../../src/crash/crash-point.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { settle } from '../../../../src/games/play.ts'
import { toMultiplier } from '../../../../src/money/multiplier.ts'

const SERVICE = 'https://house.test'
const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'
const PEPPER = 'b2'.repeat(32)

/** A play older than the newest hundred. */
const OLD_PLAY = {
  ok: true,
  wallet: WALLET,
  ...settle(
    { game: 'plinko', params: { risk: 'low', rows: 12 } },
    { token: 'USDG', amountWei: 1_000_000n },
    { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 },
    { edgeBps: 100, tables: 1 },
  ),
}

const round = { roundId: 42, seed: SEED, pepper: PEPPER, edgeBps: 100 }
const OLD_BET = {
  ok: true,
  wallet: WALLET,
  token: 'USDG',
  amountWei: '1000000',
  autoCashout: null,
  placedAt: 1,
  outcome: 'lost',
  multiplier: 0,
  payout: '0',
  ...round,
  seedHash: commitmentOf(SEED),
  crash: toMultiplier(crashPointOf(round)),
  pepperSource: { kind: 'committed', pepperHash: commitmentOf(PEPPER) },
  openedAt: 0,
  betsCloseAt: 8_000,
}

const REFUSED = { ok: false, error: { code: 'not_found', message: 'This is not there.' } }

/** A service that returns old plays and bets by number only. */
function answerTo(url: URL): Response {
  const { wallet, nonce, roundId, action } = Object.fromEntries(url.searchParams)
  if (url.pathname === '/api/entropy' && action === undefined) return Response.json({ recent: [] })
  const isTheirs = wallet === WALLET
  if (action === 'play' && isTheirs && nonce === '7') return Response.json(OLD_PLAY)
  if (action === 'bet' && isTheirs && roundId === '42') return Response.json(OLD_BET)
  return Response.json(REFUSED, { status: 404 })
}

beforeEach(() => void vi.stubGlobal('fetch', async (url: URL) => answerTo(url)))
afterEach(() => vi.unstubAllGlobals())

async function check(wanted: VerifyTargets, seen: object = {}) {
  const evidence = await loadEvidence(SERVICE, wanted)
  return verdictsOf(evidence, { wanted, seen }).map(({ name, checks }) => ({
    name,
    failed: checks.flatMap(({ claim, holds }) => (holds ? [] : [claim])),
  }))
}

it('a result whose seed hash is not the one that was seen is shown with both', async () => {
  const wanted = { only: 'play', nonce: 7, wallet: WALLET } as const
  const seen = { seedHash: commitmentOf(PEPPER) }
  const [verdict] = verdictsOf(await loadEvidence(SERVICE, wanted), { wanted, seen })
  expect(otherSeedHash(verdict!, seen)).toEqual([
    `its seed hash  ${commitmentOf(SEED)}`,
    `the one given  ${commitmentOf(PEPPER)}`,
  ])
  expect(otherSeedHash(verdict!, { seedHash: commitmentOf(SEED) })).toEqual([])
  expect(otherSeedHash(verdict!, {})).toEqual([])
})

describe('a play older than the newest hundred', () => {
  it('is verified by its number and wallet', async () => {
    const play = { only: 'play', nonce: 7, wallet: WALLET } as const
    expect(await check(play)).toEqual([{ name: `play 7 of ${WALLET}`, failed: [] }])
    const [held] = await check(play, { seedHash: commitmentOf(PEPPER) })
    expect(held?.failed).toEqual(['its seed hash is the one you saw before you played'])
  })

  it('is not found if it was never made', async () => {
    const play = { only: 'play', nonce: 8, wallet: WALLET } as const
    await expect(check(play)).rejects.toThrow('This is not there.')
  })

  it('is looked up among the newest if its wallet is unknown', async () => {
    expect(await check({ only: 'play', nonce: 7 })).toEqual([])
  })
})

describe('an ended bet', () => {
  it('is verified by its round and wallet', async () => {
    const bet = { only: 'bet', roundId: 42, wallet: WALLET } as const
    expect(await check(bet)).toEqual([{ name: `bet of ${WALLET} in round 42`, failed: [] }])
    const [held] = await check(bet, { seedHash: commitmentOf(PEPPER) })
    expect(held?.failed).toEqual(['its seed hash is the one you saw before bets closed'])
  })

  it('is not found if it was never placed', async () => {
    const bet = { only: 'bet', roundId: 43, wallet: WALLET } as const
    await expect(check(bet)).rejects.toThrow('This is not there.')
  })
})
