import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/rpc-proxy/rpc-error.ts'

describe('an upstream’s error message', () => {
  const upstream = 'https://user:password1@node.test:8545/v2/abcdef123456?apikey=qwertyuiop'
  const clean = (message: string) => redact({ code: 1, message }, upstream).message

  it.each([
    upstream,
    'https://elsewhere.test/x',
    'wss://node.test/v2/abcdef123456',
    'see https://node.test:8545/v2/abcdef123456, please',
    'dial tcp node.test:8545: refused',
    'lookup node.test: no such host',
    'key abcdef123456 has exceeded its limit',
    'apikey=qwertyuiop',
    `bad authorization: Basic ${btoa('user:password1')}`,
  ])('does not reveal its URL: %s', (message) => {
    expect(clean(message)).not.toMatch(
      /:\/\/|node\.test|abcdef123456|qwertyuiop|password1|dXNlcjpw/,
    )
    expect(clean(message)).toContain('[removed]')
  })

  it.each(['execution reverted: Ownable: caller is not the owner', 'nonce too low: v2, v3'])(
    'is otherwise forwarded unchanged: %s',
    (message) => {
      expect(clean(message)).toBe(message)
    },
  )

  it('is searched for URLs whose scheme has at most 31 characters, so that a long word takes no longer', () => {
    expect(clean(`${'a'.repeat(100)}://elsewhere.test/x`)).toBe(`${'a'.repeat(69)}[removed]`)
  })

  it('is replaced if it has more than 8,192 characters, and its revert data is kept', () => {
    const told = (length: number) =>
      redact({ code: 3, message: 'x'.repeat(length), data: '0x08c379a0' }, upstream)
    expect(told(8_192).message).toBe('x'.repeat(8_192))
    expect(told(8_193)).toEqual({
      code: 3,
      message: 'The error message is too long to be shown.',
      data: '0x08c379a0',
    })
  })

  it('includes a contract’s revert data, and no other data', () => {
    const told = (data: unknown) => redact({ code: 3, message: 'no', data }, upstream)
    expect(told('0x08c379a0')).toEqual({ code: 3, message: 'no', data: '0x08c379a0' })
    for (const data of ['abcdef123456', { url: upstream }, [1], null]) {
      expect(told(data)).toEqual({ code: 3, message: 'no' })
    }
  })
})
