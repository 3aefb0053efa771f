import { describe, expect, it } from 'vitest'
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
