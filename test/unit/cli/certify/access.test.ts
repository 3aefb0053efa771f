import { afterEach, describe, expect, it, vi } from 'vitest'
import { accessOf } from '../../../../src/cli/certify/access.ts'
import * as manifest from '../../../../src/cli/shared/manifest.ts'

vi.mock('../../../../src/cli/shared/manifest.ts', { spy: true })

afterEach(() => vi.unstubAllEnvs())

describe('npm run certify without options', () => {
  const partner = { id: 'demo', secret: 'demo secret' }

  it('takes the service and the partners of npm run dev', async () => {
    const local = { partner, other: null!, nextSecret: null }
    const baseUrl = 'http://localhost:8788'
    vi.mocked(manifest.findPartners).mockResolvedValueOnce({ baseUrl, ...local })
    const { url, access } = await accessOf({}, 'Usage: …')
    expect([url.href, access.partner]).toEqual(['http://localhost:8788/', partner])
  })

  it('says that npm run dev is not running, if it is not', async () => {
    vi.mocked(manifest.findPartners).mockResolvedValueOnce(null)
    await expect(accessOf({}, 'Usage: …')).rejects.toThrow(
      'npm run dev is not running here (there is no .dev/manifest.json). Start it, or set --url, --partner and CERTIFY_SECRET.',
    )
  })
})

describe('npm run certify at another service', () => {
  const given = { url: 'https://play.fairhouse.test', partner: 'acme' }

  it('takes the key from the environment', async () => {
    vi.stubEnv('CERTIFY_SECRET', 'acme secret')
    const { access } = await accessOf(given, 'Usage: …')
    expect(access.partner).toEqual({ id: 'acme', secret: 'acme secret' })
  })

  it('says that the key is missing, and how to set it', async () => {
    await expect(accessOf(given, 'Usage: …')).rejects.toMatchObject({
      name: 'UsageError',
      usage: 'Usage: …',
      message:
        "--url, --partner and the partner's key (CERTIFY_SECRET or --secret) must be set together.",
    })
  })
})
