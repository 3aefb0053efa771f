import { expect, it } from 'vitest'
import { retryAfter } from '../../../../src/cli/shared/client.ts'

it.each([
  ['7', 7],
  ['1000000', 60],
  ['Wed, 21 Oct 2037 07:28:00 GMT', 1],
  ['-5', 1],
  ['', 1],
])('a call with Retry-After %j is repeated after %i s', (header, seconds) => {
  const response = new Response('', { status: 429, headers: { 'retry-after': header } })
  expect(retryAfter(response)).toBe(seconds)
})

it('a call that is not told how long to wait is repeated after a second', () => {
  expect(retryAfter(new Response('', { status: 429 }))).toBe(1)
})
