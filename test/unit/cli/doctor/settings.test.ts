import { describe, expect, it } from 'vitest'
import { settingChecks, type Settings } from '../../../../src/cli/doctor/settings.ts'

const NOTHING: Settings = {
  vars: {},
  written: {},
  secrets: {},
  databaseIds: new Map(),
  name: 'fairhouse',
  buckets: [],
}

describe('the check of the buckets', () => {
  const warnings = (settings: Partial<Settings>) =>
    settingChecks({ ...NOTHING, ...settings }).flatMap(({ warning }) => warning ?? [])

  it('warns of a second site that would write to the first one’s', () => {
    const buckets = ['second-archive', 'fairhouse-exports']
    expect(warnings({ name: 'second', buckets })).toEqual([
      expect.stringContaining('The Worker is named second'),
    ])
    expect(warnings({ name: 'fairhouse', buckets })).toEqual([])
    expect(warnings({ name: 'second', buckets: ['second-archive', 'second-exports'] })).toEqual([])
  })
})

describe('the check of the sizes of settings', () => {
  const problem = (vars: Settings['vars']) => {
    const found = settingChecks({ ...NOTHING, vars }).find(({ claim }) =>
      claim.startsWith('no setting is'),
    )
    return found?.problem
  }
  /** Returns text of some bytes. As JSON in a list it has four more. */
  const text = (bytes: number) => 'ä'.repeat(bytes / 2)

  it('fails for each that Cloudflare would refuse, as it is sent: as text or as JSON', () => {
    expect(problem({ LOG_KEY: text(5_000), OPERATOR_CONTRACTS: [text(4_996)] })).toBeNull()
    expect(problem({ LOG_KEY: text(5_002), OPERATOR_CONTRACTS: [text(4_998)] })).toMatch(
      /^LOG_KEY has 5002 bytes, OPERATOR_CONTRACTS has 5002 bytes: Cloudflare takes at most 5 kB/,
    )
  })

  it('takes any in local play', () => {
    expect(problem({ ENVIRONMENT: 'local', LOG_KEY: text(6_000) })).toBeNull()
  })
})
