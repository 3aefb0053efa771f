import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { examine } from '../../../../src/cli/doctor/examine.ts'

describe('npm run doctor', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairhouse-doctor-'))
    await copyFile('wrangler.toml', join(folder, 'wrangler.toml'))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await rm(folder, { recursive: true, force: true })
  })

  it('names the setting in each failed check, and says what it must be', async () => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => {
      printed.push(...stripVTControlCharacters(line).split('\n'))
    })
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
