import { afterEach, describe, expect, it, vi } from 'vitest'
import { readVerifyOptions } from '../../../../src/cli/verify/options.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function readWith(...options: string[]) {
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'verify', 'spin.json', ...options])
  return readVerifyOptions()
}

describe('npm run verify of a saved free spin', () => {
  it('takes the times of its calls, and what the first answer said', () => {
    const times = ['--seen-at', '1732190000000', '--asked-at', '2024-11-21T11:53:25Z']
    const first = ['--accepted-at', '1732190005300', '--pepper', '12345678']
    expect(readWith(...times, ...first).seen).toEqual({
      seenAt: 1_732_190_000_000,
      askedAt: 1_732_190_005_000,
      acceptedAt: 1_732_190_005_300,
      pepperSource: { kind: 'drand-quicknet', round: 12_345_678 },
    })
  })

  it('takes the hash of a committed pepper', () => {
    const pepperHash = 'ab'.repeat(32)
    expect(readWith('--pepper', pepperHash).seen).toEqual({ pepperHash })
  })

  it('names the option whose time is invalid', () => {
    expect(() => readWith('--accepted-at', 'noon')).toThrow('--accepted-at must be like')
  })

  it('refuses what only a spin has for another result', () => {
    expect(() => readWith('--round', '7', '--accepted-at', '1732190005300')).toThrow(
      'need the saved answer of a free spin',
    )
    expect(() => readWith('--box', '7', '--pepper', '12345678')).toThrow("the pepper's hash")
  })
})

describe('npm run verify of a box', () => {
  it('takes the tiers that were seen before', () => {
    expect(readWith('--box', '7', '--tiers', '9000:5,1000:20').seen).toEqual({
      tiers: '9000:5,1000:20',
    })
  })

  it.each([
    [['--opening', `0x${'11'.repeat(32)}`], '9000:5'],
    [['--box', '7'], '9000,1000'],
    [['--box', '7'], '9000:5,'],
  ])('refuses for %s the tiers %s', (options, tiers) => {
    expect(() => readWith(...options, '--tiers', tiers)).toThrow('--tiers needs --box ID')
  })
})
