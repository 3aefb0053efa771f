import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ENOUGH_IN_WORDS } from '../../../src/certify/limits.ts'

it('the partner’s guide names the limits that the kit is tested with', () => {
  const guide = readFileSync(
    new URL('../../../reference/wallet-bridge.md', import.meta.url),
    'utf8',
  )
  expect(guide.replaceAll(/\s+/g, ' ')).toContain(`enough for a run: ${ENOUGH_IN_WORDS};`)
})
