import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { batchClosedEntry, batchId, batchOpenEntry } from '../../../../src/box-nft/log-entries.ts'
import { tierOfBox } from '../../../../src/box-nft/tier.ts'
import { loadEvidence } from '../../../../src/cli/verify/evidence.ts'
import { verdictsOf } from '../../../../src/cli/verify/verdicts.ts'
import { canonicalJson } from '../../../../src/core/canonical-json.ts'
import { sha256Hex } from '../../../../src/core/sha256.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { signerKey } from '../../../../src/transparency/note.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { NAMED_IN_TURN } from '../../../../src/verify/logged-batches.ts'
import { House, SITE } from '../monitor/house.ts'

const NOW = Date.parse('2026-11-20T12:00Z')
const CONTRACT = { chainId: 31_337, contract: `0x${'Ab'.repeat(20)}` }
const FORMER = `0x${'cd'.repeat(20)}`
const TIERS = [
  { label: 'Common', bps: 9_000, prize: '5' },
  { label: 'Rare', bps: 1_000, prize: '50' },
]
const OFFERED = TIERS.map((tier) => ({ ...tier, prize: BigInt(tier.prize) }))
const BOX_ID = 123n
const [PEPPER, OTHER] = ['b0'.repeat(32), 'b1'.repeat(32)] as const
const NAMED = batchId({ ...CONTRACT, batch: 1 })

