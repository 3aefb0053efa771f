import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { trustOwnBeacon } from './beacon.ts'
import type { Lie } from './lie.ts'
import { LIES } from './lies/lies.ts'
import { LATE_IN_LOG } from './outage.ts'
import {
  expectSignedEntries,
  expectSignedManifest,
  expectSignedStatement,
  expectTwoCheckpoints,
} from './proof.ts'
import { tell, type Told } from './story.ts'
import { TOOLS } from './tools.ts'

let distrust: () => void
let told: Told | null = null

beforeAll(() => {
  distrust = trustOwnBeacon()
})
afterAll(() => distrust())
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  told?.house.close()
  told = null
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('an honest house', () => {
  it.each(['export', 'vault'] as const)('is caught by no tool (%s)', async (story) => {
    told = await tell([], story)
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
    told = await tell([], 'lootbox day')
    expect(await TOOLS.audit(told)).toBe('')
    expect(told.spin).not.toBeNull()
    expect(await TOOLS['verify spin'](told)).toBe('')
  })

  it('is doubted by nobody whose page has asked how each bet ended', async () => {
    told = await tell([], 'page')
    expect(await TOOLS.verify(told)).toBe('')
    told.cashedOut = []
    expect(await TOOLS.verify(told)).toContain('If neither you nor a program of yours')
  })

  it('is not accused if its log takes no entries for a while, because the table shows the root', async () => {
    told = await tell([LATE_IN_LOG], 'export')
    for (const name of ['monitor', 'verify', 'audit'] as const)
      expect(await TOOLS[name](told), name).toBe('')
    expect(told.watch.notices.length).toBeGreaterThanOrEqual(3)
    for (const notice of told.watch.notices) expect(notice).toContain('only the log was slow')
  })
})

/**
 * In three rounds, three bets and a cash-out each; then six plays, a repeated one, and a game of mines in three steps of
 * two wallets.
 */
const CALLS = 32

/** Without a vault there are no debts to count, and one story needs no export. */
const UNUSED = { export: 'verify solvency', vault: 'audit' }

describe('a lying house', () => {
  it.each(LIES)('is caught: $name', async ({ edits, story, caughtBy, finding, proof }) => {
    told = await tell(edits, story)
    const found = await TOOLS[caughtBy](told)
    for (const part of finding) expect(found).toContain(part)
    await expectProof(proof, told, found)
  })
})

async function expectProof(proof: Lie['proof'], { watch }: Told, found: string): Promise<void> {
  const { caught } = watch
  if (proof === 'entries' && caught) return expectSignedEntries(caught)
  if (proof === 'checkpoints' && caught) return expectTwoCheckpoints(caught)
  if (proof === 'statement') return expectSignedStatement()
  if (proof === 'manifest') return expectSignedManifest()
  if (proof === 'receipts') {
    expect(found).toContain('Proof of a breach')
    expect(found).not.toContain('No proof of anything')
    return
  }
  expect(proof).toBeNull()
}
