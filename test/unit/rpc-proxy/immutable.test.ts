import { describe, expect, it } from 'vitest'
import { isImmutable } from '../../../src/rpc-proxy/immutable.ts'

describe('an immutable result', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const holds = (method: string, params: unknown[], result: unknown) =>
    isImmutable({ method, params }, result)

  it('is a block requested by its hash', () => {
    expect(holds('eth_getBlockByHash', [hash, true], { hash })).toBe(true)
    expect(holds('eth_getBlockByHash', [hash.toUpperCase(), true], { hash })).toBe(true)
  })

  it('is not null or a block of another hash', () => {
    expect(holds('eth_getBlockByHash', [hash], null)).toBe(false)
    expect(holds('eth_getTransactionReceipt', [hash], { hash })).toBe(false)
    expect(holds('eth_getBlockByHash', [hash, true], { hash: `0x${'cd'.repeat(32)}` })).toBe(false)
    expect(holds('eth_getBlockByHash', [hash, true], {})).toBe(false)
    expect(holds('eth_getBlockByHash', [null], { hash: null })).toBe(false)
  })

  it.each([
    'eth_getBlockByNumber',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    'eth_getLogs',
    'eth_call',
    'eth_blockNumber',
  ])('is not a result of %s', (method) => {
    expect(holds(method, [hash], { hash })).toBe(false)
    expect(holds(method, [], '0x1')).toBe(false)
  })
})
