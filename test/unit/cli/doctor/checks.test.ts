import { describe, expect, it } from 'vitest'
import { operatorChecks, partnerChecks, supportChecks } from '../../../../src/cli/doctor/checks.ts'
import type { Config, PartnerConfig } from '../../../../src/config/config.ts'
import { perToken } from '../../../../src/money/token.ts'

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

describe('the check of partners', () => {
  const problems = (hourWei: bigint, dayWei: bigint) => {
    const debits = { isOpen: true, needsPermission: false, hourWei }
    const limits = { transactionWei: 1n, dayWei }
    const acme: PartnerConfig = {
      id: 'acme',
      keys: [{ kid: 'a', secret: 'b' }],
      requireBodyHash: false,
      consent: 'implied',
      debits: perToken(() => debits),
      limits: perToken(() => limits),
      newPlayersPerDay: 1,
      settled: perToken(() => 0n),
    }
    const config: Partial<Config> = { partners: new Map([['acme', acme]]) }
    return partnerChecks(config as Config).flatMap(({ problem }) => problem ?? [])
  }

  it('fails if a debit may be larger than what a day’s limit can refund', () => {
    expect(problems(10n, 10n)).toEqual([])
    expect(problems(11n, 10n)).toEqual([
      expect.stringContaining('maxDebitPerHour of acme is above its maxNetCreditPerDay'),
    ])
  })
})
