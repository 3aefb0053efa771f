import { expect, it } from 'vitest'
import { playPlinko } from '../../../../src/games/plinko/rule.ts'
import { published } from '../published.ts'
import { TERMS } from '../terms.ts'
import { PLINKO_16 } from './vectors.ts'

it.each(published(PLINKO_16))(
  'third-party verifiers agree at nonce $nonce',
  ({ result, stream }) => {
    const { meta } = playPlinko({ rows: 16, risk: 'low' }, stream, TERMS)
    expect(meta.path).toBe(result)
    expect(meta.bucket).toBe(result.replaceAll('L', '').length)
  },
)
