import { describe, expect, it } from 'vitest'
import { LoggedHistory } from '../../../../src/audit/in-log.ts'
import type { AuditedLog } from '../../../../src/cli/audit/log.ts'
import { htmlReport } from '../../../../src/cli/audit/report-html.ts'
import { textReport } from '../../../../src/cli/audit/report.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { paymentMessage, rollOf } from '../../../../src/lootbox/prizes.ts'
import { spinId, spinMessage } from '../../../../src/lootbox/spin.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { honestExport, type DayRows } from '../../../audit/export.ts'
import { audit, linesOf, useFolder, write } from './exported.ts'

useFolder()

const SEED = '5e'.repeat(32)
const WALLET = `0x${'11'.repeat(20)}`
const PAYMENT = { txHash: `0x${'ab'.repeat(32)}`, blockHash: `0x${'cd'.repeat(32)}` }

function drawnBy(message: string) {
  const won = { odds: [10_000], tier: 0, label: 'Low', prize: '1', asset: 'ETH' }
  return { seed: SEED, seedHash: commitmentOf(SEED), roll: Number(rollOf(SEED, message)), ...won }
}

/** Returns the row of a payment's opening, under the seed of the day of its time. */
function paidAt(time: string) {
  const { txHash, blockHash } = PAYMENT
  const drawn = drawnBy(paymentMessage(txHash, blockHash))
  const at = { day: time.slice(0, 10), openedAt: Date.parse(time) }
  return { id: txHash, wallet: WALLET, ...PAYMENT, ...at, ...drawn }
}

/** Returns the row of a free spin that was opened on the fourth day. */
function takenAt(time: string) {
  const [day, pepper] = [time.slice(0, 10), '9e'.repeat(32)]
  const id = spinId(WALLET, day)
  const drawn = drawnBy(spinMessage(id, pepper))
  const pepperSource = { kind: 'committed', pepperHash: commitmentOf(pepper) }
  const at = { day, acceptedAt: Date.parse(time), openedAt: Date.parse('2026-11-04T12:00Z') }
  return { id, wallet: WALLET, pepper, pepperSource, signature: '', ...at, ...drawn }
}

/** Audits four days, of which the last one has an opening. */
async function auditWith(opening: object, log?: AuditedLog) {
  const days = honestExport({ days: 4 })
  Object.assign(days[3]!, { openings: [opening] })
  write(days)
  return audit(log ? { log } : {})
}

it.each([
  ['opened on the day of its file', paidAt('2026-11-04T12:00Z')],
  ['opened the day before', paidAt('2026-11-03T00:00Z')],
  ['of a free spin taken the day before', takenAt('2026-11-03T00:00Z')],
])('an opening %s was exported in time', async (_what, opening) => {
  const report = await auditWith(opening)
  expect(report).toMatchObject({ counted: { openings: 1 }, findings: [], late: { openings: [] } })
  expect(textReport(report)).not.toContain('exported late')
})

it.each([
  ['dated back to choose its seed', paidAt('2026-11-02T23:59:59Z')],
  ['of a free spin dated back', takenAt('2026-11-02T23:59:59Z')],
])(
  'an opening %s is counted, but accuses nobody: an outage may have delayed it',
  async (_what, opening) => {
    const report = await auditWith(opening)
    expect(report).toMatchObject({ findings: [], late: { openings: [opening.id] } })
    const line = 'Openings exported late: 1.'
    expect(textReport(report)).toContain(line)
    expect(htmlReport(report)).toContain(line)
  },
)

it('an opening dated back to before a log that succeeds another one is shown with that log', async () => {
  const history = new LoggedHistory(Date.parse('2100-01-01'))
  const began = Date.parse('2026-11-02T00:00Z')
  history.take({ index: 0, entry: predecessorEntry('localhost:8787/log', null, began) })
  const report = await auditWith(paidAt('2026-11-01T12:00Z'), { key: 'a key', history })
  expect(linesOf(report).join()).not.toContain('opening')
  expect(report.uncompared).toEqual([PAYMENT.txHash])
  const line = 'Openings dated before that, but exported more than a day after it: 1.'
  expect(textReport(report)).toContain(line)
  expect(htmlReport(report)).toContain(line)
})

it.each([
  ['opening', paidAt('2026-11-05T00:00Z')],
  ['free spin', takenAt('2026-11-05T00:00Z')],
])(
  'an %s that is dated ahead of the day of its file, to choose its seed, is caught',
  async (_what, opening) => {
    const problem = 'it is of 2026-11-05T00:00:00.000Z, but in the export of 2026-11-04'
    expect(linesOf(await auditWith(opening))).toEqual([`opening ${opening.id}: ${problem}`])
  },
)

describe('plays of an export', () => {
  /** Audits two days, with the time of the second day's last play changed. */
  async function auditAt(time: string) {
    const days = honestExport({ days: 2 })
    days[1]!.plays.at(-1)!.settledAt = Date.parse(time)
    write(days)
    return audit()
  }

  it('were exported in time if they were settled the day before', async () => {
    const report = await auditAt('2026-11-01T23:59:59Z')
    expect(report.late).toMatchObject({ plays: 0, wallets: 0 })
  })

  it('are caught if one is dated ahead of the day of its file, to what will be in force', async () => {
    const problem = 'it is of 2026-11-03T00:00:00.000Z, but in the export of 2026-11-02'
    expect(linesOf(await auditAt('2026-11-03T00:00Z'))).toEqual([
      expect.stringMatching(`^wallet 0x[0-9a-fA-F]{40}: play [0-9]+: ${problem}`),
    ])
  })

  it('are counted if they are dated back to what was in force, but accuse nobody: an outage may have delayed them', async () => {
    const days = honestExport({ days: 4 })
    const { wallet } = days[3]!.plays[0]!
    const own = days[3]!.plays.filter((play) => play.wallet === wallet)
    for (const play of own) play.settledAt = Date.parse('2026-11-02T23:59:59Z')
    write(days)
    const report = await audit({ from: days[3]!.day })
    expect(report).toMatchObject({ findings: [], late: { plays: own.length, wallets: 1 } })
    expect(textReport(report)).toContain(`Plays exported late: ${own.length}, of 1 wallet.`)
  })
})

it('a round that came a day late accuses nobody, whatever day the audit begins with', async () => {
  const days = honestExport({ days: 3 })
  const [first, second] = days as [DayRows, DayRows, DayRows]
  const isLate = ({ roundId }: { roundId: number }) => roundId === 2
  second.rounds.unshift(...first.rounds.filter(isLate))
  second.bets.unshift(...first.bets.filter(isLate))
  first.rounds = first.rounds.filter((round) => !isLate(round))
  first.bets = first.bets.filter((bet) => !isLate(bet))
  write(days)
  for (const from of days.map(({ day }) => day)) {
    expect(linesOf(await audit({ from }))).toEqual([])
  }
})
