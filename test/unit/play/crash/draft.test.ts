import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inBrowser } from '../in-browser.ts'

let readDraft: typeof import('../../../../src/play/crash/draft.ts').readDraft

beforeEach(async () => {
  inBrowser()
  readDraft = (await import('../../../../src/play/crash/draft.ts')).readDraft
})

afterEach(() => vi.unstubAllGlobals())

describe('a bet as it is typed', () => {
  it('has no auto cash-out unless one is typed', () => {
    expect(readDraft('USDG', '10', '')).toEqual({
      token: 'USDG',
      amountWei: 10_000_000n,
      autoCashout: null,
    })
    expect(readDraft('USDG', '10', '1000')).toMatchObject({ autoCashout: 100_000 })
  })

  it.each(['1', '1.005', '1,000', 'x'])(
    'with %o as its auto cash-out, asks for another',
    (text) => {
      expect(readDraft('USDG', '10', text)).toBe('Correct the auto cash-out')
    },
  )

  it.each(['', '0', '1,000', 'x'])('with %o as its amount, asks for an amount first', (text) => {
    expect(readDraft('USDG', text, '1')).toBe('Enter an amount')
  })
})
