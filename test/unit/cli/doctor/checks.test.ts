import { describe, expect, it } from 'vitest'
import { operatorChecks, supportChecks } from '../../../../src/cli/doctor/checks.ts'
import type { Config } from '../../../../src/config/config.ts'

describe('the check for operators', () => {
  const problems = (environment: Config['environment'], wallets: string[]) => {
    const operators = new Map(wallets.map((wallet) => [wallet, 'admin' as const]))
    return operatorChecks({ environment, operators } as Partial<Config> as Config).map(
      ({ problem }) => problem,
    )
  }

  it('fails in production if nobody is named, because nobody could drain it or pay stuck money', () => {
    expect(problems('production', [])).toEqual([expect.stringContaining('OPERATORS names nobody')])
    expect(problems('production', ['0xa', '0xb'])).toEqual([null])
  })

  it('asks for nobody in local play', () => {
    expect(problems('local', [])).toEqual([])
  })
})

describe('the check for support', () => {
  const problems = (environment: Config['environment'], supportUrl: string | null) =>
    supportChecks({ environment, supportUrl } as Partial<Config> as Config).map(
      ({ problem }) => problem,
    )

  it('fails in production if players cannot reach the operator', () => {
    expect(problems('production', null)).toEqual([
      expect.stringContaining('SUPPORT_URL is not set'),
    ])
    expect(problems('production', 'mailto:help@example.com')).toEqual([null])
    expect(problems('local', null)).toEqual([])
  })
})
