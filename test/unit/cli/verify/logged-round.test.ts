import { afterEach, describe, expect, it, vi } from 'vitest'
import { NOTHING } from '../../../../src/cli/verify/evidence.ts'
import { loadRoundInLog } from '../../../../src/cli/verify/logged-round.ts'
import { verdictsOf } from '../../../../src/cli/verify/verdicts.ts'
import type { DisclosedRound, WholeRound } from '../../../../src/crash/disclosure.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { signerKey, type VerifierKey } from '../../../../src/transparency/note.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { exported, House, playedRound, SITE } from '../monitor/house.ts'

const { whole: WHOLE, terms, plan, bets, end } = playedRound()
const ENTRIES = [terms, plan, bets, end]
const NO_LOG = { ok: false, error: { code: 'not_configured', message: 'This site keeps no log.' } }
const LATER = WHOLE.endedAt + 900_000

afterEach(() => vi.unstubAllGlobals())

function compared(
  entries: LogEntry[],
  { round = WHOLE, now = LATER, house = new House(), pinned = null as VerifierKey | null } = {},
) {
  house.append(...entries)
  vi.stubGlobal('fetch', house.fetch)
  return loadRoundInLog(new URL(SITE), round, { pinned, now })
}

/** Returns the checks that fail for a round disclosed with a change. @param entries the public log */
async function failing(change: Partial<WholeRound>, entries = ENTRIES): Promise<string[]> {
  const whole = { ...WHOLE, ...change }
  const { logged } = await compared(entries, { round: whole })
  const { pepper, crash, signature: _, ...told } = whole
  const round = { ...told, pepper: pepper ?? '', crash: crash ?? 0 } satisfies DisclosedRound
  const wanted = { only: 'round', roundId: WHOLE.roundId } as const
  const evidence = { ...NOTHING, rounds: [round], whole, logged }
  const [verdict] = verdictsOf(evidence, { wanted, seen: {} })
  return verdict!.checks.flatMap(({ claim, holds }) => (holds ? [] : [claim]))
}

describe('a round and the public log of its site', () => {
  it('agree if the round is disclosed as it was logged', async () => {
    expect(await compared([...ENTRIES, exported(1)])).toEqual({
      logged: {
        plan: { index: 1, entry: plan },
        bets: expect.anything(),
        result: expect.anything(),
      },
      uncompared: null,
    })
    expect(await failing({})).toEqual([])
  })

  it('disagree about another take-off time or lower limits', async () => {
    expect(await failing({ takeoffAt: WHOLE.takeoffAt! + 1 })).toContain(
      'its end is the logged one',
    )
    const low = { ...WHOLE.plan!.limits.ETH, maxPayout: '99999' }
    const limits = { ...WHOLE.plan!.limits, ETH: low }
    expect(await failing({ plan: { ...WHOLE.plan!, limits } })).toEqual([
      'its plan is the logged one',
    ])
  })

  it('disagree if the log has its bets before its plan, or after its end', async () => {
    expect(await failing({}, [terms, bets, plan, end])).toEqual([
      'its bets were logged after its plan',
    ])
    expect(await failing({}, [terms, plan, end, bets])).toEqual([
      'its end was logged last, after its bets closed',
    ])
  })

  it('are not compared if the site keeps no log', async () => {
    vi.stubGlobal('fetch', async () => Response.json(NO_LOG, { status: 501 }))
    const load = (pinned: VerifierKey | null) =>
      loadRoundInLog(new URL(SITE), WHOLE, { pinned, now: LATER })
    const why = expect.stringContaining('says that it keeps no public log')
    expect(await load(null)).toEqual({ logged: null, uncompared: { why, isUnreached: false } })
    await expect(load(new House().key.verifier)).rejects.toThrow('you gave the key of one')
  })

  it('are not compared if the log began after the round, or does not answer', async () => {
    const began = predecessorEntry('localhost:8787/log', null, WHOLE.openedAt + 1)
    const later = expect.stringContaining('began later, and succeeds localhost:8787/log')
    // No later try will find what only the former log has.
    expect(await compared([began])).toEqual({
      logged: null,
      uncompared: { why: later, isUnreached: false },
    })
    const house = new House()
    house.isDown = true
    expect(await compared(ENTRIES, { house })).toEqual({
      logged: null,
      uncompared: { why: expect.any(String), isUnreached: true },
    })
  })

  it('are compared although the house dates the round before the log', async () => {
    const at = WHOLE.openedAt - 60_000
    const began = predecessorEntry('localhost:8787/log', null, at)
    const dated = { ...WHOLE, openedAt: at - 1 }
    expect(await compared([began, ...ENTRIES], { round: dated })).toMatchObject({
      logged: { plan: { entry: { id: '7' } } },
    })
    const missing = 'Round 7 is disclosed, but the public log has no plan 7.'
    const others = ENTRIES.map((entry) => (entry === plan ? { ...entry, id: '6' } : entry))
    await expect(compared([began, ...others], { round: dated })).rejects.toThrow(missing)
    const late = { ...dated, betsCloseAt: at + 3_600_000 }
    await expect(compared([began], { round: late, now: LATER * 2 })).rejects.toThrow(missing)
  })

  it('are refused if the log says that it begins in the future, which would excuse every round', async () => {
    const began = (at: number) => compared([predecessorEntry('localhost:8787/log', null, at)])
    await expect(began(LATER + 5_000)).rejects.toThrow(
      "The public log can't be believed: it says that it began at",
    )
    expect(await began(LATER + 4_999)).toMatchObject({ uncompared: { isUnreached: false } })
  })

  it('may wait for the end for fifteen minutes', async () => {
    const withoutEnd = [terms, plan, bets]
    const why = 'Not yet: the public log has no end of round 7.'
    expect(await compared(withoutEnd, { now: LATER - 1 })).toEqual({
      logged: null,
      uncompared: { why, isUnreached: false },
    })
    await expect(compared(withoutEnd)).rejects.toThrow(
      'Round 7 is disclosed, but the public log has no end of round 7.',
    )
  })

  it('do not wait longer because the house dates the end late, or ahead', async () => {
    const now = WHOLE.betsCloseAt + 86_400_000
    const dated = (endedAt: number) =>
      compared([terms, plan, bets], { round: { ...WHOLE, endedAt }, now })
    await expect(dated(now)).rejects.toThrow('the public log has no end of round 7')
    await expect(dated(now + 5_001)).rejects.toThrow("by this machine's clock it has not ended")
  })

  it('are refused if the log is not that of a key from elsewhere', async () => {
    const pinned = new House().key.verifier
    expect(await compared(ENTRIES, { pinned })).toMatchObject({ uncompared: null })
    const other = signerKey('localhost:8787/log', new Uint8Array(32).fill(8)).verifier
    await expect(compared(ENTRIES, { pinned: other })).rejects.toThrow("can't be believed")
  })

  it('are refused if the log is not the signed one', async () => {
    const house = new House()
    house.checkpoint = 'another text'
    await expect(compared(ENTRIES, { house })).rejects.toThrow("The public log can't be believed")
  })
})
