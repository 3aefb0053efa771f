import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { examine } from '../../../../src/cli/doctor/examine.ts'
import { RECEIPT_KEYS } from '../../../shared/receipt-keys.ts'
import { BEACON_1000 } from '../../support/vectors.ts'

describe('npm run doctor', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairhouse-doctor-'))
    await copyFile('wrangler.toml', join(folder, 'wrangler.toml'))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  /** Returns the lines that will be printed. */
  function printedLines(): string[] {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => {
      printed.push(...stripVTControlCharacters(line).split('\n'))
    })
    return printed
  }

  /** Has each drand relay answer, or not. */
  async function useRelays(relays: Record<string, Response | null>): Promise<void> {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      const { origin } = new URL(input as string)
      const answer = relays[origin]
      if (answer) return answer.clone()
      throw new TypeError('fetch failed')
    })
    const toml = await readFile('wrangler.toml', 'utf8')
    const changed = toml
      .replace('CRASH_PEPPER = "committed"', 'CRASH_PEPPER = "drand-quicknet"')
      .replace(/^DRAND_RELAYS = .*$/m, `DRAND_RELAYS = ${JSON.stringify(Object.keys(relays))}`)
    await writeFile(join(folder, 'wrangler.toml'), changed)
  }

  it.each([
    [0, 'All checks passed.'],
    [1, 'All checks passed, with 1 warning.'],
    [2, 'All checks passed, with 2 warnings.'],
  ])('ends by counting its warnings: %i', async (warnings, verdict) => {
    const { signature } = BEACON_1000
    const silent = Array.from({ length: warnings }, (_, index) => [`https://${index}.test`, null])
    const relays = Object.fromEntries(silent) as Record<string, null>
    await useRelays({ ...relays, 'https://right.test': Response.json({ signature }) })
    const printed = printedLines()
    expect(await examine(join(folder, 'wrangler.toml'), undefined)).toBe(true)
    expect(printed.at(-1)).toBe(verdict)
  })

  it('asks nobody if only the settings are to be checked, as before secrets are set', async () => {
    await useRelays({ 'https://silent.test': null })
    const printed = printedLines()
    expect(await examine(join(folder, 'wrangler.toml'), undefined, 'settings')).toBe(true)
    expect(printed.at(-1)).toBe('All checks passed.')
    const keys = '{"keys": [{"exp": 1764547200000}]}'
    await writeFile(join(folder, '.dev.vars'), `RECEIPT_KEYS='${keys}'\n`)
    // The file is what is set.
    vi.stubEnv('RECEIPT_KEYS', JSON.stringify(RECEIPT_KEYS))
    expect(await examine(join(folder, 'wrangler.toml'), undefined, 'settings')).toBe(false)
    expect(printed).toContain('  ✗ the service starts with this RECEIPT_KEYS')
  })

  it('names the setting in each failed check, and says what it must be', async () => {
    const printed = printedLines()
    await writeFile(join(folder, '.dev.vars'), "LOG_KEY='abc'\nRPC_UPSTREAMS='{'\n")
    expect(await examine(join(folder, 'wrangler.toml'), undefined)).toBe(false)
    const from = printed.indexOf('Configuration')
    expect(printed.slice(from + 1)).toEqual([
      expect.stringMatching(/✗ .* this LOG_KEY$/),
      '    LOG_KEY: must be the first line that `npm run --silent log-key -- <SITE_ORIGIN>` prints',
      expect.stringMatching(/✗ .* this RPC_UPSTREAMS$/),
      expect.stringContaining('    RPC_UPSTREAMS: must be the nodes of each chain id'),
      '',
      expect.stringContaining('Failed checks: 2.'),
    ])
  })
})
