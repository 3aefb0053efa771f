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

describe('the plays after a gap', () => {
  const NONE_OPEN: IsOpen = () => false

  /**
   * Returns what is wrong with a wallet's plays if these were exported, day by day.
   * @param open the number of the open game at the end of each day
   */
  function foundIn(days: PlayRun[][], open: (number | null)[] = []): string[] {
    const order = new PlaySequence(null)
    let isOpen = NONE_OPEN
    for (const [index, plays] of days.entries()) {
      for (const each of plays) order.add([each], '1970-01-01')
      isOpen = (_, nonce) => nonce === open[index]
      order.endDay(`1970-01-0${index + 1}`, isOpen)
    }
    order.finish(isOpen)
    return order.findings.map(({ problem }) => problem)
  }

  const GAP = expect.stringMatching(/^plays 1 to 2999 are missing by the end of 1970-01-01\./)
  const GONE = [play(0, ['a', 'b']), play(3_000, ['m', 'n'])]

  it('are checked like any others, so that one gap excuses nothing later', () => {
    const later = [
      play(3_001, ['chosen', 'q']),
      play(3_001, ['q', 'r']),
      play(3_002, ['q', 't'], 1),
    ]
    expect(foundIn([GONE, later])).toEqual([
      GAP,
      'play 3001 does not have the seed hash that the play before promised',
      'play 3001 is in the export twice',
      expect.stringMatching(/^play 3002 was settled at .*, before an earlier play$/),
    ])
  })

  it('are held to the order within the same day', () => {
    expect(foundIn([[...GONE, play(3_001, ['x', 'o']), play(3_003, ['p', 'q'])]])).toEqual([
      GAP,
      'play 3001 does not have the seed hash that the play before promised',
      expect.stringMatching(/^play 3002 is missing/),
    ])
  })

  it('are reported once, and count in the statistics', () => {
    const order = new PlaySequence(null)
    order.add(GONE, '1970-01-01')
    order.endDay('1970-01-01', NONE_OPEN)
    order.endDay('1970-01-02', NONE_OPEN)
    order.add([play(3_001, ['n', 'o'])], '1970-01-03')
    order.endDay('1970-01-03', NONE_OPEN)
    expect(order.findings.map(({ problem }) => problem)).toEqual([GAP])
    expect(order.draws.get('limbo')?.draws).toBe(3)
  })

  it('are linked with those that come late, which are not there twice', () => {
    const whole = [play(1, ['b', 'c']), play(2, ['c', 'd'])]
    const days = (...late: PlayRun[]) => [[play(0, ['a', 'b']), play(3, ['d', 'e'])], late]
    const gap = expect.stringMatching(/^plays 1 to 2 are missing/)
    const [one, two] = [1, 2].map(
      (nonce) => `play ${nonce} does not have the seed hash that the play before promised`,
    )
    expect(foundIn(days(...whole))).toEqual([gap])
    expect(foundIn(days(...whole.toReversed()))).toEqual([gap])
    expect(foundIn(days(play(1, ['x', 'c']), whole[1]!))).toEqual([gap, one])
    expect(foundIn(days(whole[0]!, play(2, ['x', 'd'])))).toEqual([gap, two])
    expect(foundIn(days(play(2, ['c', 'x'])))).toEqual([gap, expect.stringMatching('^play 3 does')])
    expect(foundIn(days(...whole, whole[0]!))).toEqual([gap, 'play 1 is in the export twice'])
  })

  it('may follow an open game, which must come once it has ended', () => {
    const first = [play(0, ['a', 'b']), play(2, ['c', 'd']), play(5, ['f', 'g'])]
    const gap = expect.stringMatching(/^plays 3 to 4 are missing/)
    expect(foundIn([first, [play(6, ['g', 'h'])]], [1, 1])).toEqual([gap])
    expect(foundIn([first, [play(1, ['b', 'c'])]], [1])).toEqual([gap])
    expect(foundIn([first, [play(1, ['x', 'c'])]], [1])).toEqual([
      gap,
      'play 1 does not have the seed hash that the play before promised',
    ])
    expect(foundIn([first, [], []], [1])).toEqual([
      gap,
      expect.stringMatching('^play 1 is missing by the end of 1970-01-02'),
    ])
  })
})

it('a gap that begins with the open game is filled by plays that come together', () => {
  const order = new PlaySequence(null)
  const isOpen: IsOpen = (_, nonce) => nonce === 1
  for (const each of [play(0, ['a', 'b']), play(5, ['f', 'g'])]) order.add([each], '1970-01-01')
  order.endDay('1970-01-01', isOpen)
  const late = { ...play(1, ['b', 'f']), draws: Array(4).fill(play(1, ['b', 'f']).draws[0]) }
  order.add([late], '1970-01-02')
  order.endDay('1970-01-02', () => false)
  expect(order.findings.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^plays 2 to 4 are missing by the end of 1970-01-01/),
  ])
})

it('a gap that begins with the open game links what comes late with the promised seed', () => {
  const order = new PlaySequence(null)
  const isOpen: IsOpen = (_, nonce) => nonce === 1
  for (const each of [play(0, ['a', 'b']), play(3, ['d', 'e'])]) order.add([each], '1970-01-01')
  order.endDay('1970-01-01', isOpen)
  for (const each of [play(1, ['x', 'c']), play(2, ['c', 'd'])]) order.add([each], '1970-01-02')
  order.endDay('1970-01-02', () => false)
  expect(order.findings.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^play 2 is missing by the end of 1970-01-01/),
    'play 1 does not have the seed hash that the play before promised',
  ])
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
