import { expect, it } from 'vitest'
import { words } from '../../../../src/games/plinko/words.ts'

it('a bucket has the same number as on the wire', () => {
  const meta = { bucket: 9, path: 'LRRRRRRLRRLLLRLL', rows: 16, risk: 'low' } as const
  expect(words.result(meta)).toBe('Bucket 9 (0 to 16)')
})

it('the choice is described from the result', () => {
  const meta = { bucket: 3, path: 'LRLRLRLL', rows: 8, risk: 'high' } as const
  expect(words.choice(meta)).toBe('8 rows, high risk')
})
