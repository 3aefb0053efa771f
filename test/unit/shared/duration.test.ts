import { describe, expect, it } from 'vitest'
import { CommandError } from '../../../src/cli/shared/terminal.ts'
import { durationMs } from '../../shared/duration.ts'

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
