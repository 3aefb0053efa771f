import { describe, expect, it } from 'vitest'
import { messageExpiresAt, signInMessage } from '../../../src/auth/message.ts'
import { dayAt } from '../../../src/core/utc-day.ts'

const SITE = { domain: 'play.example', origin: 'https://play.example', chainId: 8453 }
const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** 4 October 2024, the 20,000th day. */
const DAY = 20_000
const MIDNIGHT = Date.UTC(2024, 9, 4)

describe('the message for a day', () => {
  it('is the published text, line by line', () => {
    expect(signInMessage(SITE, WALLET, DAY)).toBe(
      `play.example wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Lets this site place bets with your chips for up to 48 hours. It cannot withdraw.

URI: https://play.example
Version: 1
Chain ID: 8453
Nonce: day00020000
Issued At: 2024-10-04T00:00:00.000Z
Expiration Time: 2024-10-06T00:00:00.000Z`,
    )
  })

  it.each([
    [0, 'day00000000'],
    [9, 'day00000009'],
    [12_345_678, 'day12345678'],
  ])('has the number of day %i in eight digits', (window, nonce) => {
    expect(signInMessage(SITE, WALLET, window)).toContain(`\nNonce: ${nonce}\n`)
  })
})

describe('the day of a given time', () => {
  it.each([
    ['a millisecond before midnight', MIDNIGHT - 1, DAY - 1],
    ['at midnight, UTC', MIDNIGHT, DAY],
    ['in the last millisecond of the day', MIDNIGHT + 86_399_999, DAY],
    ['at the next midnight', MIDNIGHT + 86_400_000, DAY + 1],
  ])('%s', (_when, now, window) => {
    expect(dayAt(now)).toBe(window)
  })

  it('expires at the end of the following day', () => {
    expect(messageExpiresAt(DAY)).toBe(MIDNIGHT + 2 * 86_400_000)
    expect(dayAt(messageExpiresAt(DAY) - 1)).toBe(DAY + 1)
    expect(dayAt(messageExpiresAt(DAY))).toBe(DAY + 2)
  })
})
