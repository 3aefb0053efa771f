import { describe, expect, it } from 'vitest'
import { corsHeaders } from '../../../../src/api/rpc-proxy/cors.ts'

describe('the origins allowed to read an answer', () => {
  const rules = { origins: ['https://partner.test'], siteOrigin: 'https://play.test' }

  it.each([
    ['https://partner.test', 'https://partner.test'],
    ['https://play.test', 'https://play.test'],
    ['https://evil.test', 'https://play.test'],
    ['https://partner.test.evil.test', 'https://play.test'],
    ['http://partner.test', 'https://play.test'],
    ['null', 'https://play.test'],
    [null, 'https://play.test'],
  ])('%s: %s', (origin, allowed) => {
    expect(corsHeaders(origin, rules)).toEqual({
      'access-control-allow-origin': allowed,
      vary: 'Origin',
    })
  })
})
