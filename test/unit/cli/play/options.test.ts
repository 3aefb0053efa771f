import { afterEach, describe, expect, it, vi } from 'vitest'
import { readPlayOptions } from '../../../../src/cli/play/options.ts'
import { devPlayer } from '../../../../src/cli/shared/dev-players.ts'

const OWN = `0x${'0a'.repeat(32)}`
const OTHER = `0x${'0b'.repeat(32)}`

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Returns whose key npm run play uses, by its arguments and environment. */
function keyOf(args: string[], environment?: string) {
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'play', ...args])
  vi.stubEnv('PLAYER_PRIVATE_KEY', environment)
  const { key, isOwnKey } = readPlayOptions()
  return { key, isOwnKey }
}

describe('the key of npm run play', () => {
  it("is the first development player's unless another is given", () => {
    expect(keyOf([])).toEqual({ key: devPlayer(0).privateKey, isOwnKey: false })
  })

  it('is taken from the environment', () => {
    expect(keyOf([], OWN)).toEqual({ key: OWN, isOwnKey: true })
  })

  it('is taken from an option rather than the environment', () => {
    expect(keyOf(['--key', OTHER], OWN)).toEqual({ key: OTHER, isOwnKey: true })
    expect(keyOf(['--player', '1'], OWN)).toEqual({
      key: devPlayer(1).privateKey,
      isOwnKey: false,
    })
  })

  it('is refused by the name of its source, without being shown', () => {
    expect(() => keyOf([], '0xBAD')).toThrow(/^PLAYER_PRIVATE_KEY must be 0x and 64 hex digits.$/)
    expect(() => keyOf(['--key', '0xBAD'], OWN)).toThrow(/^--key must be 0x and 64 hex digits.$/)
  })
})

describe('the game of npm run play', () => {
  it('is refused with the names of all games', () => {
    expect(() => keyOf(['--game', 'dice'])).toThrow(
      /^--game must be one of crash, .*, lootbox or box\.$/,
    )
  })

  it('needs params in JSON', () => {
    expect(() => keyOf(['--game', 'mines', '--params', '{mines: 5}'])).toThrow(
      /^--params is not valid JSON\. It must be an object like '\{/,
    )
  })
})
