import { createHash, createHmac } from 'node:crypto'
import { encodeAbiParameters, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { GAME_NAMES, specOf } from '../../../../src/games/games.ts'
import { exampleOf, exampleSelection } from '../../../../src/play/help/examples.ts'
import { rulesOf } from '../../../../src/play/help/texts.ts'

/** The steps of an example by the first words of their names. */
function stepsOf(game: string): (name: string) => string {
  const steps = exampleOf(game)
  return (name) => {
    const step = steps.find((each) => each.name.startsWith(name))
    if (!step) throw new Error(`${game} has no step "${name}"`)
    return step.value
  }
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const sha256 = (hex: string) => createHash('sha256').update(bytes(hex)).digest('hex')
const hmac = (key: string | Buffer, message: string) =>
  createHmac('sha256', key).update(message).digest('hex')
const first52 = (hex: string) => BigInt(`0x${hex.slice(0, 13)}`)

const CUMULATIVE = [6_000, 8_500, 9_500, 10_000]
const tierOf = (value: number) => `Tier ${CUMULATIVE.findIndex((sum) => value < sum) + 1} of 4`

describe('an example of the help, recomputed without the service’s rules,', () => {
  it('is right for crash', () => {
    const step = stepsOf('crash')
    const seed = step('The house’s seed')
    const digest = hmac(bytes(seed), `crash:42:${step('Pepper')}`)
    const r = first52(digest)
    const hundredths = (9_900n * 2n ** 52n) / ((2n ** 52n - r) * 100n)
    expect(step('SHA-256')).toBe(sha256(seed))
    expect(step('HMAC')).toBe(digest)
    expect(step('First 52')).toBe(String(r))
    expect(step('max')).toBe(`${(Number(hundredths) / 100).toFixed(2)}x`)
    expect(step('max')).toBe('1.34x')
  })

  it.each(GAME_NAMES)('hashes the seeds of %s', (game) => {
    const step = stepsOf(game)
    const seed = step('The house’s seed')
    expect(step('SHA-256')).toBe(sha256(seed))
    expect(step('HMAC')).toBe(hmac(seed, `${step('Your client seed')}:1:0`))
  })

  it('is right for limbo', () => {
    const step = stepsOf('limbo')
    const r = first52(step('HMAC'))
    const hundredths = (9_900n * 2n ** 52n) / ((r + 1n) * 100n)
    expect(step('Its first 52 bits')).toBe(String(r))
    expect(step('max')).toBe(`${(Number(hundredths) / 100).toFixed(2)}x`)
  })

  it('is right for mines', () => {
    const step = stepsOf('mines')
    const block = bytes(step('HMAC'))
    const left = Array.from({ length: 25 }, (_, tile) => tile)
    const mines = [0, 4, 8].map((at) => {
      const index = Math.floor((block.readUInt32BE(at) / 2 ** 32) * left.length)
      return left.splice(index, 1)[0]
    })
    expect(step('Each takes')).toBe(mines.join(', '))
  })

  it('is right for plinko', () => {
    const step = stepsOf('plinko')
    const seed = step('The house’s seed')
    const blocks = [0, 1].map((c) => hmac(seed, `${step('Your client seed')}:1:${c}`)).join('')
    const path = Array.from({ length: 16 }, (_, row) =>
      bytes(blocks).readUInt32BE(row * 4) >= 2 ** 31 ? 'R' : 'L',
    )
    const bucket = path.filter((turn) => turn === 'R').length
    expect(step('Right from')).toBe(`${path.join('')}, bucket ${bucket}`)
  })

  it('is right for the lootbox', () => {
    const step = stepsOf('lootbox')
    const digest = hmac(bytes(step('Seed of the day')), step('Your payment'))
    const scaled = (Number(first52(digest)) / 2 ** 52) * 10_000
    expect(step('HMAC')).toBe(digest)
    expect(step('Roll, scaled')).toBe(scaled.toFixed(4))
    expect(step('First tier')).toBe(tierOf(scaled))
  })

  it('is right for boxes', () => {
    const step = stepsOf('boxes')
    const words = [{ type: 'uint256' }, { type: 'bytes32' }] as const
    const pepper = `0x${step('Pepper')}` as const
    const hash = keccak256(encodeAbiParameters(words, [BigInt(step('Box id')), pepper]))
    const remainder = Number(BigInt(hash) % 10_000n)
    expect(step('SHA-256')).toBe(sha256(step('Pepper')))
    expect(step('keccak256')).toBe(hash.slice(2))
    expect(step('The hash modulo')).toBe(String(remainder))
    expect(step('First tier')).toBe(tierOf(remainder))
  })
})

it.each(GAME_NAMES)('the example of %s has choices that its rule takes', (game) => {
  const { params } = exampleSelection(game)
  const spec = specOf(game)
  expect(spec.problem?.(params as never) ?? null).toBeNull()
  const { numerator, denominator } = spec.returns(params as never, { edgeBps: 100, tables: 1 })
  expect(Number(numerator) / Number(denominator)).toBeCloseTo(0.99, 2)
})

it.each(['crash', ...GAME_NAMES, 'lootbox', 'boxes'])('the rules of %s are written', (game) => {
  expect(rulesOf(game).length).toBeGreaterThan(0)
  expect(rulesOf(game).every((text) => text.endsWith('.'))).toBe(true)
})
