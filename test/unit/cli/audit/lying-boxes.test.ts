import { describe, expect, it } from 'vitest'
import { LoggedHistory } from '../../../../src/audit/in-log.ts'
import { batchClosedEntry, batchOpenEntry } from '../../../../src/box-nft/log-entries.ts'
import { runAudit } from '../../../../src/cli/audit/run.ts'
import { exportSource } from '../../../../src/cli/audit/source.ts'
import { canonicalJson } from '../../../../src/core/canonical-json.ts'
import { sha256Hex } from '../../../../src/core/sha256.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { honestExport, TERMS, type DayRows } from '../../../audit/export.ts'
import { folder, linesOf, useFolder, write } from './exported.ts'
import { HERE } from './here.ts'

useFolder()

const honest = () => honestExport({ rounds: 2, plays: 8, boxesADay: 6 })

interface Audited {
  from?: string
  /** What the public log has; without it, the site has none. */
  logged?: LogEntry[]
}

async function audit(days: readonly DayRows[], { from, logged }: Audited = {}) {
  write(days)
  const options = { from: from ?? null, to: null, workers: HERE }
  const { findings, counted } = await runAudit(exportSource(folder), {
    ...options,
    readLog: async () => (logged ? { key: 'log', history: historyOf(logged) } : null),
  })
  const found = linesOf({ findings })
  // These logs have no rounds and no manifests.
  return { counted, found: found.filter((text) => /box/.test(text)) }
}

function historyOf(entries: readonly LogEntry[]): LoggedHistory {
  const history = new LoggedHistory(Date.now())
  for (const entry of entries) history.take({ index: 0, entry, hash: new Uint8Array() } as never)
  return history
}

/** Returns what the log has of the batches that were exported. */
function entriesOf(days: readonly DayRows[]): LogEntry[] {
  const batches = days.flatMap(({ boxes }) => {
    const [{ batch, pepperHash, pepper }] = boxes as [DayRows['boxes'][number]]
    return [batchOpenEntry(batch, pepperHash, 1), batchClosedEntry(batch, pepper, 2)]
  })
  return [TERMS.committed, ...batches]
}

const box = (days: DayRows[]) => days[0]!.boxes[1]!

const LIES: [lie: string, change: (days: DayRows[]) => void, found: RegExp][] = [
  [
    'has another tier than the one drawn',
    (days) => Object.assign(box(days), { tier: 1 - box(days).tier! }),
    /^box \d+: this does not hold: .*id and pepper draw tier/,
  ],
  [
    'has a smaller prize than its tier',
    (days) => Object.assign(box(days), { prize: '4' }),
    /^box \d+: .*its prize is the prize of the drawn tier/,
  ],
  [
    'has better odds than other boxes of its kind',
    (days) => Object.assign(box(days), { tiers: [{ bps: 10_000, prize: '5' }] }),
    /^box \d+: its tiers are not the ones of other boxes of kind 0/,
  ],
  [
    'has a pepper that its batch did not commit to',
    (days) => Object.assign(box(days), { pepper: 'ab'.repeat(32) }),
    /^box \d+: .*the pepper of batch 1 matches its hash/,
  ],
  [
    'has a pepper of its own, with its hash',
    (days) => {
      const pepper = 'ab'.repeat(32)
      Object.assign(box(days), { pepper, pepperHash: commitmentOf(pepper) })
    },
    /^box \d+: its pepper is not the one of other boxes of batch 1/,
  ],
  [
    'is missing',
    (days) => days[0]!.boxes.splice(1, 1),
    /^box \d+: 1 boxes sold before it are missing/,
  ],
  [
    'is missing at the start of the export',
    (days) => days[0]!.boxes.shift(),
    /^box \d+: 1 boxes sold before it are missing/,
  ],
  [
    'is there twice',
    (days) => days[1]!.boxes.push({ ...box(days) }),
    /^box \d+: it is in the export twice/,
  ],
  [
    'takes the place of another one',
    (days) => Object.assign(days[1]!.boxes[0]!, { n: 1 }),
    /^box \d+: its place in the order of sale, 1, is taken/,
  ],
  [
    'was sold before the one before it',
    (days) => Object.assign(days[1]!.boxes[0]!, { bought: { ...box(days).bought, block: 1 } }),
    /^box \d+: it was sold before the box that precedes it/,
  ],
  [
    'is opened without the transaction that opened it',
    (days) => Object.assign(box(days), { opened: null }),
    /its form is wrong: .*an opened box has its tier, its prize and its opening/,
  ],
]

