import { withCache } from 'viem'
import { afterEach, expect, it, vi } from 'vitest'
import { chainClient, headOf } from '../../../src/chain/client.ts'

afterEach(() => vi.restoreAllMocks())

it('a client that is done leaves nothing behind: there is a new one for each use', async () => {
  const answer = { jsonrpc: '2.0', id: 1, result: '0x10' }
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(answer))
  const client = chainClient('http://chain.test')
  expect(await headOf(client)).toBe(16)
  const cacheKey = `blockNumber.${client.uid}`
  expect(await withCache(async () => 'nothing', { cacheKey })).toBe('nothing')
})
