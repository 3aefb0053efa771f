import { describe, expect, it } from 'vitest'
import { expectCaught, tellOf, useHouses } from './caught.ts'
import { OTHER_LIES } from './lies/lies.ts'
import { LATE_IN_LOG } from './outage.ts'
import { TOOLS } from './tools.ts'

useHouses()

/**
 * In three rounds, three bets and a cash-out each; then six plays, a repeated one, and a game of mines in three steps of
 * two wallets.
 */
const CALLS = 32

/** Without a vault there are no debts to count, and one story needs no export. */
const UNUSED = { export: 'verify solvency', vault: 'audit' }

describe('an honest house', () => {
  it.each(['export', 'vault'] as const)('is caught by no tool (%s)', async (story) => {
    const told = await tellOf([], story)
    expect(told.house.world.problems).toEqual([])
    expect(told.watch.rounds).toBeGreaterThanOrEqual(3)
    // A cash-out is refused if its round crashes first.
    expect(CALLS - told.taken).toBeLessThanOrEqual(told.watch.rounds)
    expect(told.receipts).toHaveLength(told.taken)
    const tools = Object.entries(TOOLS).filter(([name]) => name !== UNUSED[story])
    for (const [name, find] of tools) expect(await find(told), name).toBe('')
    expect(told.watch.notices).toEqual([])
  })

  it('is caught by no audit that compares its lootbox with the chain, nor by its spin', async () => {
    const told = await tellOf([], 'lootbox day')
    expect(await TOOLS.audit(told)).toBe('')
    expect(told.spin).not.toBeNull()
    expect(await TOOLS['verify spin'](told)).toBe('')
  })

  it('is doubted by nobody whose page has asked how each bet ended', async () => {
    const told = await tellOf([], 'page')
    expect(await TOOLS.verify(told)).toBe('')
    told.cashedOut = []
    expect(await TOOLS.verify(told)).toContain('If neither you nor a program of yours')
  })

  it('is not accused if its log takes no entries for a while, because the table shows the root', async () => {
    const told = await tellOf([LATE_IN_LOG], 'export')
    for (const name of ['monitor', 'verify', 'audit'] as const)
      expect(await TOOLS[name](told), name).toBe('')
    expect(told.watch.notices.length).toBeGreaterThanOrEqual(3)
    for (const notice of told.watch.notices) expect(notice).toContain('only the log was slow')
  })
})

expectCaught(OTHER_LIES)
