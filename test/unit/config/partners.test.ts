import { unstable_readConfig } from 'wrangler'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'

const { vars } = unstable_readConfig({ config: 'wrangler.toml' })

function environment(keys: string): Env {
  const everything: object = { ...vars, PARTNER_KEYS: keys }
  return everything as Env
}

const withKeys = (keys: unknown) => loadConfig(environment(JSON.stringify(keys)))

const SECRET = 'x'.repeat(32)

describe('partners’ keys', () => {
  it('are one, or two while they are changed', () => {
    const { partners } = withKeys({ demo: { a: SECRET, b: SECRET.toUpperCase() } })
    expect(partners.get('demo')?.keys).toEqual([
      { kid: 'a', secret: SECRET },
      { kid: 'b', secret: SECRET.toUpperCase() },
    ])
    expect(partners.get('demo-two')?.keys).toEqual([])
  })

  it.each([
    ['three at once', { demo: { a: SECRET, b: SECRET, c: SECRET } }],
    ['one that is too short', { demo: { a: 'x'.repeat(31) } }],
    ['one for nobody', { stranger: { a: SECRET } }],
    ['one for an id with a colon', { 'de:mo': { a: SECRET } }],
  ])('are refused: %s', (_what, keys) => {
    expect(() => withKeys(keys)).toThrow()
  })

  it('are refused where they are not JSON, without saying what they are', () => {
    const broken = environment('hush-hush')
    expect(() => loadConfig(broken)).toThrow(/PARTNER_KEYS/)
    expect(() => loadConfig(broken)).not.toThrow(/hush/)
  })
})
