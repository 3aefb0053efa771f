import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { OPERATORS as DEV_OPERATORS } from '../../../src/api/dev/players.ts'
import { devPlayer } from '../../../src/cli/shared/dev-players.ts'
import { loadConfig } from '../../../src/config/load.ts'

const varsOf = (env?: string) =>
  unstable_readConfig({ config: 'wrangler.toml', ...(env !== undefined && { env }) }).vars
const [local, production] = [varsOf(), varsOf('production')]

const inLocalPlay = (fields: object = {}) => {
  const vars: object = { ...local, ...fields }
  return loadConfig(vars as Env)
}

const SITE = {
  SITE_DOMAIN: 'play.fairhouse.internal',
  SITE_ORIGIN: 'https://play.fairhouse.internal',
}
const inProduction = (fields: object) => {
  const vars: object = { ...production, ...SITE, ...fields }
  return loadConfig(vars as Env)
}

const [ALICE, BOB, CAROL] = ['a1', 'b0', 'ca'].map((digits) => `0x${digits.repeat(20)}`) as [
  string,
  string,
  string,
]

describe('operators', () => {
  it('are, in local play, accounts of the well-known mnemonic, one for each role', () => {
    const roles = DEV_OPERATORS.map(({ address, role }) => [address, role])
    expect([...inLocalPlay().operators]).toEqual(roles)
    for (const [index, { address, privateKey }] of DEV_OPERATORS.entries()) {
      expect({ address, privateKey }).toEqual(devPlayer(10 + index))
    }
  })

  it('are nobody in production, until they are named', () => {
    expect(inProduction({}).operators.size).toBe(0)
  })

  it('may be named in any letter case', () => {
    const OPERATORS = { [ALICE]: 'admin', [BOB]: 'treasurer', [CAROL]: 'viewer' }
    const { operators } = inProduction({ OPERATORS })
    expect([...operators.keys()].map((wallet) => wallet.toLowerCase())).toEqual([ALICE, BOB, CAROL])
    expect([...operators.keys()]).not.toContain(ALICE)
  })

  it.each<[string, object, string]>([
    ['an unknown role', { [ALICE]: 'owner', [BOB]: 'admin' }, 'OPERATORS'],
    ['something else than a wallet', { alice: 'admin', [BOB]: 'admin' }, 'must have a role'],
    [
      'a wallet twice, in two letter cases',
      { [ALICE]: 'admin', [`0x${'A1'.repeat(20)}`]: 'viewer', [BOB]: 'admin' },
      'must have a role',
    ],
    [
      'a single treasurer, whom nobody could confirm',
      { [ALICE]: 'admin', [BOB]: 'support' },
      'two',
    ],
    [
      'a key that everyone knows',
      { [DEV_OPERATORS[0]?.address ?? '']: 'admin', [BOB]: 'admin' },
      'development account',
    ],
  ])('cannot be %s', (_what, OPERATORS, problem) => {
    expect(() => inProduction({ OPERATORS })).toThrow(problem)
  })
})

describe('the site that operators sign in to', () => {
  it('is the players’, unless it has an origin of its own', () => {
    expect(inProduction({}).operatorSite).toMatchObject({
      domain: SITE.SITE_DOMAIN,
      origin: SITE.SITE_ORIGIN,
    })
    const OPERATE_ORIGIN = 'https://operate.fairhouse.internal:8443'
    expect(inProduction({ OPERATE_ORIGIN }).operatorSite).toMatchObject({
      domain: 'operate.fairhouse.internal:8443',
      origin: OPERATE_ORIGIN,
    })
  })

  it('must use https in production', () => {
    const OPERATE_ORIGIN = 'http://operate.fairhouse.internal'
    expect(() => inProduction({ OPERATE_ORIGIN })).toThrow('OPERATE_ORIGIN')
  })
})

describe('Cloudflare Access', () => {
  const ACCESS = { ACCESS_TEAM_DOMAIN: 'https://acme.cloudflareaccess.com', ACCESS_AUD: 'f00d' }

  it('is configured whole or not at all', () => {
    expect(inProduction({}).access).toBeNull()
    expect(inProduction(ACCESS).access).toEqual({
      issuer: ACCESS.ACCESS_TEAM_DOMAIN,
      audience: 'f00d',
    })
    for (const name of ['ACCESS_TEAM_DOMAIN', 'ACCESS_AUD']) {
      expect(() => inProduction({ ...ACCESS, [name]: '' })).toThrow('need each other')
    }
  })

  it.each(['http://acme.cloudflareaccess.com', 'https://acme.cloudflareaccess.com/', 'acme'])(
    'is no team at %s',
    (ACCESS_TEAM_DOMAIN) => {
      expect(() => inProduction({ ...ACCESS, ACCESS_TEAM_DOMAIN })).toThrow('ACCESS_TEAM_DOMAIN')
    },
  )
})
