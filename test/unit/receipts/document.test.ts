import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { batchClosedEntry, batchOpenEntry } from '../../../src/box-nft/log-entries.ts'
import { Claims, issued } from '../../../src/cli/verify/receipt-claims.ts'
import { betsEntry, endEntry, planEntry } from '../../../src/crash/log-entries.ts'
import { Round } from '../../../src/crash/round.ts'
import { restorationEntry } from '../../../src/ledger/restoration.ts'
import { seedEntry, seedHashEntry } from '../../../src/lootbox/log-entries.ts'
import { nextVersion, versionEntry } from '../../../src/operator/versions.ts'
import { keyEntry, termsEntry } from '../../../src/receipts/log-entries.ts'
import type { TermsOfPlay } from '../../../src/receipts/terms.ts'
import type { Statement } from '../../../src/solvency/statement.ts'
import { KINDS, type LogEntry } from '../../../src/transparency/entry.ts'
import { predecessorEntry } from '../../../src/transparency/predecessor.ts'
import { recordOf, VOID_AT } from '../support/builders.ts'
import { KEYS } from '../support/receipts.ts'

const page = readFileSync(new URL('../../../reference/signed.md', import.meta.url), 'utf8')
const [, log = '', receipts = ''] = page.split('\n## ')

/** The cells of a table's rows. */
const rowsOf = (section: string): string[][] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))

const namesIn = (text = '') =>
  [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).toSorted()

/** The statement of solvency has no function of its own. Its type holds the names to its fields. */
const STATEMENT: Record<keyof Statement, true> = {
  epoch: true,
  at: true,
  root: true,
  owed: true,
  partners: true,
  vault: true,
  contract: true,
  leaves: true,
  ratio: true,
}

function entries(): LogEntry[] {
  const crashed = new Round(recordOf('committed', 300), [])
  crashed.advance(VOID_AT + 600_000)
  const voided = new Round(recordOf('drand-quicknet', 300), [])
  voided.advance(VOID_AT)
  const { plan } = crashed.record
  const bankroll = { amounts: { ETH: '1', USDG: '1' }, payoutBps: 1, roundBps: 1 }
  const seq = { seq: 1, entry: '' }
  return [
    planEntry({ ...plan, bankroll }),
    betsEntry(plan, crashed.fixedBets),
    endEntry(crashed.result()!, crashed.fixedBets),
    endEntry(voided.result()!, voided.fixedBets),
    seedHashEntry({ day: '', seedHash: '', pepperHash: '', committedAt: 0 }),
    seedEntry('', '', 0),
    batchOpenEntry(1, '', 0),
    batchClosedEntry(1, '', 0),
    termsEntry({} as TermsOfPlay, '', 0),
    keyEntry(KEYS[0]!, 0),
    { kind: 'solvency', id: '', ...STATEMENT, at: 0 },
    { kind: 'export', id: '', at: 0, manifest: '', sha256: '' },
    predecessorEntry('', null, 0),
    versionEntry(nextVersion(null, {}, 0), ''),
    restorationEntry('', '', { kept: seq, known: seq, goesOn: seq } as never, 0),
  ]
}

describe('reference/signed.md', () => {
  it('lists the fields of each entry of the public log', () => {
    const told = rowsOf(log).map(([, kind, , fields]) => [kind, namesIn(fields)])
    const made = entries().map(({ kind, id: _id, at: _at, ...fields }) => [
      `\`${kind}\``,
      Object.keys(fields).toSorted(),
    ])
    expect(told).toEqual(made)
    expect(new Set(entries().map(({ kind }) => kind))).toEqual(new Set(KINDS))
  })

  it('lists the claims of each kind of receipt', () => {
    const told = rowsOf(receipts).map(([, kind, claims]) => [kind, namesIn(claims)])
    const claimed = Claims.options.map(({ shape }) => [
      `\`${shape.kind.value}\``,
      Object.keys(shape)
        .filter((name) => name !== 'kind' && !(name in issued))
        .toSorted(),
    ])
    expect(told).toEqual(claimed)
    const [common] = /Each has (.|\n)*?, which/.exec(receipts) ?? []
    expect(namesIn(common)).toEqual(Object.keys(issued).toSorted())
    const [step] = /`game` in a step(.|\n)*?\./.exec(receipts) ?? []
    const { game } = Claims.options.map(({ shape }) => shape).find(isStep)!
    expect(namesIn(step)).toEqual(['game', ...Object.keys(game.shape)].toSorted())
  })
})

type Shape = (typeof Claims.options)[number]['shape']
const isStep = (shape: Shape): shape is Extract<Shape, { kind: { value: 'mines-open' } }> =>
  shape.kind.value === 'mines-open'
