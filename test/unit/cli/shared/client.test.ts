import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client, retryAfter, Unanswered } from '../../../../src/cli/shared/client.ts'

afterEach(() => vi.restoreAllMocks())

describe('a refusal', () => {
  it.each([
    [
      'names the wrong fields',
      'The request is not valid. Correct the fields listed in details.',
      [{ path: 'from', message: 'must be a day as YYYY-MM-DD' }],
      'The request is not valid. from: must be a day as YYYY-MM-DD',
    ],
    [
      'does not repeat details that its message has',
      'It takes the role viewer or one above it.',
      { role: 'viewer' },
      'It takes the role viewer or one above it.',
    ],
    [
      'has the details that its message needs',
      'Bet at most maxAmountWei.',
      { maxAmountWei: '7' },
      'Bet at most maxAmountWei. {"maxAmountWei":"7"}',
    ],
    ['may have details of any kind', 'No.', null, 'No.'],
  ])('%s', async (_what, message, details, text) => {
    const error = { code: 'invalid_request', message, details }
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
      Response.json({ ok: false, error }, { status: 400 }),
    )
    const fault: unknown = await new Client('http://localhost:1').get('/').catch((each) => each)
    expect(fault).toMatchObject({ name: 'ServiceError', message: text })
  })
})

describe('a service that does not answer', () => {
  it.each([
    [
      'http://localhost:8787',
      'http://localhost:8788',
      'npm run dev runs at http://localhost:8788.',
    ],
    ['http://localhost:8788', 'http://localhost:8788', 'Is the service running (npm run dev)?'],
    ['http://localhost:8787', null, 'Is the service running (npm run dev)?'],
    ['https://play.fairhouse.test', 'http://localhost:8788', 'Check the URL and your connection'],
  ])('at %s while npm run dev is at %s: %s', (url, devUrl, remedy) => {
    const { message } = new Unanswered(new URL(url), devUrl)
    expect(message).toContain(`${url} does not answer. ${remedy}`)
  })

  it.each([
    ['http://localhost:8787', 'Is the service running (npm run dev)?'],
    ['https://play.fairhouse.test', 'Check the URL and your connection, or try again later.'],
  ])('at %s: %s', async (url, remedy) => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'))
    await expect(new Client(url).get('/')).rejects.toThrow(`${url} does not answer. ${remedy}`)
  })
})

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
