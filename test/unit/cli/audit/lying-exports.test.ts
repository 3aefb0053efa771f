import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Pool } from '../../../../src/cli/audit/pool.ts'
import { runAudit } from '../../../../src/cli/audit/run.ts'
import { exportSource } from '../../../../src/cli/audit/source.ts'
import type { Manifest } from '../../../../src/exports/manifest.ts'
import type { PlayRow } from '../../../../src/exports/rows.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import type { Selection } from '../../../../src/games/games.ts'
import { settle } from '../../../../src/games/play.ts'
import { honestExport, type DayRows } from '../../../audit/export.ts'
import { audit, folder, linesOf, siteOf, useFolder, write } from './exported.ts'
import { HERE } from './here.ts'

useFolder()
afterEach(() => void vi.useRealTimers())

/** Audits an export after a change to it. Returns what is found, a line each. */
async function foundIn(days: DayRows[], change: (days: DayRows[]) => void): Promise<string[]> {
  change(days)
  write(days)
  return linesOf(await audit())
}

const foundAfter = (change: (days: DayRows[]) => void) => foundIn(honestExport(), change)

describe('an honest export', () => {
  it.each(['committed', 'drand-quicknet'] as const)(
    'has nothing to find, with peppers from %s',
    async (pepper) => {
      write(honestExport({ pepper }))
      const { findings, counted } = await audit()
      expect(findings).toEqual([])
      expect(counted).toEqual({
        rounds: 12,
        voided: 0,
        bets: 72,
        plays: 48,
        wallets: 8,
        openings: 0,
        boxes: 0,
        ...(pepper === 'committed' ? { committed: 12, beacons: 0 } : { committed: 0, beacons: 12 }),
      })
    },
  )

  it('has a finding for each round whose pepper is a secret of the house, if it is of a site', async () => {
    write(honestExport())
    const found = linesOf(await audit({ needsBeacon: true }))
    const problem =
      'this does not hold: its pepper comes from a public beacon, not from a secret of the house'
    expect(found).toEqual(Array.from({ length: 12 }, (_, n) => `round ${n + 1}: ${problem}`))
    write(honestExport({ pepper: 'drand-quicknet' }))
    expect(linesOf(await audit({ needsBeacon: true }))).toEqual([])
  })

  it('does not hide a missing play behind another letter case of its wallet', async () => {
    const days = honestExport()
    const { wallet } = days[1]!.plays[0]!
    const [, missing, ...later] = days[1]!.plays.filter((play) => play.wallet === wallet)
    for (const play of later) play.wallet = wallet.toLowerCase()
    days[1]!.plays.splice(days[1]!.plays.indexOf(missing!), 1)
    write(days)
    const found = linesOf(await audit({ from: days[1]!.day }))
    expect(found).toEqual([
      expect.stringMatching(`^wallet ${wallet}: play ${missing!.nonce} is missing`),
    ])
  })

  it('may lack the number of a game that is still open', async () => {
    const days = honestExport()
    const [{ wallet, nonce }] = days[1]!.plays.splice(0, 1) as [PlayRow]
    days[1]!.openGames = [{ wallet, nonce }]
    write(days)
    expect((await audit()).findings).toEqual([])
  })

  it('may have a game of mines that ended without a pick', async () => {
    const found = await foundAfter((days) => {
      const left = days[0]!.plays.find(({ game }) => game === 'mines')!
      const { length } = (left.meta as { mines: number[] }).mines
      const selection: Selection = { game: 'mines', params: { mines: length, picked: [] } }
      const stake = { token: left.token, amountWei: BigInt(left.amount) }
      Object.assign(left, settle(selection, stake, left, left))
    })
    expect(found).toEqual([])
  })

  it('has the same report from several threads', async () => {
    write(honestExport())
    const workers = new Pool(2)
    const { seconds: _, ...report } = await runAudit(exportSource(folder), {
      from: null,
      to: null,
      workers,
    })
    const { seconds: _here, ...reportHere } = await audit()
    expect(report).toEqual(reportHere)
  })

  it('can be audited from a later day on', async () => {
    const days = honestExport()
    write(days)
    const { findings, days: audited } = await audit({ from: days[1]!.day })
    expect([findings, audited]).toEqual([[], [days[1]?.day]])
  })

  describe('from a later day on, with a game that ended after later plays', () => {
    /** Makes a game that began before the first row of a wallet's second day end after the plays of that day. */
    async function foundWith(change: (games: PlayRow[], days: DayRows[]) => void = () => {}) {
      const days = honestExport()
      const [first, second] = days as [DayRows, DayRows]
      const { wallet } = second.plays[0]!
      const [game] = first.plays.splice(
        first.plays.findLastIndex((play) => play.wallet === wallet),
        1,
      ) as [PlayRow]
      const games = [structuredClone(game)]
      change(games, days)
      second.plays.push(...games)
      write(days)
      return linesOf(await audit({ from: second.day }))
    }

    it('is right', async () => {
      expect(await foundWith()).toEqual([])
    })

    it('is caught if the game is there twice', async () => {
      const found = await foundWith((games) => games.push(structuredClone(games[0]!)))
      expect(found).toEqual([
        expect.stringMatching(/^wallet 0x\w+: play \d+ is in the export twice$/),
      ])
    })

    it('is caught if the game does not promise the seed hash of the play after it', async () => {
      const found = await foundWith(([game]) =>
        Object.assign(game!, { nextSeedHash: 'ab'.repeat(32) }),
      )
      expect(found).toEqual([
        expect.stringMatching(/ does not have the seed hash that the play before promised$/),
      ])
    })
  })

  it('may have rounds and plays that came late, in a later day', async () => {
    const found = await foundAfter(([first, second]) => {
      const [late] = first!.rounds.splice(2, 1)
      const bets = first!.bets.filter(({ roundId }) => roundId === late?.roundId)
      first!.bets = first!.bets.filter(({ roundId }) => roundId !== late?.roundId)
      second!.rounds.unshift(late!)
      second!.bets.unshift(...bets)
      second!.plays.push(...first!.plays.splice(21, 1))
    })
    expect(found).toEqual([])
  })
})

