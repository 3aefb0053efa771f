import { afterEach, describe, expect, it, vi } from 'vitest'
import { siteChecks } from '../../../../src/cli/doctor/site-checks.ts'
import type { Config, VaultConfig } from '../../../../src/config/config.ts'

const [VAULT, OTHER] = ['0x', '0x'].map((prefix, index) => `${prefix}${`a${index}`.repeat(20)}`)

/** Returns what the doctor says of a deployment over a running site. */
async function problems(
  vault: Partial<VaultConfig> | null,
  { environment = 'production' }: Partial<Config> = {},
): Promise<string[]> {
  const config = { environment, origin: 'https://play.fairhouse.test', vault }
  const checks = await siteChecks(config as Partial<Config> as Config)
  return checks.flatMap(({ problem }) => problem ?? [])
}

const runs = (answer: () => Response) => vi.stubGlobal('fetch', async () => answer())
const runsWith = (chain: object | null) => runs(() => Response.json({ config: { chain } }))
const vaultAt = (address: string | undefined, chainId = 1) =>
  ({ chainId, address }) as Partial<VaultConfig>

describe('the check of the running site', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('refuses another vault, which would not hold the players’ deposits', async () => {
    runsWith({ chainId: 1, vault: VAULT })
    expect(await problems(vaultAt(VAULT))).toEqual([])
    const refused = [expect.stringContaining(`runs with the vault ${VAULT} on chain 1`)]
    expect(await problems(vaultAt(OTHER))).toEqual(refused)
    expect(await problems(vaultAt(VAULT, 5))).toEqual(refused)
    expect(await problems(null)).toEqual(refused)
  })

  it('lets a site begin with a vault', async () => {
    runsWith(null)
    expect(await problems(vaultAt(VAULT))).toEqual([])
    runs(() => new Response('Not Found', { status: 404 }))
    expect(await problems(vaultAt(VAULT))).toEqual([])
    runs(() => {
      throw new TypeError('fetch failed')
    })
    expect(await problems(vaultAt(VAULT))).toEqual([])
  })

  it('asks nobody in local play', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    expect(await problems(vaultAt(OTHER), { environment: 'local' })).toEqual([])
    expect(fetched).not.toHaveBeenCalled()
  })
})
