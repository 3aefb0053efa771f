import { expect, it } from 'vitest'
import { playMines } from '../../../../src/games/mines/rule.ts'
import { published } from '../published.ts'
import { TERMS } from '../terms.ts'
import { MINES } from './vectors.ts'

it.each(published(MINES))('third-party verifiers agree at nonce $nonce', ({ result, stream }) => {
  const { meta } = playMines({ mines: 24, picked: [0] }, stream, TERMS)
  expect(meta.mines).toEqual(result)
})
