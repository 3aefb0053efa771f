import { describe, expect, it } from 'vitest'
import { textReport } from '../../../../src/cli/audit/report.ts'
import { runAudit } from '../../../../src/cli/audit/run.ts'
import type { PlayRow } from '../../../../src/exports/rows.ts'
import { honestExport, type DayRows } from '../../../audit/export.ts'
import { audit, linesOf, siteOf, useFolder, write } from './exported.ts'
import { HERE } from './here.ts'

useFolder()

const honest = () => honestExport({ days: 3 }) as [DayRows, DayRows, DayRows]

describe('one downloaded day of an honest export', () => {
  it('has nothing to find, and its report says that earlier days were not seen', async () => {
    const [, , last] = honest()
    write([last])
    const report = await audit({ from: last.day })
    expect(linesOf(report)).toEqual([])
    expect(textReport(report)).toContain('Earlier days may be missing from it')
  })

  it('is taken for the whole history if no first day is named', async () => {
    write(honest().slice(2))
    const found = linesOf(await audit())
    expect(found).toContain(
      'round 9: rounds 1 to 8 are missing before it. No number may be missing.',
    )
  })

  /** Ends a wallet's game of mines at the start of the second day, after its next play of the first day. */
  function endedLate(count = 3) {
    const days = honestExport({ days: count })
    const [first, second, third] = days as [DayRows, DayRows, DayRows]
    const { wallet } = first.plays.find(({ game }) => game === 'mines')!
    const isOwn = (play: PlayRow) => play.wallet === wallet
    const [game] = first.plays.filter(isOwn)
    first.plays.splice(first.plays.indexOf(game!), 1)
    first.openGames = [{ wallet, nonce: game!.nonce }]
    const settledAt = Date.parse(second.day) + 1
    return { days, second, third, isOwn, game: { ...game!, settledAt } }
  }

  it('may begin with a game of mines, and go on after plays of the day before', async () => {
    const { days, second, third, isOwn, game } = endedLate()
    second.plays.unshift(game)
    write(days)
    expect(linesOf(await audit())).toEqual([])
    expect(linesOf(await audit({ from: second.day }))).toEqual([])
    const later = second.plays.filter((play) => isOwn(play) && play !== game)
    second.plays = second.plays.filter((play) => !later.includes(play))
    third.plays = third.plays.filter((play) => !isOwn(play))
    third.plays.push(...later)
    write(days)
    expect(linesOf(await audit({ from: second.day }))).toEqual([])
  })

  it('has no gap after a game of mines that can only have been opened on the day or later', async () => {
    const { days, second, third, isOwn, game } = endedLate(4)
    for (const day of [second, third]) day.plays = day.plays.filter((play) => !isOwn(play))
    // It is ended a day and an hour after it opened, or another day later by the export.
    const last = days[3]!
    last.plays.unshift({ ...game, settledAt: Date.parse(last.day) + 3_600_001 })
    write(days)
    expect(linesOf(await audit({ from: second.day }))).toEqual([
      expect.stringMatching(/^wallet 0x\w+: plays 1 to \d are missing/),
    ])
  })
})

it('a site must list all its days, whatever day the audit begins with', async () => {
  const listed = honest().slice(1)
  write(listed)
  const options = { from: listed[0]!.day, to: listed[1]!.day, workers: HERE }
  expect(linesOf(await runAudit(siteOf(listed), options))).toContain(
    'round 5: rounds 1 to 4 are missing before it. No number may be missing.',
  )
})
