import { describe, expect, it } from 'vitest'
import { htmlReport } from '../../../../src/cli/audit/report-html.ts'
import { textReport } from '../../../../src/cli/audit/report.ts'
import type { PlayRow } from '../../../../src/exports/rows.ts'
import { honestExport } from '../../../audit/export.ts'
import { audit, linesOf, useFolder, write } from './exported.ts'

useFolder()

/** Leaves out a wallet's first play, and names it as an open game on some days of six. */
function exportNaming(...named: number[]) {
  const days = honestExport({ days: 6, plays: 144 })
  const [{ wallet, nonce }] = days[0]!.plays.splice(0, 1) as [PlayRow]
  for (const number of named) days[number - 1]!.openGames = [{ wallet, nonce }]
  return days
}

const MISSING = /^wallet 0x\w+: play 0 is missing by the end of (\S+)\. Only a game/

describe('a play that was left out is not excused by naming it as an open game', () => {
  it('on some of the days since, whatever day the audit ends on', async () => {
    const days = exportNaming(1, 2, 4, 5)
    const found = []
    for (const [index] of days.entries()) {
      write(days.slice(0, index + 1))
      found.push(linesOf(await audit()))
    }
    const [first, second, third, fourth, fifth, sixth] = found
    // On two days it may be open.
    expect([first, second]).toEqual([[], []])
    const missing = expect.stringMatching(MISSING) as string
    expect([third, sixth!.slice(-1)]).toEqual([[missing], [missing]])
    const open = (day: string) =>
      expect.stringMatching(`^the export of ${day}: the game 0x\\w+ 0 is open since 2026-11-01$`)
    expect(fourth).toEqual([open('2026-11-04'), missing])
    expect(fifth).toEqual([open('2026-11-04'), open('2026-11-05'), missing])
  })

  it('for the first time days later', async () => {
    write(exportNaming(6))
    const found = linesOf(await audit())
    expect(found.map((line) => MISSING.exec(line)?.[1])).toEqual(['2026-11-01'])
  })
})

it('a game is counted, but accuses nobody, while its ledger can not be read: its wallet has no plays', async () => {
  const days = honestExport({ days: 4, plays: 96 })
  const [{ wallet, nonce }] = days[1]!.plays as [PlayRow]
  const isOwn = (play: PlayRow) => play.wallet === wallet
  // The exporter names the game again each day, until the ledger answers.
  for (const day of days.slice(0, 3)) day.openGames = [{ wallet, nonce }]
  const unread = days.slice(1, 3).flatMap(({ plays }) => plays.filter(isOwn))
  for (const day of days.slice(1, 3)) day.plays = day.plays.filter((play) => !isOwn(play))
  days[3]!.plays.unshift(...unread)
  write(days)
  const report = await audit()
  expect(report).toMatchObject({ findings: [], openGames: [`${wallet} ${nonce}`] })
  const line = 'Games named as open on three days or more, without other plays of their wallets: 1.'
  expect(textReport(report)).toContain(line)
  expect(htmlReport(report)).toContain(line)
  expect((await audit({ to: days[1]!.day })).openGames).toEqual([])
})
