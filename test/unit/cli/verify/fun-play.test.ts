import { describe, expect, it } from 'vitest'
import { NOTHING } from '../../../../src/cli/verify/evidence.ts'
import { readPlays, readSavedPlays } from '../../../../src/cli/verify/plays.ts'
import { verdictsOf } from '../../../../src/cli/verify/verdicts.ts'
import { newPurse, play } from '../../../../src/play/fun/purse.ts'

const SEED = '5e'.repeat(32)

/** A play as the page gives it to its player. */
function funPlay(): object {
  const selection = { game: 'limbo' as const, params: { target: 200 } }
  const stake = { amountWei: 1_000_000n, clientSeed: 'mine', nonce: 0 }
  const order = { selection, ...stake, edgeBps: 100, tables: 1, minPlayMs: 0 }
  const step = play(newPurse(SEED), order, { at: 1, seed: SEED })
  if ('ok' in step) throw new Error(step.error.message)
  return JSON.parse(JSON.stringify(step.answer)) as object
}

const asked = {
  wanted: { only: null, roundId: undefined, nonce: undefined, wallet: undefined },
  seen: {},
} as unknown as Parameters<typeof verdictsOf>[1]

const verdictOf = (saved: object) =>
  verdictsOf({ ...NOTHING, plays: readSavedPlays(saved, 'play.json') }, asked)[0]

describe('a play with fun chips', () => {
  it('is verified by the same rules, and named as one', () => {
    const verdict = verdictOf(funPlay())
    expect(verdict?.title).toMatch(/^limbo with fun chips, worth nothing, paid \d/)
    expect(verdict?.checks.length).toBe(3)
    expect(verdict?.checks.every(({ holds }) => holds)).toBe(true)
  })

  it('fails with another seed or payout', () => {
    for (const change of [{ seed: 'ab'.repeat(32) }, { payout: '7' }]) {
      const checks = verdictOf({ ...funPlay(), ...change })?.checks ?? []
      expect(checks.some(({ holds }) => !holds)).toBe(true)
    }
  })

  it('is no play that a service may answer', () => {
    expect(() => readPlays({ recent: [funPlay()] }, 'https://house.test')).toThrow(/token/)
  })
})
