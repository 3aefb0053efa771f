import { describe, expect, it } from 'vitest'
import type { PlayRun } from '../../../src/audit/plays.ts'
import { PlaySequence, RoundSequence, type IsOpen } from '../../../src/audit/sequence.ts'

const wallet = `0x${'1'.repeat(40)}`

/** A play of limbo. @param promised the hash of its own seed, and of the next play's */
function play(nonce: number, [seedHash, nextSeedHash]: [string, string], at = nonce): PlayRun {
  const seeds = { firstSeedHash: seedHash, nextSeedHash }
  return { wallet, first: nonce, ...seeds, games: ['limbo'], draws: [0.3], times: [at] }
}

/** Returns what is wrong with a wallet's plays if number 1 is a game of mines that has not ended. */
function problemsOf(...later: PlayRun[]): string[] {
  const order = new PlaySequence(null)
  order.add([play(0, ['a', 'b'])], '1970-01-01')
  for (const run of later) order.add([run], '1970-01-01')
  const isOpen: IsOpen = (_, nonce) => nonce === 1
  order.endDay('2026-11-01', isOpen)
  order.finish(isOpen)
  return order.findings.map(({ problem }) => problem)
}

describe('the plays after an open game', () => {
  it('may go on while the game is missing', () => {
    expect(problemsOf()).toEqual([])
    expect(problemsOf(play(2, ['c', 'd']), play(3, ['d', 'e']))).toEqual([])
  })

  it.each<[string, PlayRun, RegExp]>([
    ['are complete', play(4, ['e', 'f']), /^play 3 is missing/],
    ['have the promised seeds', play(3, ['x', 'f']), /^play 3 does not have the seed hash/],
    ['are exported once', play(2, ['c', 'd']), /^play 2 is in the export twice/],
    ['are dated in order', play(3, ['d', 'e'], 1), /^play 3 was settled at .*before an earlier/],
  ])('%s', (_what, wrong, problem) => {
    expect(problemsOf(play(2, ['c', 'd']), wrong)).toEqual([expect.stringMatching(problem)])
  })
})

describe('the rounds of a range of days', () => {
  /** Returns what is wrong with rounds of a hundred milliseconds each, of which the first day begins with number 10. */
  function foundIn(...roundIds: number[]): string[] {
    const order = new RoundSequence(1_000)
    const rounds = roundIds.map((roundId) => {
      const [openedAt, betsCloseAt, endedAt] = [0, 50, 90].map((ms) => roundId * 100 + ms) as [
        number,
        number,
        number,
      ]
      const times = { openedAt, betsCloseAt, endedAt }
      return { roundId, seedHash: `${roundId}`, ...times, draw: 0.5, isCommitted: false }
    })
    order.add(rounds)
    order.finish()
    return order.findings.map(({ where, problem }) => `${where}: ${problem}`)
  }

  it('may follow late ones of the days before, with gaps', () => {
    expect(foundIn(10, 11, 12)).toEqual([])
    expect(foundIn(5, 10, 11, 12)).toEqual([])
    expect(foundIn(3, 5, 11, 12, 10)).toEqual([])
  })

  it('may lack none between them, and have none twice', () => {
    expect(foundIn(5, 10, 12)).toEqual([expect.stringMatching('^round 12: round 11 is missing')])
    expect(foundIn(5, 5, 10)).toContain('round 5: it is in the export twice')
  })
})
