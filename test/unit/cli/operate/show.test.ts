import { stripVTControlCharacters } from 'node:util'
import { zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { actHash } from '../../../../src/chain/operator-act.ts'
import { formerOf, scopesOf } from '../../../../src/cli/operate/options.ts'
import type { State } from '../../../../src/cli/operate/session.ts'
import { showJournal, showStatus } from '../../../../src/cli/operate/show.ts'
import type { Act } from '../../../../src/operator/act.ts'
import { nextEntry, type OperatorJournalEntry } from '../../../../src/operator/journal.ts'
import { actTypedData, type ActScope } from '../../../../src/operator/typed-data.ts'
import { account } from '../../../shared/mnemonic.ts'

const SCOPE = {
  site: 'https://casino.test',
  chainId: 31_337,
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
function journalOf(...signers: (typeof TREASURER)[]): Promise<OperatorJournalEntry[]> {
  return journalFor(signers.map((signer) => ({ signer, scope: SCOPE })))
}

/** Returns such a journal whose acts were signed for some sites. */
async function journalFor(
  signed: readonly { signer: typeof TREASURER; scope: ActScope }[],
): Promise<OperatorJournalEntry[]> {
  const entries: OperatorJournalEntry[] = []
  for (const { signer, scope } of signed) {
    const reason = `Act ${entries.length + 1}.`
    const act: Act = { act: 'mode', target: 'crash=closed', reason, expiresAt: 2_000_000_000 }
    entries.push(
      nextEntry(entries.at(-1) ?? null, {
        operator: TREASURER.address,
        role: 'treasurer',
        at: 0,
        act,
        actHash: actHash(scope, act),
        signature: await signer.signTypedData(actTypedData(scope, act)),
      }),
    )
  }
  return entries
}

describe('npm run operate -- status', () => {
  it.each([
    [{ all: 'draining' }, 3, ['Wallets with something in play: 3, by positions at most ten']],
    [{ all: 'closed' }, null, ['Wallets with something in play: unknown, by positions at most']],
    [{ crash: 'closed' }, null, []],
  ])('says whether draining has ended: %j, %s', (modes, walletsInPlay, lines) => {
    showStatus({
      operator: { wallet: TREASURER.address, role: 'treasurer' },
      health: { status: 'up', parts: {}, at: 0 },
      stuck: [],
      reserve: null,
      walletsInPlay,
      version: { modes, terms: {}, number: 1, takesEffectAt: 0 },
      acts: { waiting: [], decided: [] },
    } as unknown as State)
    expect(printed.filter((line) => line.includes('in play'))).toEqual(
      lines.map((line) => expect.stringContaining(line)),
    )
  })

  it('says what the age of each part is of', () => {
    const up = (ageMs: number | null) => ({ status: 'up' as const, ageMs, message: null })
    const late = 'Some updates are late; nothing is lost.'
    const outboxes = { status: 'degraded' as const, ageMs: 61_000, message: late }
    const parts = { chain: up(66_000), log: up(null), outboxes }
    showStatus({
      operator: { wallet: TREASURER.address, role: 'treasurer' },
      health: { status: 'degraded', parts, at: 0 },
      stuck: [],
      reserve: null,
      version: null,
      acts: { waiting: [], decided: [] },
    } as unknown as State)
    expect(printed.slice(2, 5)).toEqual([
      '  chain: up, last read 66 s ago',
      '  log: up',
      `  outboxes: degraded, oldest late update 61 s ago: ${late}`,
    ])
  })
})

describe('npm run operate -- journal', () => {
  it('holds if each entry is signed by its operator', async () => {
    expect(await showJournal([SCOPE], await journalOf(TREASURER, TREASURER), [])).toBe(true)
    expect(printed.at(-1)).toBe('The journal holds.')
  })

  it('does not hold with a signature of someone else, and names the entry', async () => {
    expect(await showJournal([SCOPE], await journalOf(TREASURER, OTHER), [])).toBe(false)
    expect(printed).toContainEqual(
      expect.stringContaining(`Entry 2 is not signed by the key of ${TREASURER.address}.`),
    )
    expect(printed.slice(-2)).toEqual([
      '  ✗ each entry is signed by its operator',
      'The journal failed its checks.',
    ])
  })

  it('leaves the signatures of contract wallets to them, if they are named', async () => {
    const entries = await journalOf(OTHER)
    expect(await showJournal([SCOPE], entries, [OTHER.address])).toBe(false)
    expect(await showJournal([SCOPE], entries, [TREASURER.address])).toBe(true)
    expect(printed).toContain(
      `Entry 1 is by the contract wallet ${TREASURER.address}. Ask it whether the signature is right.`,
    )
  })

  it('does not hold if an entry was left out', async () => {
    const [, second] = await journalOf(TREASURER, TREASURER)
    expect(await showJournal([SCOPE], second ? [second] : [], [])).toBe(false)
  })

  describe('after the site, the vault or the chain was changed', () => {
    const FORMER = { site: 'https://former.test', vault: OTHER.address, chainId: 10 }
    const former = { ...FORMER, verifyingContract: FORMER.vault }
    const journal = () => journalFor([former, SCOPE].map((scope) => ({ signer: TREASURER, scope })))

    it('does not call the entries before that forged, but says what they may have been signed for', async () => {
      expect(await showJournal([SCOPE], await journal(), [])).toBe(false)
      expect(printed).toContainEqual(
        expect.stringContaining(
          'Entry 1 was signed for another site, vault or chain, or its act was',
        ),
      )
      expect(printed.join()).not.toContain('is not signed by the key')
      expect(printed).toContain('  ✓ each entry is signed by its operator')
    })

    it('holds if the former ones are named', async () => {
      const named = { origin: [FORMER.site], vault: [FORMER.vault], chain: ['10'] }
      expect(await showJournal(scopesOf(SCOPE, formerOf(named)), await journal(), [])).toBe(true)
      const others = { ...named, chain: ['11'] }
      expect(await showJournal(scopesOf(SCOPE, formerOf(others)), await journal(), [])).toBe(false)
    })

    it('does not hold if an act was changed under the hash that its operator signed', async () => {
      const entries = await journal()
      const act = { ...entries[0]!.act, target: 'crash=open' }
      const changed = nextEntry(null, { ...entries[0]!, act })
      expect(await showJournal([SCOPE, former], [changed], [])).toBe(false)
    })

    it.each([
      { origin: ['former.test'] },
      { origin: ['https://former.test/'] },
      { vault: ['0x1'] },
      { chain: ['mainnet'] },
    ])('refuses %o as a former one', (named) => {
      expect(() => formerOf(named)).toThrow(/^--(origin|vault|chain) /)
    })
  })
})
