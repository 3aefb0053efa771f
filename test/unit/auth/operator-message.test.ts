import { describe, expect, it } from 'vitest'
import { signInMessage } from '../../../src/auth/message.ts'
import {
  isOperatorMessageValid,
  OPERATOR_SIGN_IN_MS,
  operatorMessage,
} from '../../../src/auth/operator-message.ts'
import { dayAt } from '../../../src/core/utc-day.ts'

const SITE = { domain: 'operate.example', origin: 'https://operate.example', chainId: 8453 }
const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const AT = Date.UTC(2024, 9, 4, 12, 30)

describe('an operator’s message', () => {
  it('is this text, line by line', () => {
    expect(operatorMessage(SITE, WALLET, AT)).toBe(
      `operate.example wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Lets you see how this site is run, for 15 minutes. It orders nothing.

URI: https://operate.example/operate
Version: 1
Chain ID: 8453
Nonce: operate1728045000000
Issued At: 2024-10-04T12:30:00.000Z
Expiration Time: 2024-10-04T12:45:00.000Z`,
    )
  })

  it('is never a player’s, even on the same domain', () => {
    const midnight = dayAt(AT) * 86_400_000
    expect(operatorMessage(SITE, WALLET, midnight)).not.toBe(signInMessage(SITE, WALLET, dayAt(AT)))
  })

  it.each([
    ['at once', 0, true],
    ['a millisecond before it expires', OPERATOR_SIGN_IN_MS - 1, true],
    ['when it expires', OPERATOR_SIGN_IN_MS, false],
    ['by a clock that is five seconds behind', -5_000, true],
    ['by a clock that is further behind: it may have been issued for later', -5_001, false],
  ])('%s: after %i ms, valid is %s', (_when, afterMs, isValid) => {
    expect(isOperatorMessageValid(AT, AT + afterMs)).toBe(isValid)
  })
})
