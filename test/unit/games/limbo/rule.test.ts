import { expect, it } from 'vitest'
import { playLimbo } from '../../../../src/games/limbo/rule.ts'
import { RandomStream } from '../../../../src/games/stream.ts'
import { TERMS } from '../terms.ts'

it('the worked example in reference/fairness.md gives 2.17', () => {
  const seed = '9f7e2493d3e64681667295f3a2ffd7da0fcf1d24181bbb1ca71df589304e878d'
  const stream = new RandomStream({ seed, clientSeed: 'v750-_nL', nonce: 1 })
  expect(stream.first52Bits()).toBe(0x745ec8cbb222cn)
  expect(playLimbo({ target: 150 }, stream, TERMS).meta.result).toBe(2.17)
})
