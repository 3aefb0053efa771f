import { expect, it } from 'vitest'
import { playKeno } from '../../../../src/games/keno/rule.ts'
import { published } from '../published.ts'
import { TERMS } from '../terms.ts'
import { KENO } from './vectors.ts'

it.each(published(KENO))('third-party verifiers agree at nonce $nonce', ({ result, stream }) => {
  const { meta } = playKeno({ picks: [1], risk: 'classic' }, stream, TERMS)
  expect(meta.draws).toEqual(result.map((index) => index + 1))
})
