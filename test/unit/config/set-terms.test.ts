import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { loadConfig } from '../../../src/config/load.ts'
import { parseSetTerms, withTerms } from '../../../src/config/set-terms.ts'

const everything: object = unstable_readConfig({ config: 'wrangler.toml' }).vars
const config = loadConfig(everything as Env)

describe('terms that operators have set', () => {
  it('replace those of the configuration and leave the others', () => {
    const limits = { min: '1', max: '2', maxPayout: '3' }
    const set = withTerms(config, { 'entropy.edgeBps': 250, 'entropy.limits.ETH': limits })
    expect(set.entropy).toEqual({
      edgeBps: 250,
      limits: { ETH: limits, USDG: config.entropy.limits.USDG },
    })
    expect(set.crash).toEqual(config.crash)
    expect(set.origin).toBe(config.origin)
  })

  it('are one configuration for equal terms, whose hash is computed once', () => {
    const first = withTerms(config, { autoplay: false, minPlayMs: 500 })
    expect(withTerms(config, { minPlayMs: 500, autoplay: false })).toBe(first)
    expect(withTerms(config, {})).toBe(config)
  })

  it('can be zero and false', () => {
    const set = withTerms(config, { 'crash.edgeBps': 0, autoplay: false, minPlayMs: 0 })
    expect([set.crash.edgeBps, set.autoplay, set.minPlayMs]).toEqual([0, false, 0])
  })
})

describe('an order for terms', () => {
  it('names what it sets, and null for what holds as configured again', () => {
    const order = { 'crash.edgeBps': 150, 'entropy.edgeBps': null }
    expect(parseSetTerms(JSON.stringify(order), config)).toEqual(order)
  })

  it.each([
    ['{"crash.edgeBps": "150"}', 'crash.edgeBps: must be a whole number from 0 to 5000'],
    ['{"crash.edgeBps": 5001}', 'crash.edgeBps: must be a whole number from 0 to 5000'],
    ['{"crash.edge": 150}', 'unknown: crash.edge. The terms are crash.edgeBps, crash.limits.ETH'],
    [
      '{"entropy.limits.ETH": {"min": "x", "max": "1", "maxPayout": "1"}}',
      'entropy.limits.ETH: min: must be an amount in smallest units',
    ],
    ['{"crash.edgeBps": -1}', 'crash.edgeBps'],
    ['{"minPlayMs": 60001}', 'minPlayMs'],
    ['{"crash.limits.ETH": {"min": "2", "max": "1", "maxPayout": "9"}}', 'crash.limits.ETH'],
    ['{"__proto__": {"crash.edgeBps": 1}}', '__proto__'],
    ['{}', 'at least one'],
    ['[]', 'object'],
    ['{', 'JSON'],
    ['{"crash.edgeBps": 150, "crash.edgeBps": 5000}', 'once'],
  ])('is refused with what is wrong: %s', (text, part) => {
    expect(parseSetTerms(text, config)).toContain(part)
  })

  it.each([
    ['maxRoundPayout', { maxPayout: '1010000', maxRoundPayout: '1010000' }, '126250'],
    ['maxPayout', { maxPayout: '1010000', maxRoundPayout: '1000000000' }, '505000'],
  ])('is refused if its %s leaves an empty table no stake', (_what, payouts, largest) => {
    const limits = { min: '1000000', max: '1000000', ...payouts }
    expect(parseSetTerms(JSON.stringify({ 'crash.limits.USDG': limits }), config)).toBe(
      `crash.limits.USDG: with these limits an empty table accepts at most ${largest}, which is below min. Raise maxPayout and maxRoundPayout, or lower min.`,
    )
    const order = { 'crash.limits.USDG': { ...limits, min: largest } }
    expect(parseSetTerms(JSON.stringify(order), config)).toEqual(order)
  })
})