describe('the boxes of an export', () => {
  it('have nothing to find if they are honest, with and without a public log', async () => {
    const { counted, found } = await audit(honest())
    expect([counted.boxes, found]).toEqual([12, []])
    expect((await audit(honest(), { logged: entriesOf(honest()) })).found).toEqual([])
  })

  it('can be audited from a later day on', async () => {
    const { counted, found } = await audit(honest(), { from: honest()[1]!.day })
    expect([counted.boxes, found]).toEqual([6, []])
  })

  it.each(LIES)('are caught if one %s', async (_lie, change, expected) => {
    const days = honest()
    change(days)
    const { found } = await audit(days)
    expect(found).toContainEqual(expect.stringMatching(expected))
  })

  it('are caught under a batch that the public log does not have', async () => {
    const { found } = await audit(honest(), { logged: entriesOf(honest()).slice(0, 3) })
    expect(found).toEqual([
      'batch 2 of boxes: its pepper hash is not in the public log',
      'batch 2 of boxes: its pepper is not in the public log',
    ])
  })

  it('are caught under a pepper that was logged otherwise', async () => {
    const logged = entriesOf(honest())
    logged[3] = batchOpenEntry(2, commitmentOf('00'.repeat(32)), 1)
    const { found } = await audit(honest(), { logged })
    expect(found).toEqual(['batch 2 of boxes: its pepper hash is not the logged one'])
  })

  describe('named by their contract in the log', () => {
    const logged = entriesOf(honest())
    const [{ chainId, contract }] = honest().flatMap(({ boxes }) => boxes) as [
      DayRows['boxes'][number],
    ]
    const named = logged
      .filter(({ kind }) => kind === 'batch')
      .map((entry) => ({ ...entry, id: `${chainId}:${contract.toLowerCase()}:${entry.id}` }))
    const other = commitmentOf('00'.repeat(32))
    const taken = [1, 2].map((batch) => batchOpenEntry(batch, other, 1))
    const of = { boxes: { chainId, contract: `0x${'12'.repeat(20)}` } }
    const hash = sha256Hex(canonicalJson(of))
    const former: LogEntry = { kind: 'terms', id: hash, at: 0, terms: of }

    it('have nothing to find if another contract had their numbers', async () => {
      const entries = [former, ...taken, TERMS.committed, ...named]
      expect((await audit(honest(), { logged: entries })).found).toEqual([])
    })

    it('are caught if their numbers are their own, or nobody has them', async () => {
      const misnamed = named.map(({ id }) => expect.stringContaining(`names the batch ${id} of`))
      const entries = [TERMS.committed, ...taken, ...named]
      expect((await audit(honest(), { logged: entries })).found).toEqual(misnamed)
      const unnumbered = [former, TERMS.committed, ...named]
      expect((await audit(honest(), { logged: unnumbered })).found).toEqual(misnamed)
      // The exported boxes may be those whose numbers are logged.
      expect((await audit(honest(), { logged: [...logged, ...named] })).found).toEqual(misnamed)
    })

    it('are caught if only their pepper is', async () => {
      const [, closed] = named as [LogEntry, LogEntry]
      const entries = [former, TERMS.committed, ...logged.slice(3), logged[1]!, closed]
      expect((await audit(honest(), { logged: entries })).found).toEqual([
        'batch 1 of boxes: its pepper is not in the public log',
      ])
    })
  })

  it('are caught if no logged terms name their contract', async () => {
    const days = honest()
    const logged = entriesOf(days)
    const [{ contract }] = days[1]!.boxes as [DayRows['boxes'][number]]
    for (const each of days[1]!.boxes) each.contract = `0x${'12'.repeat(20)}`
    const { found } = await audit(days, { logged })
    expect(found).toContain(`the boxes of 0x${'12'.repeat(20)}: no logged terms name this contract`)
    expect(found.join()).not.toContain(`the boxes of ${contract}`)
  })
})
