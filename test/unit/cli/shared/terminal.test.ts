import { describe, expect, it } from 'vitest'
import { CommandError, durationMs, wholeNumber } from '../../../../src/cli/shared/terminal.ts'

describe('a duration', () => {
  it.each([
    ['60s', 60_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
  ])('of %s is read', (text, ms) => {
    expect(durationMs('--for', text)).toBe(ms)
  })

  it.each(['5', '5 m', '1.5h', '-1s', '1d', 's', '', '1h30m'])('of "%s" is refused', (text) => {
    expect(() => durationMs('--for', text)).toThrow(CommandError)
  })
})

describe('a whole number', () => {
  it('is read within its range', () => {
    expect([wholeNumber('--kills', '1', 1, 9), wholeNumber('--kills', '9', 1, 9)]).toEqual([1, 9])
  })

  it.each(['0', '10', '1.5', '1e0', '0x1', ' 1', '', '-1'])('of "%s" is refused', (text) => {
    expect(() => wholeNumber('--kills', text, 1, 9)).toThrow(
      '--kills must be a whole number from 1 to 9.',
    )
  })
})
