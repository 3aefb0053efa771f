import { describe, expect, it } from 'vitest'
import { playKeno } from '../../../src/games/keno.ts'
import { playLimbo } from '../../../src/games/limbo.ts'
import { playMines } from '../../../src/games/mines.ts'
import { playPlinko } from '../../../src/games/plinko.ts'
import { RandomStream } from '../../../src/games/stream.ts'
import { KENO, MINES, PLINKO_16 } from './vectors.ts'

const EDGE_BPS = 100

interface Published<Result> {
  clientSeed: string
  serverSeed: string
  firstNonce: number
  results: Result[]
}

/** Each published result with the stream it was drawn from. */
function draws<Result>({ clientSeed, serverSeed, firstNonce, results }: Published<Result>) {
  return results.map((result, index) => ({
    result,
    nonce: firstNonce + index,
    stream: new RandomStream({ seed: serverSeed, clientSeed, nonce: firstNonce + index }),
  }))
}

describe('third-party verifiers agree with', () => {
  it.each(draws(KENO))('keno at nonce $nonce', ({ result, stream }) => {
    const { meta } = playKeno({ picks: [1], risk: 'classic' }, stream, 1)
    expect(meta.draws).toEqual(result.map((index) => index + 1))
  })

  it.each(draws(MINES))('mines at nonce $nonce', ({ result, stream }) => {
    const { meta } = playMines({ mines: 24, picked: [0] }, stream, EDGE_BPS)
    expect(meta.mines).toEqual(result)
  })

  it.each(draws(PLINKO_16))('plinko at nonce $nonce', ({ result, stream }) => {
    const { meta } = playPlinko({ rows: 16, risk: 'low' }, stream, 1)
    expect(meta.path).toBe(result)
    expect(meta.bucket).toBe(result.replaceAll('L', '').length)
  })
})

it('limbo at the worked example of reference/fairness.md is 2.17', () => {
  const draw = { seed: KENO.serverSeed, clientSeed: KENO.clientSeed, nonce: 1 }
  const stream = new RandomStream(draw)
  expect(stream.first52Bits()).toBe(0x745ec8cbb222cn)
  expect(playLimbo({ target: 150 }, stream, EDGE_BPS).meta.result).toBe(2.17)
})
