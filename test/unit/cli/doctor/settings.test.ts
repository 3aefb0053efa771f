import { describe, expect, it } from 'vitest'
import { settingChecks, type Settings } from '../../../../src/cli/doctor/settings.ts'

describe('the check of the sizes of settings', () => {
  const problem = (vars: Settings['vars']) => {
    const settings = { vars, written: {}, secrets: {}, databaseIds: new Map() }
    const found = settingChecks(settings).find(({ claim }) => claim.startsWith('no setting is'))
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
