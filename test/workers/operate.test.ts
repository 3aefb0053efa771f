import { env, exports } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { codeOf, post, useStories } from './support.ts'

useStories()

it('limits an operator’s calls before it reads their bodies', async () => {
  vi.spyOn(env.MONEY_CALLS, 'limit').mockResolvedValue({ success: false })
  expect(codeOf(await post('/api/operate', { act: 'unfreeze' }))).toBe('rate_limited')
  const unread = new Request('https://fairhouse.test/api/operate', {
    method: 'POST',
    body: 'no JSON',
  })
  const answer = await exports.default.fetch(unread)
  expect(answer.status).toBe(429)
})
