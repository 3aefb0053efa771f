import { describe, expect, it } from 'vitest'
import { needsBeacon } from '../../../../src/cli/shared/local-site.ts'

describe('a source of results', () => {
  it.each([
    'https://house.test',
    'http://192.168.1.2:8787',
    'https://localhost.house.test/api/crash',
  ])('must take its peppers from a beacon if it is a site: %s', (source) =>
    expect(needsBeacon(source)).toBe(true),
  )

  it.each(['http://localhost:8787', 'http://127.0.0.1:8787/', 'http://[::1]:8787', 'round.json'])(
    'may have committed peppers in local play: %s',
    (source) => expect(needsBeacon(source)).toBe(false),
  )
})
