import { stripVTControlCharacters } from 'node:util'
import { zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { actHash } from '../../../../src/chain/operator-act.ts'
import { showJournal } from '../../../../src/cli/operate/show.ts'
import type { Act } from '../../../../src/operator/act.ts'
import { nextEntry, type JournalEntry } from '../../../../src/operator/journal.ts'
import { actTypedData } from '../../../../src/operator/typed-data.ts'
import { account } from '../../../mnemonic.ts'

const SCOPE = {
  ...{ site: 'https://casino.test', chainId: 31_337 },
  verifyingContract: zeroAddress,
} as const
const [TREASURER, OTHER] = [account(11), account(12)]

let printed: string[] = []
beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((text: string) =>
    printed.push(stripVTControlCharacters(text)),
  )
})
afterEach(() => vi.restoreAllMocks())

/** Returns a journal of acts in the treasurer's name, each signed by one of some accounts. */
async function journalOf(...signers: (typeof TREASURER)[]): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (const signer of signers) {
    const reason = `Act ${entries.length + 1}.`
    const act: Act = { act: 'mode', target: 'crash=closed', reason, expiresAt: 2_000_000_000 }
    entries.push(
      nextEntry(entries.at(-1) ?? null, {
        ...{ operator: TREASURER.address, role: 'treasurer', at: 0, act },
        actHash: actHash(SCOPE, act),
        signature: await signer.signTypedData(actTypedData(SCOPE, act)),
      }),
    )
  }
  return entries
}

describe('npm run operate -- journal', () => {
  it('holds if each entry is signed by its operator', async () => {
    expect(await showJournal(SCOPE, await journalOf(TREASURER, TREASURER), [])).toBe(true)
    expect(printed.at(-1)).toBe('The journal holds.')
  })

  it('does not hold with a signature of someone else, and names the entry', async () => {
    expect(await showJournal(SCOPE, await journalOf(TREASURER, OTHER), [])).toBe(false)
    expect(printed).toContainEqual(
      expect.stringContaining(`Entry 2 is not signed by the key of ${TREASURER.address}.`),
    )
    expect(printed.slice(-2)).toEqual([
      '  ✗ each entry is signed by its operator',
      'The journal does not hold.',
    ])
  })

  it('leaves the signatures of contract wallets to them, if they are named', async () => {
    const entries = await journalOf(OTHER)
    expect(await showJournal(SCOPE, entries, [OTHER.address])).toBe(false)
    expect(await showJournal(SCOPE, entries, [TREASURER.address])).toBe(true)
    expect(printed).toContain(
      `Entry 1 is by the contract wallet ${TREASURER.address}. Ask it whether the signature is right.`,
    )
  })

  it('does not hold if an entry was left out', async () => {
    const [, second] = await journalOf(TREASURER, TREASURER)
    expect(await showJournal(SCOPE, second ? [second] : [], [])).toBe(false)
  })
})
