import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadEvidence } from '../../../../src/cli/verify/evidence.ts'
import { verdictsOf } from '../../../../src/cli/verify/verdicts.ts'
import { HOUR_MS } from '../../../../src/core/utc-day.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { seedEntry, seedHashEntry } from '../../../../src/lootbox/log-entries.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../../../src/lootbox/prizes.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { signerKey } from '../../../../src/transparency/note.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { House, SITE } from '../monitor/house.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const DAY = '2026-11-20'
const [SEED, OTHER] = ['5e'.repeat(32), '6f'.repeat(32)]
const payment = `0x${'01'.repeat(32)}`
const blockHash = `0x${'cd'.repeat(32)}`
const odds = [6_000, 3_000, 1_000]
const DISCLOSED_AT = Date.parse('2026-11-21T00:10Z')

const committed = (seed: string): LogEntry =>
  seedHashEntry({
    day: DAY,
    seedHash: commitmentOf(seed),
    pepperHash: commitmentOf(OTHER),
    committedAt: Date.parse('2026-11-18'),
  })
const disclosed = (seed: string) => seedEntry(DAY, seed, DISCLOSED_AT)
/** An entry that says nothing of seeds. */
const entryAt = (at: number): LogEntry => ({ kind: 'export', id: String(at), at })
const EARLY = entryAt(Date.parse('2026-11-01'))

let house: House

beforeEach(() => {
  vi.useFakeTimers({ now: DISCLOSED_AT, toFake: ['Date'] })
  house = new House()
  vi.stubGlobal('fetch', async (input: URL) =>
    input.pathname === '/api/lootbox' ? Response.json(opened()) : house.fetch(input),
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function opened() {
  const roll = rollOf(SEED, paymentMessage(payment, blockHash))
  const tier = tierOfRoll(
    roll,
    odds.map((bps) => ({ bps })),
  )
  const own = { id: payment, txHash: payment, blockHash, day: DAY, odds, tier, label: 'Common' }
  return {
    ok: true,
    open: { ...own, seedHash: commitmentOf(SEED), seed: SEED, roll: Number(roll) },
  }
}

/** Verifies the opening by `--opening` against a log with these entries. */
async function verified(entries: LogEntry[], key = house.key.verifier) {
  house.append(...entries)
  const wanted = { only: 'opening', wallet: WALLET, payment } as const
  const evidence = await loadEvidence(SITE, wanted, { logKey: key })
  const [verdict] = verdictsOf(evidence, { wanted, seen: {} })
  const failed = verdict!.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
  return { failed, uncompared: evidence.uncompared }
}

const HASH = `the public log has the seed hash of ${DAY}, and it is this one`
const OF_SEED = `the public log has the seed of ${DAY}, and it is this one`

describe('an opening and the public log of its site', () => {
  it('agree if the log has its seed', async () => {
    expect(await verified([committed(SEED), disclosed(SEED)])).toEqual({
      failed: [],
      uncompared: null,
    })
  })

  it.each<[string, LogEntry[], string[]]>([
    ['another seed hash and seed', [committed(OTHER), disclosed(OTHER)], [HASH, OF_SEED]],
    ['another seed', [committed(SEED), disclosed(OTHER)], [OF_SEED]],
    ['no seed hash', [EARLY, disclosed(SEED)], [HASH]],
    ['a seed hash of only the bare day', [EARLY, { ...committed(SEED), id: DAY }], [HASH]],
  ])('disagree if the log has %s', async (_what, entries, failed) => {
    expect((await verified(entries)).failed).toEqual(failed)
  })

  it('may wait for the seed for an hour after it is due', async () => {
    vi.setSystemTime(DISCLOSED_AT + HOUR_MS - 1)
    expect((await verified([committed(SEED)])).failed).toEqual([])
    vi.setSystemTime(DISCLOSED_AT + HOUR_MS)
    expect((await verified([entryAt(DISCLOSED_AT + HOUR_MS)])).failed).toEqual([OF_SEED])
  })

  it('are not compared if the log has taken no entries since before the seed was due', async () => {
    vi.setSystemTime(DISCLOSED_AT + 24 * HOUR_MS)
    const stopped = entryAt(DISCLOSED_AT + HOUR_MS - 1)
    expect(await verified([committed(SEED), stopped])).toMatchObject({
      failed: [],
      uncompared: { why: expect.stringContaining('has no entries since'), isUnreached: true },
    })
  })

  it('are not compared if the log does not answer, or began after the seed was committed to', async () => {
    house.isSilent = true
    expect(await verified([committed(SEED)])).toMatchObject({
      failed: [],
      uncompared: { isUnreached: true },
    })
    const began = predecessorEntry('localhost:8787/log', null, Date.parse('2026-11-19'))
    for (const first of [began, entryAt(began.at)]) {
      house = new House()
      expect(await verified([first])).toMatchObject({
        failed: [],
        uncompared: { why: expect.stringContaining('began later'), isUnreached: false },
      })
    }
  })

  it('are refused if the log is not that of a key from elsewhere', async () => {
    const other = signerKey('localhost:8787/log', new Uint8Array(32).fill(8)).verifier
    await expect(verified([committed(SEED)], other)).rejects.toThrow("can't be believed")
  })

  it('are not compared if the opening is of a saved answer, which the verdict says', async () => {
    const answer = `${SITE}/api/lootbox?wallet=${WALLET}`
    const wanted = { only: 'opening', payment } as const
    const { uncompared } = await loadEvidence(answer, wanted)
    expect(uncompared).toEqual({ why: expect.stringContaining('URL'), isUnreached: false })
  })
})
