import { describe, expect, it, vi } from 'vitest'
import { SiteLog } from '../../../../src/cli/verify/site-log.ts'
import { leafHash } from '../../../../src/transparency/merkle.ts'
import { exported, House, SITE } from '../monitor/house.ts'

/** Returns a house whose log has some entries, and the log as a site shows it. */
async function logOf(size: number) {
  const house = new House()
  for (let day = 0; day < size; day++) house.append(exported(day))
  house.leaves = house.entries.map(leafHash)
  vi.stubGlobal('fetch', house.fetch)
  const log = await SiteLog.open(new URL(SITE), null)
  if (!log) throw new Error('the site has a log')
  return { house, log }
}

describe('the log of a site', () => {
  it.each([1, 256, 257, 700, 65_900])(
    'has its first and its newest of %i entries, each proven with its bundle',
    async (size) => {
      const { log } = await logOf(size)
      expect((await log.newest('export'))?.index).toBe(size - 1)
      expect(await log.first()).toMatchObject({ index: 0, entry: { id: 'day 0' } })
    },
  )

  it('is not believed if a bundle has another entry than the signed one, whichever is looked for', async () => {
    const { house, log } = await logOf(700)
    house.entries[300] = new House().append(exported(900)).entries[0]!
    expect((await log.find('export', 'day 600'))?.index).toBe(600)
    await expect(log.find('export', 'day 511')).rejects.toThrow(
      'entries 256 to 511 of the log are not the signed ones',
    )
  })

  it('is searched where it left off once it answers again', async () => {
    const { house, log } = await logOf(300)
    house.failing = 'entries/000'
    await expect(log.find('export', 'day 7')).rejects.toThrow('status 500')
    house.failing = null
    expect((await log.find('export', 'day 7'))?.index).toBe(7)
  })
})
