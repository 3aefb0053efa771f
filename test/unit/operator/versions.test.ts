import { describe, expect, it } from 'vitest'
import { modesAt, READ_AGE_MS, type Mode } from '../../../src/operator/modes.ts'
import {
  isNextVersion,
  loggedVersion,
  nextVersion,
  versionEntry,
} from '../../../src/operator/versions.ts'
import { entryText, parseEntry } from '../../../src/transparency/entry.ts'
import { versionsOf } from '../support/versions.ts'

const NOW = 1_800_000_000_000

describe('a version', () => {
  it('takes effect no sooner than twice the age that readers allow', () => {
    const [first] = versionsOf(NOW, [{ crash: 'closed' }])
    expect(first?.takesEffectAt).toBe(NOW + 2 * READ_AGE_MS)
  })

  it('keeps what earlier versions have set, and drops what is open again', () => {
    const settings: Record<string, Mode>[] = [
      { crash: 'draining', mines: 'closed' },
      { crash: 'open', 'token:ETH': 'draining' },
    ]
    expect(versionsOf(NOW, settings).at(-1)?.modes).toEqual({
      mines: 'closed',
      'token:ETH': 'draining',
    })
  })

  it('takes effect after the one before it, even if the clock has stepped back', () => {
    const first = nextVersion(null, { modes: { all: 'closed' } }, NOW)
    const second = nextVersion(first, { modes: { all: 'open' } }, NOW - 60_000)
    expect(second.takesEffectAt).toBe(first.takesEffectAt)
    expect(modesAt([first, second], first.takesEffectAt)).toEqual({})
  })

  it('commits to all versions before it, so that none can be changed or left out', () => {
    const [first, second, third] = versionsOf(NOW, [
      { crash: 'closed' },
      { crash: 'open' },
      { all: 'draining' },
    ])
    if (!first || !second || !third) throw new Error('three versions')
    expect([isNextVersion(null, first), isNextVersion(first, second)]).toEqual([true, true])
    expect(isNextVersion(first, third)).toBe(false)
    expect(isNextVersion(null, { ...first, modes: {} })).toBe(false)
    const changed = nextVersion(null, { modes: { crash: 'draining' } }, NOW)
    expect(isNextVersion(changed, second)).toBe(false)
  })

  it('is an entry of the public log', () => {
    const [version] = versionsOf(NOW, [{ 'partner:acme': 'closed' }])
    if (!version) throw new Error('a version')
    const entry = versionEntry(version, '0xac7')
    expect(entry).toMatchObject({ kind: 'control', id: '1', modes: { 'partner:acme': 'closed' } })
    expect(parseEntry(new TextEncoder().encode(entryText(entry)))).toEqual(entry)
    expect(loggedVersion(entry)).toEqual({ version, actId: '0xac7' })
  })
})
