import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => {
  vi.stubGlobal('location', { hostname: 'play.test' })
  vi.stubGlobal('localStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
})
afterEach(() => void vi.unstubAllGlobals())

it.each(['play', 'mines-open', 'bet'])(
  'fun chips do not stand for ether in a %s',
  async (action) => {
    const { answerCall } = await import('../../../../src/play/fun/bank.ts')
    const path = action === 'bet' ? '/api/crash' : '/api/entropy'
    const asked = { action, token: 'ETH', amountWei: '10000', params: {} }
    expect(await answerCall('POST', path, asked)).toMatchObject({
      error: { code: 'wallet', message: 'Connect a wallet to bet tokens.' },
    })
  },
)
