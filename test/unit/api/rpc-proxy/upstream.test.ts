import { expect, it, vi } from 'vitest'
import { Allowance } from '../../../../src/api/rpc-proxy/allowance.ts'
import { askUpstream } from '../../../../src/api/rpc-proxy/upstream.ts'

it.each([
  ['us%20er:pa%3Ass', 'us er:pa:ss'],
  [':key', ':key'],
  ['key', 'key:'],
])(
  'asks an upstream whose URL has the credentials %s, which it sends as a header',
  async (written, sent) => {
    const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) =>
      // As the runtime does: it takes no credentials in a URL.
      Response.json(new Request(...request).url && { jsonrpc: '2.0', id: 1, result: '0x5' }),
    )
    const upstream = `https://${written}@named.test/v2/`
    const limits = { signal: AbortSignal.timeout(1_000), allowance: new Allowance() }
    const call = { method: 'eth_blockNumber', paramsJson: '[]' }
    expect(await askUpstream(upstream, call, limits)).toEqual({ result: '0x5' })
    const [url, init] = fetching.mock.calls.at(-1)!
    expect(url).toBe('https://named.test/v2/')
    expect(init?.headers).toMatchObject({ authorization: `Basic ${btoa(sent)}` })
  },
)
