import { expect, it } from 'vitest'
import { limboReturn, limboWins, SHOWN_TARGETS } from '../../../../src/games/limbo/returns.ts'
import { limboResult } from '../../../../src/games/limbo/rule.ts'
import { TERMS } from '../terms.ts'

it.each(SHOWN_TARGETS)(
  'the exact return at %i hundredths is one minus the edge, to within 2^-52',
  (target) => {
    const wins = limboWins({ target }, TERMS)
    expect(limboResult(wins - 1n, TERMS.edgeBps)).toBeGreaterThanOrEqual(target)
    expect(limboResult(wins, TERMS.edgeBps)).toBeLessThan(target)
    const { numerator, denominator } = limboReturn({ target }, TERMS)
    const missing = 99n * denominator - numerator * 100n
    expect(missing >= 0n && missing < 100n * BigInt(target)).toBe(true)
  },
)
