import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LoggedHistory } from '../../../../src/audit/in-log.ts'
import { readAuditedLog, readRequiredLog, type AuditedLog } from '../../../../src/cli/audit/log.ts'
import { htmlReport } from '../../../../src/cli/audit/report-html.ts'
import { textReport } from '../../../../src/cli/audit/report.ts'
import { runAudit } from '../../../../src/cli/audit/run.ts'
import { exportSource } from '../../../../src/cli/audit/source.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import { betLeaf, betsRootOf } from '../../../../src/crash/bets-root.ts'
import { betsEntry, endEntry, planEntry } from '../../../../src/crash/log-entries.ts'
import type { RoundPlan } from '../../../../src/crash/plan.ts'
import type { RoundRow } from '../../../../src/exports/rows.ts'
import { macOf } from '../../../../src/fairness/seed.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { leafHash } from '../../../../src/transparency/merkle.ts'
import { signerKey } from '../../../../src/transparency/note.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { honestExport, TERMS, type DayRows } from '../../../audit/export.ts'
import { House, SITE } from '../monitor/house.ts'
import { audit, folder, linesOf, manifestHash, siteOf, useFolder, write } from './exported.ts'
import { HERE } from './here.ts'

useFolder()

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

/** Returns the plans of rounds before and after a time, under other terms than those of the exported plays. */
function otherPlans(around: number): LogEntry[] {
  return [...Array(200).keys()].map((n) => {
    const at = around + (n - 50) * 25_000
    return { kind: 'plan', id: `${n}`, at, terms: TERMS['drand-quicknet'].id }
  })
}

/** Adds a lost bet to the first round, and what follows from it. */
function addPhantomBet({ rounds, bets }: DayRows): void {
  const first = rounds[0]!
  const own = bets.filter(({ roundId }) => roundId === first.roundId)
  const placed = { ...own.at(-1)!, amountWei: 5n, autoCashout: null }
  const phantom = { ...placed, wallet: `0x${'11'.repeat(20)}`, betId: 'phantom' }
  const leaf = betLeaf(phantom, own.length, macOf(first.seed))
  const ended = { outcome: 'lost', multiplier: 0, payout: '0', at: null } as const
  bets.splice(own.length, 0, { ...own.at(-1)!, ...leaf, ...ended })
  const root = betsRootOf(bets.slice(0, own.length + 1))
  Object.assign(first, { betCount: own.length + 1, betsRoot: root })
}