let house: House
/** The pepper that the site tells the player of. */
let pepper: string

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  house = new House()
  pepper = PEPPER
  vi.stubGlobal('fetch', async (input: URL) =>
    input.pathname === '/api/lootbox-nft' ? Response.json(answer()) : house.fetch(input),
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function answer() {
  const tier = tierOfBox(BOX_ID, pepper, OFFERED)
  const of = { boxId: `${BOX_ID}`, kind: 0, batch: 1, pepperHash: commitmentOf(pepper), pepper }
  const boxes = [{ ...of, tier, prize: TIERS[tier]!.prize }]
  return { ok: true, boxes, kinds: [{ kind: 0, tiers: TIERS }], next: null, ...CONTRACT }
}

const opened = (of: string, id: number | string = 1) => batchOpenEntry(id, commitmentOf(of), NOW)
const closed = (of: string, id: number | string = 1) => batchClosedEntry(id, of, NOW)

/** Terms of play under which a contract sells the boxes. */
function terms(contract: string, at = NOW): LogEntry {
  const of = { boxes: { ...CONTRACT, contract } }
  return { kind: 'terms', id: sha256Hex(canonicalJson(of)), at, terms: of }
}

const [OWN_TERMS, FORMER_TERMS] = [terms(CONTRACT.contract), terms(FORMER)]

/** Verifies the box by `--box` against a log with these entries. */
async function verified(entries: LogEntry[], logKey = house.key.verifier) {
  house.append(...entries)
  const wanted = { only: 'box', boxId: BOX_ID } as const
  const evidence = await loadEvidence(SITE, wanted, { logKey })
  const [verdict] = verdictsOf(evidence, { wanted, seen: { tiers: '9000:5,1000:50' } })
  const failed = verdict!.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
  return { failed, uncompared: evidence.uncompared }
}

const unreached = (why: string) => ({ why: expect.stringContaining(why), isUnreached: true })

describe('a box and the public log of its site', () => {
  it.each([
    ['by its number', [opened(PEPPER), closed(PEPPER)]],
    [
      'by its contract, if a former one has taken the number',
      [
        FORMER_TERMS,
        opened(OTHER),
        closed(OTHER),
        OWN_TERMS,
        opened(PEPPER, NAMED),
        closed(PEPPER, NAMED),
      ],
    ],
    [
      'by its contract, if a former one has taken the number before any terms were logged',
      [
        opened(OTHER),
        terms(FORMER, NOW + 9_000_000),
        terms(CONTRACT.contract, NOW + 9_900_000),
        opened(PEPPER, NAMED),
        closed(PEPPER, NAMED),
      ],
    ],
    [
      'by its contract, in a log that lacks the terms of its predecessor',
      [
        predecessorEntry('localhost:8787/log', null, NOW - 1),
        OWN_TERMS,
        opened(OTHER),
        opened(PEPPER, NAMED),
        closed(PEPPER, NAMED),
      ],
    ],
  ])('agree if the log has its batch %s', async (_how, entries) => {
    expect(await verified(entries)).toEqual({ failed: [], uncompared: null })
  })

  it('disagree if the log has another pepper', async () => {
    expect((await verified([opened(PEPPER), closed(OTHER)])).failed).toEqual([
      'the public log has the pepper of batch 1, and it is this one',
    ])
    house = new House()
    const named = [opened(OTHER, NAMED), closed(OTHER, NAMED)]
    const entries = [FORMER_TERMS, opened(OTHER), OWN_TERMS, ...named]
    expect((await verified(entries)).failed).toEqual([
      'the public log has the pepper hash of batch 1, since 2026-11-20T12:00:00.000Z, and it is this one',
      'the public log has the pepper of batch 1, and it is this one',
    ])
  })

  it.each<[string, LogEntry[]]>([
    ['the number is its own', [OWN_TERMS, opened(OTHER), closed(OTHER)]],
    [
      'only a later contract could have the number',
      [OWN_TERMS, opened(OTHER), terms(FORMER, NOW + 1)],
    ],
    [
      'a later contract could have the number, dated back',
      [OWN_TERMS, opened(OTHER), terms(FORMER, 0)],
    ],
    ['no terms name it', [FORMER_TERMS, opened(OTHER)]],
  ])('disagree if the log names the batch by its contract, although %s', async (_why, entries) => {
    const second = [opened(PEPPER, NAMED), closed(PEPPER, NAMED)]
    expect((await verified([...entries, ...second])).failed).toEqual([NAMED_IN_TURN])
  })

  it('disagree if the log named the batch by its contract before the number was taken', async () => {
    const named = [opened(PEPPER, NAMED), closed(PEPPER, NAMED)]
    const entries = [FORMER_TERMS, OWN_TERMS, ...named, opened(OTHER)]
    expect((await verified(entries)).failed).toEqual([NAMED_IN_TURN])
  })

  it('are not compared, so that nothing is verified, if the house has made up a pepper for the caller', async () => {
    pepper = OTHER
    expect(await verified([opened(PEPPER), closed(PEPPER)])).toEqual({
      failed: [],
      uncompared: unreached('does not have this pepper hash of batch 1, but has another one'),
    })
  })

  it('are not compared if the log lacks an entry, which an outage may have delayed', async () => {
    const entries = [opened(PEPPER)]
    expect(await verified(entries)).toMatchObject({ uncompared: unreached('the pepper of batch') })
  })

  it('are not compared if the log has nothing of the batch, which may be older', async () => {
    expect(await verified([closed(PEPPER)])).toMatchObject({
      failed: [],
      uncompared: { why: expect.stringContaining('The log began at'), isUnreached: false },
    })
  })

  it('are not compared if the log succeeds one that may have the batch, or does not answer', async () => {
    const first = predecessorEntry('localhost:8787/log', null, NOW - 1)
    expect(await verified([first])).toMatchObject({
      failed: [],
      uncompared: { why: expect.stringContaining('It succeeds'), isUnreached: false },
    })
    house.isSilent = true
    expect(await verified([])).toMatchObject({ failed: [], uncompared: { isUnreached: true } })
  })

  it('are refused if the log is not that of a key from elsewhere', async () => {
    const other = signerKey('localhost:8787/log', new Uint8Array(32).fill(8)).verifier
    await expect(verified([opened(PEPPER)], other)).rejects.toThrow("can't be believed")
  })

  it('are not compared if the box is of a saved answer, which the verdict says', async () => {
    const wanted = { only: 'box', boxId: BOX_ID } as const
    const { uncompared } = await loadEvidence(`${SITE}/api/lootbox-nft?boxId=${BOX_ID}`, wanted)
    expect(uncompared).toEqual({ why: expect.stringContaining('URL'), isUnreached: false })
  })
})