type Change = (days: DayRows[]) => void

const round = (days: DayRows[]) => days[0]!.rounds[2]!
const play = (days: DayRows[]) => days[0]!.plays[9]!
const wonBet = (days: DayRows[]) => days[0]!.bets.find(({ outcome }) => outcome === 'won')!
const lostBet = (days: DayRows[]) =>
  days[0]!.bets.find(({ outcome, autoCashout }) => outcome === 'lost' && autoCashout === null)!

const LIES: [lie: string, change: Change, found: RegExp][] = [
  [
    "a play's payout is shortened",
    (days) => Object.assign(play(days), { payout: '1' }),
    /^play .*it pays/,
  ],
  [
    "a play's outcome is changed",
    (days) => Object.assign(days[0]!.plays[0]!.meta, { result: 1.5 }),
    /^play .*give/,
  ],
  [
    "a play's seed is replaced after the play",
    (days) => Object.assign(play(days), { seed: 'ab'.repeat(32) }),
    /^play .*the seed matches its seed hash/,
  ],
  [
    "a play's seed and its hash are replaced, and all follows from them",
    (days) => {
      const [replaced] = honestExport({ wallets: 9 })[0]!.plays.slice(3, 4)
      const own = play(days)
      const { seed, seedHash, meta, multiplier, payout, win, game, clientSeed } = replaced!
      Object.assign(own, { seed, seedHash, meta, multiplier, payout, win, game, clientSeed })
    },
    /^wallet .*does not have the seed hash that the play before promised/,
  ],
  ['a play is missing', (days) => days[0]!.plays.splice(9, 1), /^wallet .*play 1 is missing/],
  [
    'a play of the last day is missing, and is not named as an open game',
    (days) => days[1]!.plays.splice(0, 1),
    /^wallet .*play 3 is missing/,
  ],
  [
    'a game is open for days',
    (days) => {
      const [{ wallet, nonce }] = days[1]!.plays.splice(0, 1) as [PlayRow]
      for (const day of days) day.openGames = [{ wallet, nonce }]
      const last = days[1]!.plays.findLastIndex((own) => own.wallet === wallet)
      const plays = days[1]!.plays.splice(last, 1)
      days.push({ ...days[1]!, day: '2026-11-03', rounds: [], bets: [], plays, boxes: [] })
    },
    /^the export of .*the game 0x\w+ 3 is open since/,
  ],
  [
    'a play is there twice',
    (days) => days[1]!.plays.push(play(days)),
    /^wallet .*play 1 is in the export twice/,
  ],
  [
    'a play has a choice that no player can make',
    (days) => {
      const mines = days[0]!.plays.find(({ game }) => game === 'mines')
      Object.assign(mines!.meta, { mines: Array.from({ length: 25 }, (_, tile) => tile) })
    },
    /its form is wrong/,
  ],
  [
    "a round's crash point is lowered",
    (days) => Object.assign(round(days), { crash: 1 }),
    /^round 3: .*crash at 1x/,
  ],
  [
    "a round's seed is ground after its hash was shown",
    (days) => Object.assign(round(days), { seed: 'cd'.repeat(32) }),
    /^round 3: .*the seed matches its seed hash/,
  ],
  [
    "a round's seed is the one of an earlier round",
    (days) => {
      const { seed, seedHash } = days[0]!.rounds[0]!
      Object.assign(round(days), { seed, seedHash })
    },
    /its seed is the one of round/,
  ],
  [
    'a round is missing with its bets',
    (days) => {
      const { roundId } = round(days)
      days[0]!.rounds.splice(2, 1)
      days[0]!.bets = days[0]!.bets.filter((bet) => bet.roundId !== roundId)
    },
    /^round 4: round 3 is missing before it/,
  ],
  [
    'a round is there twice',
    (days) => days[1]!.rounds.unshift({ ...days[0]!.rounds[5]! }),
    /^round 6: it is in the export twice/,
  ],
  [
    'a round opened before the bets of the one before it closed',
    (days) => Object.assign(round(days), { openedAt: days[0]!.rounds[0]!.openedAt }),
    /^round 3: it opened at .* before bets closed in round 2/,
  ],
  [
    'a bet is dropped',
    (days) => days[0]!.bets.splice(1, 1),
    /^round 1: .*its 6 bets are the ones fixed at the close/,
  ],
  [
    'a phantom bet is added',
    (days) => {
      const bet = days[0]!.bets[0]!
      days[0]!.bets.push({ ...bet, n: 6, wallet: `0x${'11'.repeat(20)}`, betId: 'phantom' })
      days[0]!.rounds[0]!.betCount = 7
    },
    /^round 1: .*its 7 bets are the ones fixed at the close/,
  ],
  [
    'a bet belongs to no round',
    (days) => days[1]!.bets.push({ ...days[0]!.bets[0]!, roundId: 99 }),
    /bets that belong to no round of the day: 1/,
  ],
  [
    "a bet's stake is changed after the close",
    (days) => Object.assign(wonBet(days), { amountWei: '5' }),
    /bets are the ones fixed at the close/,
  ],
  [
    "a bet's payout is shortened",
    (days) => Object.assign(wonBet(days), { payout: '1' }),
    /each bet ended as the plan/,
  ],
  [
    'a bet that reached its auto-cash-out is said to have lost',
    (days) => {
      const won = days[0]!.bets.find(
        ({ outcome, autoCashout }) => outcome === 'won' && autoCashout !== null,
      )
      Object.assign(won!, { outcome: 'lost', multiplier: 0, payout: '0', at: null })
    },
    /each bet ended as the plan/,
  ],
  [
    'a lost bet is paid above the crash point',
    (days) => {
      const { amountWei } = lostBet(days)
      const payout = (BigInt(amountWei) * 9_000n).toString()
      Object.assign(lostBet(days), { outcome: 'won', multiplier: 9_000, payout })
    },
    /each bet ended as the plan/,
  ],
  [
    'a forced cash-out has no cause in the limits',
    (days) => {
      const bet = lostBet(days)
      const payout = ((BigInt(bet.amountWei) * 101n) / 100n).toString()
      // No time: nobody asked for it, so a limit must have.
      Object.assign(bet, { outcome: 'won', multiplier: 1.01, payout, at: null })
    },
    /each bet ended as the plan/,
  ],
  [
    "a round's plan is rewritten",
    (days) => Object.assign(round(days), { plan: { ...round(days).plan, edgeBps: 0 } }),
    /its plan is the one of its disclosure/,
  ],
  [
    'a bet was placed after the close',
    (days) => Object.assign(wonBet(days), { placedAt: days[0]!.rounds[0]!.betsCloseAt }),
    /each bet was placed before the close/,
  ],
]

