import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readAuditedLog, type AuditedLog } from '../../../../src/cli/audit/log.ts'
import { Pool } from '../../../../src/cli/audit/pool.ts'
import { runAudit, type AuditReport } from '../../../../src/cli/audit/run.ts'
import { exportSource } from '../../../../src/cli/audit/source.ts'
import { betLeaf, betsRootOf } from '../../../../src/crash/bets-root.ts'
import { betsEntry, endEntry, planEntry } from '../../../../src/crash/log-entries.ts'
import type { RoundPlan } from '../../../../src/crash/plan.ts'
import type { Manifest } from '../../../../src/exports/manifest.ts'
import type { PlayRow, RoundRow } from '../../../../src/exports/rows.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { leafHash } from '../../../../src/transparency/merkle.ts'
import { signerKey } from '../../../../src/transparency/note.ts'
import { honestExport, TERMS, TEST_KEY, writeDay, type DayRows } from '../../../audit/export.ts'
import { House, SITE } from '../monitor/house.ts'
import { HERE } from './here.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

async function audit(
  range: { from?: string; to?: string; log?: AuditedLog } = {},
): Promise<AuditReport> {
  const options = {
    from: range.from ?? null,
    to: range.to ?? null,
    readLog: async () => range.log ?? null,
    workers: HERE,
  }
  return runAudit(exportSource(folder), { ...options, publicKey: TEST_KEY })
}

function write(days: readonly DayRows[]): void {
  for (const day of days) writeDay(folder, day)
}