describe('an export whose site has a public log', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-01') }))
  afterEach(() => {
    vi.useRealTimers()
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
      house.append({ kind: 'export', id: day, at: 0, sha256: manifestHash(day) })
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

  const foundWith = async (log: AuditedLog) => linesOf(await audit({ log }))

  it.each(['committed', 'drand-quicknet'] as const)(
    'has nothing to find if it is honest, with peppers from %s',
    async (pepper) => {
      expect(await foundWith(await logOf(honestExport({ pepper })))).toEqual([])
    },
  )

  it('is caught if a later entry says that the log succeeds another one, and so excuses all', async () => {
    const days = honestExport()
    const at = Date.parse('2100-01-01')
    const excuse = predecessorEntry('localhost:8787/log', null, at)
    const log = await logOf(days, (house) => house.append(excuse))
    Object.assign(days[0]!.rounds[0]!.plan!, { resultsMs: 1 })
    write(days)
    const found = await foundWith(log)
    expect(found).toContain('round 1: its plan is not the logged one')
    expect(found).toContain(
      'entry 40 of the public log: it names a predecessor, which only the first entry of a log may',
    )
    expect(found).toContainEqual(
      expect.stringMatching(/^entry 40 of the public log: it has the time 2100-/),
    )
  })

  it('is caught if plays are dated before the log, so that it is not expected to have their terms', async () => {
    const days = honestExport({ days: 3 })
    const began = Date.parse(days[0]!.day) + 1
    for (const { plays } of days)
      for (const play of plays)
        Object.assign(play, { settledAt: began - 1, terms: 'ab'.repeat(32) })
    write(days)
    const history = new LoggedHistory(Date.parse('2100-01-01'))
    history.take({ index: 0, entry: predecessorEntry('localhost:8787/log', null, began) })
    const log = { key: 'a key', history }
    expect((await foundWith(log)).join()).toContain('are not in the public log')
    const early = await audit({ log, to: days[1]!.day })
    expect(linesOf(early).join()).not.toContain('are not in the public log')
  })

  it('is caught if plays are under terms that no round around them follows, and shows whose they are', async () => {
    const days = honestExport()
    write(days)
    const history = new LoggedHistory(Date.now())
    const startsAt = Date.parse(days[0]!.day)
    const terms = { ...TERMS.committed, at: startsAt - 86_400_000 }
    for (const [index, entry] of [terms, ...otherPlans(startsAt)].entries())
      history.take({ index, entry })
    const report = await audit({ log: { key: 'a key', history } })
    expect(linesOf(report)).toContainEqual(
      expect.stringMatching(/^play 0 of 0x\w+: the rounds around it do not follow its terms/),
    )
    expect(textReport(report)).toContain(
      `  terms ${terms.id}, edge 1%: 48 plays of 8 wallets, 2026-11-01 to 2026-11-02`,
    )
  })

  it('shows without a verdict which terms no round follows, if they were only just logged', async () => {
    const days = honestExport()
    const { settledAt } = days[0]!.plays[0]!
    for (const play of days[0]!.plays) Object.assign(play, { settledAt })
    write(days)
    const used = (loggedBeforeMs: number) => {
      const history = new LoggedHistory(Date.now())
      const terms = { ...TERMS.committed, at: settledAt - loggedBeforeMs }
      for (const [index, entry] of [terms, ...otherPlans(settledAt)].entries())
        history.take({ index, entry })
      return audit({ log: { key: 'a key', history }, to: days[0]!.day })
    }
    const shown =
      '1 set of terms was used soon after being logged, or because of an order, but no round around then followed them'
    const report = await used(3_600_000)
    expect(linesOf(report).join()).not.toContain('do not follow its terms')
    for (const text of [textReport(report), htmlReport(report)]) {
      expect(text).toContain('; at times, no round around them followed these terms')
      expect(text).toContain(shown)
    }
    expect(textReport(await used(200_000_000))).not.toContain(shown)
  })

  it('is not audited without the log if that was asked for and the site says that it has none', async () => {
    const days = honestExport()
    write(days)
    const none = Response.json(refuse('not_configured', 'No log.'), { status: 503 })
    vi.stubGlobal('fetch', async () => none.clone())
    await expect(readRequiredLog(SITE, null, days[0]!.day)).rejects.toThrow(
      `${SITE} says that it keeps no public log.`,
    )
    expect(await readAuditedLog(SITE, null, days[0]!.day)).toBe(null)
  })

  it('starts no threads, which would keep the command from ending, before the log was read', async () => {
    write(honestExport())
    const options = {
      from: null,
      to: null,
      readLog: () => Promise.reject(new Error('no log')),
      get workers(): never {
        throw new Error('threads')
      },
    }
    await expect(runAudit(exportSource(folder), options)).rejects.toThrow('no log')
  })

  it('has a report that names the log, or says that there was none', async () => {
    const log = await logOf(honestExport())
    const [compared, alone] = [await audit({ log }), await audit()]
    const none = 'The export was not compared with a public log.'
    for (const show of [textReport, htmlReport]) {
      expect(show(compared)).toContain(`It was compared with the public log of the key ${log.key}`)
      expect(show(alone)).toContain('It was compared with no public log')
    }
    expect(htmlReport(compared)).not.toContain(none)
    expect(htmlReport(alone)).toContain(`The audit found nothing wrong. ${none}`)
  })

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
    const listed = days.slice(0, 2)
    vi.setSystemTime(Date.parse('2026-11-05'))
    const foundAt = async (loggedAt: number, to: string | null = null) => {
      const logged: LogEntry = { kind: 'export', id: days[2]!.day, at: loggedAt, sha256: '' }
      const log = await logOf(listed, (house) => house.append(logged))
      const options = { from: null, to, workers: HERE, readLog: async () => log }
      return (await runAudit(siteOf(listed), options)).findings
    }
    expect(await foundAt(Date.now() - 3_700_000)).toEqual([
      {
        where: `the export of ${days[2]!.day}`,
        problem: 'it is in the public log, but not listed',
      },
    ])
    // A day is logged before it is listed.
    expect(await foundAt(Date.now() - 60_000)).toEqual([])
    expect(await foundAt(0, listed[1]!.day)).toEqual([])
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
    const [ofRounds, ofPlays] = ['round', 'play'].map((kind) =>
      found.filter((line) => line.startsWith(kind)),
    )
    expect(ofRounds).toHaveLength(12)
    expect(ofPlays).toHaveLength(found.length - 12)
    for (const line of ofPlays!) expect(line).toContain('were logged only later')
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
    const { nonce, wallet } = Object.assign(days[0]!.plays[9]!, { terms: 'ab'.repeat(32) })
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

  it('is not compared with a log that has a second entry of the same kind and id', async () => {
    const twice = logOf(honestExport(), (house) => house.entries.push(house.entries[4]!))
    await expect(twice).rejects.toThrow(/can't be believed: entry 40 of the log is a second end 1/)
  })

  it('is not compared with a log whose entries are not the signed ones', async () => {
    const forged = logOf(honestExport(), (house) => {
      house.leaves = house.entries.map(leafHash)
      house.entries[0] = house.entries[3]!
    })
    await expect(forged).rejects.toThrow("can't be believed")
  })
})
