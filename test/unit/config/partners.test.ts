import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../../src/cli/shared/dev-partners.ts'
import { loadConfig } from '../../../src/config/load.ts'

const { vars } = unstable_readConfig({ config: 'wrangler.toml' })

function environment(keys: string): Env {
  const everything: object = { ...vars, PARTNER_KEYS: keys }
  return everything as Env
}

const withKeys = (keys: unknown) => loadConfig(environment(JSON.stringify(keys)))

/** The partner `demo` with other settings, in a service with another environment. */
function withDemo(settings: object, environmentName = 'local', secrets: object = {}) {
  const { PARTNERS } = vars as { PARTNERS: Record<string, object> }
  return withPartner({ ...PARTNERS['demo'], ...settings }, environmentName, secrets)
}

function withPartner(demo: object, environmentName: string, secrets: object = {}) {
  const everything: object = {
    ...vars,
    ...secrets,
    ENVIRONMENT: environmentName,
    SITE_DOMAIN: 'play.fairhouse.internal',
    SITE_ORIGIN: 'https://play.fairhouse.internal',
    CRASH_PEPPER: 'drand-quicknet',
    PROTOCOL_WALLET: '',
    OPERATORS: '',
    PARTNERS: { demo },
  }
  return loadConfig(everything as Env).partners.get('demo')
}

const SECRET = 'x'.repeat(32)

it.each([DEV_PARTNER, OTHER_DEV_PARTNER])(
  'the manifest of local play says what $id requires, as it is configured',
  ({ id, consent, requireBodyHash }) => {
    expect((vars as { PARTNERS: object }).PARTNERS).toMatchObject({
      [id]: { consent, requireBodyHash },
    })
  },
)

describe('partners’ keys', () => {
  it('number one, or two during a rotation', () => {
    const { partners } = withKeys({ demo: { a: SECRET, b: SECRET.toUpperCase() } })
    expect(partners.get('demo')?.keys).toEqual([
      { kid: 'a', secret: SECRET },
      { kid: 'b', secret: SECRET.toUpperCase() },
    ])
    expect(partners.get('demo-two')?.keys).toEqual([])
  })

  it.each([
    ['three at once', { demo: { a: SECRET, b: SECRET, c: SECRET } }],
    ['one that is too short', { demo: { a: 'x'.repeat(31) } }],
    ['one for an id with a colon', { 'de:mo': { a: SECRET } }],
    ['one of two partners', { demo: { a: SECRET }, 'demo-two': { b: SECRET } }],
  ])('are refused: %s', (_what, keys) => {
    expect(() => withKeys(keys)).toThrow()
  })

  it('are ignored for an unlisted partner', () => {
    const { partners } = withKeys({ demo: { a: SECRET }, stranger: { a: SECRET.toUpperCase() } })
    expect(partners.get('demo')?.keys).toHaveLength(1)
    expect(partners.has('stranger')).toBe(false)
  })

  it('are refused without being printed if they are not JSON', () => {
    const broken = environment('hush-hush')
    expect(() => loadConfig(broken)).toThrow(/PARTNER_KEYS/)
    expect(() => loadConfig(broken)).not.toThrow(/hush/)
  })
})

describe('a partner’s consent', () => {
  it('is implied by default, and required for demo-two in local play', () => {
    expect(withDemo({ consent: undefined })?.debits.ETH.needsPermission).toBe(false)
    const { partners } = loadConfig(environment(''))
    expect(partners.get('demo')?.consent).toBe('implied')
    expect(partners.get('demo-two')?.debits.USDG.needsPermission).toBe(true)
  })

  it('has to be set in production for a partner with a key', () => {
    const keys = { PARTNER_KEYS: JSON.stringify({ demo: { a: SECRET } }) }
    const withConsent = (consent?: string) => withDemo({ consent }, 'production', keys)?.consent
    expect(() => withConsent(undefined)).toThrow(/PARTNERS.*consent/)
    expect(withConsent('required')).toBe('required')
    expect(withConsent('implied')).toBe('implied')
    expect(() => withDemo({ consent: 'optional' })).toThrow(/consent/)
  })
})

it('a former partner in production takes nothing but what was settled with it, and may move nothing', () => {
  const settled = { ETH: '1', USDG: '-2' }
  expect(withPartner({ settled }, 'production')).toMatchObject({
    keys: [],
    requireBodyHash: true,
    debits: { USDG: { hourWei: 0n } },
    limits: { USDG: { transactionWei: 0n, dayWei: 0n } },
    settled: { ETH: 1n, USDG: -2n },
  })
})

describe('partner debits', () => {
  it('are open by default, with an hourly limit equal to the daily credit limit', () => {
    const unset = withDemo({ debits: undefined, maxDebitPerHour: undefined })
    expect(unset?.debits.USDG).toMatchObject({ isOpen: true, hourWei: 100_000_000_000n })
    const set = withDemo({ debits: false, maxDebitPerHour: { ETH: '1', USDG: '2' } })
    expect(set?.debits.USDG).toMatchObject({ isOpen: false, hourWei: 2n })
  })
})

describe('what a partner may owe', () => {
  it('is unlimited unless it is set', () => {
    expect(withDemo({})?.limits.USDG.totalWei).toBeNull()
  })

  it('is held against credits less debits, so what it has been paid reduces it, and what it pays restores it', () => {
    const maxDebt = { ETH: '10', USDG: '20' }
    const settled = { ETH: '3', USDG: '-5' }
    const limits = withDemo({ maxDebt, settled })?.limits
    expect([limits?.ETH.totalWei, limits?.USDG.totalWei]).toEqual([7n, 25n])
  })
})

describe('a partner’s new players', () => {
  it('are limited, to 10,000 a day unless it is set', () => {
    expect(withDemo({})?.newPlayersPerDay).toBe(10_000)
    expect(withDemo({ maxNewPlayersPerDay: 0 })?.newPlayersPerDay).toBe(0)
    expect(() => withDemo({ maxNewPlayersPerDay: -1 })).toThrow(/PARTNERS.*maxNewPlayersPerDay/)
  })
})

describe('what was settled with a partner outside', () => {
  it('is negative if the partner has paid', () => {
    const settled = { ETH: '0', USDG: '-5' }
    expect(withDemo({ settled })?.settled).toEqual({ ETH: 0n, USDG: -5n })
    expect(() => withDemo({ settled: { ...settled, ETH: '-0' } })).toThrow(
      /PARTNERS.*settled.*amount/,
    )
  })
})
