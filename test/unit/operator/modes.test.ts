import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  announcedMode,
  areWithdrawalsClosed,
  checkNotClosed,
  checkOpenFor,
  checkWithdrawals,
  knownModes,
  LAST_KNOWN_MS,
  LEAD_MS,
  modeAt,
  NOTHING_KNOWN,
  READ_AGE_MS,
  type Mode,
} from '../../../src/operator/modes.ts'
import { nextVersion, type ModesVersion } from '../../../src/operator/versions.ts'
import { forMany } from '../support/for-all.ts'
import { versionsOf } from '../support/versions.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const NOW = 1_800_000_000_000

/** What a reader knows just after these settings have taken effect. */
function known(...settings: Record<string, Mode>[]) {
  const at = NOW + settings.length * 1_000 + LEAD_MS
  return { modes: knownModes(versionsOf(NOW, settings), at, at), at }
}

const codeOf = (answer: ReturnType<typeof checkOpenFor>) => answer?.error.code ?? null

describe('a stake', () => {
  it.each<[string, Record<string, Mode>, string | null]>([
    ['is taken while nothing is closed', {}, null],
    ['is taken while only another game is closed', { mines: 'closed' }, null],
    ['is taken while only the withdrawals are closed', { withdrawals: 'closed' }, null],
    ['is refused while its game is draining', { limbo: 'draining' }, 'closed'],
    ['is refused while its game is closed', { limbo: 'closed' }, 'closed'],
    ['is refused while its token is draining', { 'token:ETH': 'draining' }, 'closed'],
    ['is taken while the other token is closed', { 'token:USDG': 'closed' }, null],
    ['is refused while everything is draining', { all: 'draining' }, 'closed'],
  ])('%s', (_what, settings, code) => {
    const { modes, at } = known(settings)
    expect(codeOf(checkOpenFor(modes, ['limbo', 'token:ETH'], at))).toBe(code)
  })

  it('names the strictest of its switches, so that its player knows what to wait for', () => {
    const { modes, at } = known({ limbo: 'draining', 'token:ETH': 'closed' })
    const refusal = checkOpenFor(modes, ['limbo', 'token:ETH'], at)
    expect(refusal?.error.details).toEqual({ name: 'token:ETH', mode: 'closed' })
    expect(refusal?.error.message).toMatch(/^Play with ETH is closed for maintenance/)
  })

  it('says nothing about withdrawals, which have a switch of their own', () => {
    const { modes, at } = known({ all: 'closed', withdrawals: 'closed' })
    expect(checkOpenFor(modes, ['limbo'], at)?.error.message).not.toMatch(/safe|withdraw/)
    const unknown = checkOpenFor(knownModes([], NOW, NOW), ['limbo'], NOW + LEAD_MS)
    expect(unknown?.error.message).not.toMatch(/safe|withdraw/)
  })

  it('is taken until the version takes effect, and refused from then on', () => {
    const [version] = versionsOf(NOW, [{ crash: 'draining' }])
    if (!version) throw new Error('a version')
    const { takesEffectAt } = version
    const modes = knownModes([version], NOW + READ_AGE_MS, takesEffectAt)
    expect(codeOf(checkOpenFor(modes, ['crash'], takesEffectAt - 1))).toBe(null)
    expect(codeOf(checkOpenFor(modes, ['crash'], takesEffectAt))).toBe('closed')
  })

  it('is refused once the caller’s reading is so old that a version may have taken effect since', () => {
    const modes = knownModes([], NOW, NOW)
    expect(codeOf(checkOpenFor(modes, ['crash'], NOW + LEAD_MS - 1))).toBe(null)
    expect(codeOf(checkOpenFor(modes, ['crash'], NOW + LEAD_MS))).toBe('closed')
  })

  it('is taken by what was known last for five minutes, and then refused', () => {
    const at = NOW + LAST_KNOWN_MS - 1
    const modes = knownModes([], NOW, at)
    expect(codeOf(checkOpenFor(modes, ['crash'], at))).toBe(null)
    expect(codeOf(checkOpenFor(modes, ['crash'], at + 1))).toBe('closed')
  })

  it('is refused where nothing was ever read', () => {
    expect(codeOf(checkOpenFor(NOTHING_KNOWN, ['crash'], NOW))).toBe('closed')
  })

  it('is never taken by a reader of the allowed age after a version took effect', () => {
    const setting = fc.dictionary(
      fc.constantFrom('all', 'crash', 'token:ETH', 'mines'),
      fc.constantFrom<Mode>('open', 'draining', 'closed'),
    )
    const orders = fc.array(fc.tuple(setting, fc.nat(20_000)), { minLength: 1, maxLength: 6 })
    forMany(1_000, orders, fc.nat(150_000), fc.nat(LEAD_MS - 1), (made, sinceMs, ageMs) => {
      const versions: ModesVersion[] = []
      let at = NOW
      for (const [settings, pauseMs] of made) {
        at += pauseMs
        versions.push(nextVersion(versions.at(-1) ?? null, { modes: settings }, at))
      }
      const decidedAt = NOW + sinceMs
      const decide = (readAt: number) => {
        const read = versions.filter((version) => version.at <= readAt)
        const modes = knownModes(read, readAt, decidedAt)
        return codeOf(checkOpenFor(modes, ['crash', 'token:ETH'], decidedAt))
      }
      expect(decide(decidedAt - ageMs)).toBe(decide(decidedAt))
    })
  })
})

describe('what is open already', () => {
  it('goes on while its game is draining or nothing is known, and stops while it is closed', () => {
    const draining = known({ mines: 'draining' })
    expect(codeOf(checkNotClosed(draining.modes, ['mines'], draining.at))).toBe(null)
    expect(codeOf(checkNotClosed(NOTHING_KNOWN, ['mines'], NOW))).toBe(null)
    const closed = known({ all: 'closed' })
    expect(codeOf(checkNotClosed(closed.modes, ['mines'], closed.at))).toBe('closed')
  })
})

describe('withdrawals', () => {
  it.each<[Record<string, Mode>, string | null, boolean]>([
    [{}, null, false],
    [{ all: 'closed' }, null, false],
    [{ withdrawals: 'draining' }, 'closed', false],
    [{ withdrawals: 'closed' }, 'closed', true],
  ])('with %o: new ones %s, queued ones wait: %s', (settings, code, doWait) => {
    const { modes, at } = known(settings)
    expect(codeOf(checkWithdrawals(modes, WALLET, at))).toBe(code)
    expect(areWithdrawalsClosed(modes.changes, at)).toBe(doWait)
  })

  it('go on while nothing is known, however long', () => {
    expect(checkWithdrawals(NOTHING_KNOWN, WALLET, NOW)).toBe(null)
    expect(checkWithdrawals(knownModes([], NOW - 2 * LAST_KNOWN_MS, NOW), WALLET, NOW)).toBe(null)
  })
})

it('the table says that it is closing before that takes effect', () => {
  const versions = versionsOf(NOW, [{ all: 'draining' }])
  expect(modeAt(versions, 'crash', NOW)).toBe('open')
  expect(announcedMode(versions, 'crash')).toBe('draining')
  expect(modeAt(versions, 'crash', NOW + LEAD_MS)).toBe('draining')
})
