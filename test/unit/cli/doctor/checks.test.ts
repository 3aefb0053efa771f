import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  beaconChecks,
  locationChecks,
  lootboxChecks,
  operatorChecks,
  partnerChecks,
  proofChecks,
  proxyChecks,
  supportChecks,
} from '../../../../src/cli/doctor/checks.ts'
import { newReceiptKeys } from '../../../../src/cli/shared/receipt-keys.ts'
import type { Config, PartnerConfig } from '../../../../src/config/config.ts'
import { perToken } from '../../../../src/money/token.ts'
import type { Role } from '../../../../src/operator/roles.ts'

describe('the check for operators', () => {
  const problems = (environment: Config['environment'], roles: Record<string, Role>) => {
    const operators = new Map(Object.entries(roles))
    return operatorChecks({ environment, operators } as Partial<Config> as Config).map(
      ({ problem }) => problem,
    )
  }

  it('fails in production without an admin, because nobody could open what is closed', () => {
    const refused = [expect.stringContaining('OPERATORS names no admin')]
    expect(problems('production', {})).toEqual(refused)
    expect(problems('production', { '0xa': 'treasurer', '0xb': 'treasurer' })).toEqual(refused)
    expect(problems('production', { '0xa': 'treasurer', '0xb': 'admin' })).toEqual([null])
  })

  it('asks for nobody in local play', () => {
    expect(problems('local', {})).toEqual([])
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

describe('the check of receipts', () => {
  const problems = (...keys: object[]) => {
    const { log } = { log: {} } as Config
    const config: Partial<Config> = { environment: 'production', log, receiptKeys: keys as never }
    return proofChecks(config as Config).flatMap(({ problem }) => problem ?? [])
  }
  const newKey = () => (JSON.parse(newReceiptKeys()) as { keys: { d: string }[] }).keys[0]!

  it('fails for a key whose private part belongs to another one, because it signs nothing', () => {
    const [key, other] = [newKey(), newKey()]
    expect(problems(key, { ...other, d: undefined })).toEqual([])
    const wrong = [expect.stringContaining('RECEIPT_KEYS has a key whose d belongs to another')]
    expect(problems({ ...key, d: other.d })).toEqual(wrong)
    expect(problems(key, { ...other, d: '_'.repeat(43) })).toEqual(wrong)
  })
})

describe('the check of the RPC proxy', () => {
  it('knows the node that money depends on however its URL is written', () => {
    const problems = (url: string) => {
      const config = {
        environment: 'production',
        vault: null,
        chain: { chainId: 1, rpcUrl: 'https://node.fairhouse.test', confirmations: 12 },
        rpc: { upstreams: new Map([[1, [url]]]), origins: [], sendsTransactions: false },
      } as Partial<Config>
      return proxyChecks(config as Config).flatMap(({ problem }) => problem ?? [])
    }
    expect(problems('https://other.fairhouse.test')).toEqual([])
    for (const url of ['https://NODE.fairhouse.test/', 'https://node.fairhouse.test:443'])
      expect(problems(url)).toEqual([expect.stringContaining('the URL of CHAIN_RPC_URL')])
  })
})

describe('the check of the lootbox', () => {
  const warnings = (amountWei: string) => {
    const prizes = [
      { bps: 5_000, label: 'Half', asset: 'ETH', amountWei },
      { bps: 5_000, label: 'Tokens', asset: 'REWARD', amountWei: '1000000' },
    ]
    const lootbox = { price: '100', prizes } as unknown as Config['lootbox']
    return lootboxChecks({ lootbox }).flatMap(({ warning }) => warning ?? [])
  }

  it('warns of one that pays as much ETH as it costs, or more', () => {
    expect(warnings('199')).toEqual([])
    expect(warnings('200')).toEqual([expect.stringContaining('wins 100 wei on average')])
    expect(lootboxChecks({ lootbox: null })).toEqual([])
  })
})

describe('the check of the location', () => {
  const warnings = (environment: Config['environment'], location: Config['location']) =>
    locationChecks({ environment, location } as Partial<Config> as Config).map(
      ({ warning }) => warning,
    )

  it('warns of production without one, because the table never moves', () => {
    expect(warnings('production', null)).toEqual([
      expect.stringMatching(/^LOCATION is not set.* before the first deployment\.$/),
    ])
    expect(warnings('production', 'weur')).toEqual([undefined])
    expect(warnings('local', null)).toEqual([])
  })
})

describe('the check of drand relays', () => {
  afterEach(() => vi.restoreAllMocks())

  const problems = async () => {
    const drandRelays = ['https://relay.fairhouse.test']
    const crash = { pepper: 'drand' } as unknown as Config['crash']
    const checks = await beaconChecks({ drandRelays, crash } as Partial<Config> as Config)
    return checks.map(({ problem }) => problem)
  }

  it("tells a relay that can't be reached from one with a wrong answer", async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    fetched.mockRejectedValue(new TypeError('fetch failed'))
    expect(await problems()).toEqual([
      expect.stringContaining("https://relay.fairhouse.test can't be reached from this machine."),
    ])
    fetched.mockImplementation(async () => new Response('{}'))
    expect(await problems()).toEqual([
      expect.stringContaining('does not answer with a valid beacon of drand quicknet.'),
    ])
  })
})

describe('the check of partners', () => {
  const check = (environment: Config['environment'], partner: Partial<PartnerConfig>) => {
    const debits = { isOpen: true, needsPermission: false, hourWei: 1n }
    const limits = { transactionWei: 1n, dayWei: 1n, totalWei: null }
    const acme: PartnerConfig = {
      id: 'acme',
      keys: [{ kid: 'a', secret: 'b' }],
      requireBodyHash: false,
      consent: 'implied',
      debits: perToken(() => debits),
      limits: perToken(() => limits),
      newPlayersPerDay: 1,
      settled: perToken(() => 0n),
      ...partner,
    }
    const config: Partial<Config> = { environment, partners: new Map([['acme', acme]]) }
    return partnerChecks(config as Config)
  }

  const problems = (hourWei: bigint, dayWei: bigint) =>
    check('production', {
      debits: perToken(() => ({ isOpen: true, needsPermission: false, hourWei })),
      limits: perToken(() => ({ transactionWei: 1n, dayWei, totalWei: null })),
    }).flatMap(({ problem }) => problem ?? [])

  it('warns of one without a key in production, where local play has its own', () => {
    const warnings = (environment: Config['environment']) =>
      check(environment, { keys: [] }).flatMap(({ warning }) => warning ?? [])
    expect(warnings('production')).toEqual([
      expect.stringContaining('PARTNER_KEYS has no key for acme'),
    ])
    expect(warnings('local')).toEqual([])
  })

  it('fails if a debit may be larger than what a day’s limit can refund', () => {
    expect(problems(10n, 10n)).toEqual([])
    expect(problems(11n, 10n)).toEqual([
      expect.stringContaining('maxDebitPerHour of acme is above its maxNetCreditPerDay'),
    ])
  })
})
