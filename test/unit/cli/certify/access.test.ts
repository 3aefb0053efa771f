import { afterEach, describe, expect, it, vi } from 'vitest'
import { accessOf } from '../../../../src/cli/certify/access.ts'

const USAGE = 'Usage: …'

afterEach(() => vi.unstubAllEnvs())

describe('npm run certify without options', () => {
  const partner = { id: 'demo', secret: 'demo secret' }

  it('takes the service and the partners of npm run dev', () => {
    const local = { baseUrl: 'http://localhost:8788', partner, other: null!, nextSecret: null }
    const { url, access } = accessOf({}, local, USAGE)
    expect([url.href, access.partner]).toEqual(['http://localhost:8788/', partner])
  })

  it('says that npm run dev is not running, if it is not', () => {
    expect(() => accessOf({}, null, USAGE)).toThrow(
      'npm run dev is not running here (there is no .dev/manifest.json). Start it, or set --url, --partner and CERTIFY_SECRET.',
    )
  })
})

describe('npm run certify at another service', () => {
  const given = { url: 'https://play.fairhouse.test', partner: 'acme' }

  it('takes the key from the environment', () => {
    vi.stubEnv('CERTIFY_SECRET', 'acme secret')
    const { access } = accessOf(given, null, USAGE)
    expect(access.partner).toEqual({ id: 'acme', secret: 'acme secret' })
  })

  it('says that the key is missing, and how to set it', () => {
    expect(() => accessOf(given, null, USAGE)).toThrow(
      "--url, --partner and the partner's key (CERTIFY_SECRET or --secret) must be set together.",
    )
  })
})
