import { describe, expect, it } from 'vitest'
import { PARTS } from '../../../../src/health/health.ts'
import { nameOf, PLAIN_NAMES, titleOf } from '../../../../src/play/status/words.ts'

describe('the status of the service', () => {
  it('names each part as players do', () => {
    expect(PARTS.map((name) => PLAIN_NAMES[name] ?? nameOf(name))).toEqual([
      'Crash rounds',
      'Public randomness (drand)',
      'Chain',
      'Withdrawals and prizes',
      'Bankroll',
      'Delivery between parts',
      'Switches of operators',
      'Public log',
      'Daily exports',
      'Books of the house',
      'Count of what is owed',
    ])
    expect(Object.keys(PLAIN_NAMES).filter((name) => !PARTS.some((part) => part === name))).toEqual(
      [],
    )
  })

  it('writes the name of a part that it does not know as words', () => {
    expect(['vaultWatch', 'vault-watch'].map(nameOf)).toEqual(['Vault watch', 'Vault watch'])
  })

  it.each([
    ['up', 'open', 'Everything works'],
    ['up', undefined, 'Everything works'],
    ['degraded', 'open', 'Some parts are degraded'],
    ['up', 'closed', 'Closed for maintenance'],
    ['degraded', 'draining', 'Closed for maintenance'],
  ] as const)('is %s while the site is %s: %s', (status, mode, title) => {
    expect(titleOf({ status, ...(mode && { mode }) })).toBe(title)
  })
})