describe('a lying export is caught when', () => {
  it.each(LIES)('%s', async (_lie, change, found) => {
    expect(await foundAfter(change)).toContainEqual(expect.stringMatching(found))
  })

  it('a beacon is older than the first one after the close', async () => {
    const found = await foundIn(honestExport({ pepper: 'drand-quicknet' }), (days) => {
      const { pepperSource, signature, pepper } = days[0]!.rounds[0] as never
      Object.assign(round(days), { pepperSource, signature, pepper })
    })
    expect(found).toContainEqual(
      expect.stringMatching(/^round 3: .*is the first one published after/),
    )
  })

  it('a beacon has a signature that is not its own', async () => {
    const found = await foundIn(honestExport({ pepper: 'drand-quicknet' }), (days) => {
      const { signature, pepper } = days[1]!.rounds[0] as never
      Object.assign(round(days), { signature, pepper })
    })
    expect(found).toContainEqual(expect.stringMatching(/^drand round \d+: the signature is not/))
  })

  it('a void is claimed for a round whose bets won', async () => {
    const found = await foundAfter((days) => {
      const { roundId, seedHash, seed, pepperSource, openedAt, betsCloseAt, ...rest } = round(days)
      const { endedAt, betCount, betsRoot, plan, edgeBps } = rest
      days[0]!.rounds[2] = {
        kind: 'voided',
        roundId,
        seedHash,
        seed,
        pepperSource,
        openedAt,
        betsCloseAt,
        endedAt,
        betCount,
        betsRoot,
        plan,
        edgeBps,
        reason: 'of choice',
      }
    })
    expect(found).toContainEqual(expect.stringMatching(/^round 3: .*each bet ended as the plan/))
  })

  it('a file is not the one of its manifest', async () => {
    const days = honestExport()
    write(days)
    const path = join(folder, 'plays', `${days[0]?.day}.jsonl.gz`)
    const text = gunzipSync(readFileSync(path)).toString()
    writeFileSync(path, gzipSync(text.split('\n').slice(1).join('\n')))
    const { findings } = await audit()
    const problems = findings.map(({ problem }) => problem)
    expect(problems).toContainEqual(expect.stringContaining('rows, its manifest says'))
    expect(problems).toContainEqual(expect.stringContaining('does not have the sha256'))
  })

  it('a day between two others is missing', async () => {
    const days = honestExport({ days: 3 })
    write([days[0]!, days[2]!])
    const { findings } = await audit()
    expect(findings).toContainEqual({
      where: `the export of ${days[1]?.day}`,
      problem: 'it is missing',
    })
  })

  it('a manifest is not the one that is listed', async () => {
    const days = honestExport()
    write(days)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-03') })
    const source = siteOf(days)
    const run = () => runAudit(source, { from: null, to: null, workers: HERE })
    expect((await run()).findings).toEqual([])
    const listed = await source.days()
    listed[1]!.sha256 = commitmentOf('00'.repeat(32))
    expect((await run()).findings).toMatchObject([
      { where: `the export of ${days[1]?.day}`, problem: expect.stringContaining('the listed') },
    ])
  })
})

it('is caught if the first or the last row is not the one of the manifest', async () => {
  const days = honestExport()
  write(days)
  const path = join(folder, 'manifest', `${days[0]?.day}.json`)
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  Object.assign(manifest.files[0]!, { first: '2' })
  Object.assign(manifest.files[4]!, { last: 'box' })
  writeFileSync(path, JSON.stringify(manifest))
  const problems = (await audit()).findings.map(({ problem }) => problem)
  expect(problems).toEqual([
    `the first row of rounds/${days[0]?.day}.jsonl.gz is 1, its manifest says 2`,
    `the last row of boxes/${days[0]?.day}.jsonl.gz is null, its manifest says box`,
  ])
})
