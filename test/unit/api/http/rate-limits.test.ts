import { describe, expect, it } from 'vitest'
import { clientAddress, clientNetwork } from '../../../../src/api/http/rate-limits.ts'

const from = (address: string) =>
  new Request('https://fairhouse.test', { headers: { 'cf-connecting-ip': address } })

describe('the client that a call counts against', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
    ['2001:db8:1:2::1', '2001:db8:1:2', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0:0', '2001:db8:0'],
    ['::1', ':0:0:0', ':0:0'],
  ])('%s is the address %s of the network %s', (address, client, network) => {
    expect(clientAddress(from(address))).toBe(client)
    expect(clientNetwork(from(address))).toBe(network)
  })
})