/** Audits an export after a change to it. Returns what is found, a line each. */
async function foundIn(days: DayRows[], change: (days: DayRows[]) => void): Promise<string[]> {
  change(days)
  write(days)
  const { findings } = await audit()
  return findings.map(({ where, problem }) => `${where}: ${problem}`)
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
        ...{ rounds: 12, voided: 0, bets: 72, plays: 48, wallets: 8, openings: 0, boxes: 0 },
        beacons: pepper === 'committed' ? 0 : 12,
      })
    },
  )

  it('may lack the number of a game that is still open', async () => {
    const days = honestExport()
    const [{ wallet, nonce }] = days[1]!.plays.splice(0, 1) as [PlayRow]
    days[1]!.openGames = [{ wallet, nonce }]
    write(days)
    expect((await audit()).findings).toEqual([])
  })

  it('has the same report from several threads', async () => {
    write(honestExport())
    const workers = new Pool(2)
    const { seconds: _, ...report } = await runAudit(exportSource(folder), {
      ...{ from: null, to: null, workers },
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

  it('may have rounds and plays that came late, in a later day', async () => {
    const found = await foundAfter(([first, second]) => {
      const [late] = first!.rounds.splice(2, 1)
      const bets = first!.bets.filter(({ roundId }) => roundId === late?.roundId)
      first!.bets = first!.bets.filter(({ roundId }) => roundId !== late?.roundId)
      second!.rounds.unshift(late!)
      second!.bets.unshift(...bets)
      second!.plays.push(...first!.plays.splice(5, 1))
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
      days.push({ ...days[1]!, day: '2026-11-03', rounds: [], bets: [], plays: [], boxes: [] })
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
    /1 bets belong to no round of the day/,
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
        ...{ kind: 'voided', roundId, seedHash, seed, pepperSource, openedAt, betsCloseAt },
        ...{ endedAt, betCount, betsRoot, plan, edgeBps, reason: 'of choice' },
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
    const source = exportSource(folder)
    const listed = await Promise.all(
      days.map(async ({ day }) => {
        const bytes = readFileSync(join(folder, 'manifest', `${day}.json`))
        return { day, sha256: createHash('sha256').update(bytes).digest('hex') }
      }),
    )
    const run = () =>
      runAudit({ ...source, days: async () => listed }, { from: null, to: null, workers: HERE })
    expect((await run()).findings).toEqual([])
    listed[1]!.sha256 = commitmentOf('00'.repeat(32))
    expect((await run()).findings).toMatchObject([
      { where: `the export of ${days[1]?.day}`, problem: expect.stringContaining('the listed') },
    ])
  })
})

describe('an export whose site has a public log', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  /** Publishes the log of a house that has exported these days. @param played those that it has played */
  async function logOf(
    days: DayRows[],
    change: (house: House) => void = () => {},
    played: readonly DayRows[] = days,
  ) {
    write(days)
    const house = new House().append(...Object.values(TERMS))
    for (const [number, { day }] of days.entries()) {
      house.append(...played[number]!.rounds.flatMap(entriesOf))
      const bytes = readFileSync(join(folder, 'manifest', `${day}.json`))
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      house.append({ kind: 'export', id: day, at: 0, sha256 })
    }
    change(house)
    vi.stubGlobal('fetch', house.fetch)
    const log = await readAuditedLog(SITE, null, days.at(-1)!.day)
    return log!
  }

  it('is read again if the site still shows a checkpoint from before the last day', async () => {
    const days = honestExport()
    let house!: House
    await logOf(days, (made) => (house = made))
    house.size = house.entries.length - 1
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((goOn) => {
      house.size = null
      queueMicrotask(goOn)
      return 0 as never
    })
    const log = await readAuditedLog(SITE, null, days[1]!.day)
    vi.restoreAllMocks()
    expect(log?.history.hasManifest(days[1]!.day)).toBe(true)
  })

  it('is not compared with a log that is signed with another key than the one given', async () => {
    await logOf(honestExport())
    const { name } = new House().key.verifier
    const other = signerKey(name, new Uint8Array(32).fill(8)).verifier
    await expect(readAuditedLog(SITE, other, '2026-11-01')).rejects.toThrow(
      /not signed with the key that you gave/,
    )
  })

  const foundWith = async (log: AuditedLog) =>
    (await audit({ log })).findings.map(({ where, problem }) => `${where}: ${problem}`)

  it.each(['committed', 'drand-quicknet'] as const)(
    'has nothing to find if it is honest, with peppers from %s',
    async (pepper) => {
      expect(await foundWith(await logOf(honestExport({ pepper })))).toEqual([])
    },
  )

  it('is caught if rounds are left out from some round on, which leaves no gap', async () => {
    const days = honestExport({ days: 3 })
    for (const day of days.slice(1)) [day.rounds, day.bets] = [[], []]
    const found = await foundWith(await logOf(days, () => {}, honestExport({ days: 3 })))
    // Those of the last day may come in the next one.
    expect(found).toEqual(
      [5, 6, 7, 8].map((id) => `round ${id}: the public log has its end, but no day has it`),
    )
  })

  it('is caught if its newest days are logged and no longer listed', async () => {
    const days = honestExport({ days: 3 })
    const listed = days.slice(0, 2).map(({ day }) => day)
    const foundAt = async (loggedAt: number, to: string | null = null) => {
      const logged: LogEntry = { kind: 'export', id: days[2]!.day, at: loggedAt, sha256: '' }
      const log = await logOf(days.slice(0, 2), (house) => house.append(logged))
      const hashOf = (day: string) =>
        createHash('sha256')
          .update(readFileSync(join(folder, 'manifest', `${day}.json`)))
          .digest('hex')
      const source = {
        ...exportSource(folder),
        days: async () => listed.map((day) => ({ day, sha256: hashOf(day) })),
      }
      const options = { from: null, to, workers: HERE, readLog: async () => log }
      return (await runAudit(source, options)).findings
    }
    expect(await foundAt(Date.now() - 3_700_000)).toEqual([
      {
        where: `the export of ${days[2]!.day}`,
        problem: 'it is in the public log, but not listed',
      },
    ])
    // A day is logged before it is listed.
    expect(await foundAt(Date.now() - 60_000)).toEqual([])
    expect(await foundAt(0, listed[1])).toEqual([])
  })

  it('is caught with a phantom bet under a root that matches it', async () => {
    const days = honestExport()
    const log = await logOf(days)
    addPhantomBet(days[0]!)
    write(days)
    const found = await foundWith(log)
    expect(found).toContainEqual(
      'round 1: the root or the number of its bets is not the logged one',
    )
    expect(found).toContainEqual(expect.stringMatching(/manifest has the sha256 .* logged/))
    // Without the log, nothing is wrong with it.
    expect((await audit()).findings).toEqual([])
  })

  it('is caught with a plan, a void or a round that was not logged', async () => {
    const days = honestExport()
    const log = await logOf(days)
    const [first, second] = days[0]!.rounds
    Object.assign(first!.plan!, { resultsMs: 1 })
    Object.assign(second!, { endedAt: second!.endedAt + 1 })
    write(days)
    const found = await foundWith(log)
    expect(found).toContain('round 1: its plan is not the logged one')
    expect(found).toContain('round 2: its end is not the logged one')
    const shorter = await logOf(honestExport(), (house) => house.entries.splice(2, 3))
    expect(await foundWith(shorter)).toContain('round 1: its commitment is not in the public log')
  })

  it.each<[string, Partial<RoundPlan>]>([
    ['other terms', { terms: TERMS['drand-quicknet'].id }],
    ['a bankroll', { bankroll: { payoutBps: 1, roundBps: 1, amounts: { ETH: '1', USDG: '1' } } }],
  ])('is caught with %s in a plan that was logged without', async (_what, change) => {
    const days = honestExport()
    const log = await logOf(days)
    Object.assign(days[0]!.rounds[0]!.plan!, change)
    write(days)
    expect(await foundWith(log)).toContain('round 1: its plan is not the logged one')
  })

  it('is caught with rounds whose terms were not logged before their plans', async () => {
    const found = await foundWith(
      await logOf(honestExport(), (house) => house.entries.push(...house.entries.splice(0, 2))),
    )
    expect(found).toHaveLength(12)
    expect(found).toContain('round 1: this does not hold: its terms were logged before its plan')
  })

  it('is caught with a round that was planned with another edge than that of its terms', async () => {
    const days = honestExport()
    const [first] = days[0]!.rounds
    Object.assign(first!.plan!, { edgeBps: 200 })
    Object.assign(first!, { edgeBps: 200 })
    expect(await foundWith(await logOf(days))).toContain(
      'round 1: this does not hold: its plan has the edge, the limits and the kind of pepper that its terms say',
    )
  })

  it('is caught with a play of terms that were never logged', async () => {
    const days = honestExport()
    const { nonce, wallet } = Object.assign(play(days), { terms: 'ab'.repeat(32) })
    expect(await foundWith(await logOf(days))).toEqual([
      `play ${nonce} of ${wallet}: its terms ${'ab'.repeat(32)} are not in the public log`,
    ])
  })

  it('is caught with terms under another name than their hash', async () => {
    const lenient = { ...TERMS.committed, terms: {} }
    const log = await logOf(honestExport(), (house) => {
      const [entry] = new House().append(lenient).entries
      house.entries[0] = entry!
    })
    expect(await foundWith(log)).toContain(
      'round 1: this does not hold: its terms were logged before its plan',
    )
  })

  it('is not compared with a log whose entries are not the signed ones', async () => {
    const forged = logOf(honestExport(), (house) => {
      house.leaves = house.entries.map(leafHash)
      house.entries[0] = house.entries[3]!
    })
    await expect(forged).rejects.toThrow("can't be believed")
  })
})

/** Returns the entries of a round that was exported as it was played. */
function entriesOf(row: RoundRow): LogEntry[] {
  if (row.kind === 'voided' || !row.plan) throw new Error('the export has no such round')
  const { betsRoot, betCount, signature = null } = row
  const result = { ...row, signature, crash: Math.round(row.crash * 100) }
  const fixed = { betsRoot, betCount }
  return [
    planEntry(row.plan),
    betsEntry(row.plan, fixed),
    endEntry({ ...result, crashAt: row.endedAt } as never, fixed),
  ]
}

/** Adds a lost bet to the first round, and what follows from it. */
function addPhantomBet({ rounds, bets }: DayRows): void {
  const first = rounds[0]!
  const own = bets.filter(({ roundId }) => roundId === first.roundId)
  const placed = { ...own.at(-1)!, amountWei: 5n, autoCashout: null }
  const phantom = { ...placed, wallet: `0x${'11'.repeat(20)}`, betId: 'phantom' }
  const leaf = betLeaf(phantom, own.length, first.seed)
  const ended = { outcome: 'lost', multiplier: 0, payout: '0', at: null } as const
  bets.splice(own.length, 0, { ...own.at(-1)!, ...leaf, ...ended })
  const root = betsRootOf(bets.slice(0, own.length + 1))
  Object.assign(first, { betCount: own.length + 1, betsRoot: root })
}

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
