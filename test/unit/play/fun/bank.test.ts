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

it('nothing is played with fun chips where the terms rule them out', async () => {
  const terms = { hash: '', autoplay: true, funChips: false, minPlayMs: 0 }
  const answers = { ok: true, edgeBps: 100, terms, config: { terms } }
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(answers)))
  const { answerCall } = await import('../../../../src/play/fun/bank.ts')
  const params = { target: 2 }
  const play = {
    action: 'play',
    game: 'limbo',
    params,
    amountWei: '10000',
    clientSeed: 'a',
    nonce: 0,
  }
  for (const [method, path, asked] of [
    ['GET', '/api/entropy', {}],
    ['POST', '/api/entropy', play],
    ['GET', '/api/crash', {}],
  ] as const) {
    expect(await answerCall(method, path, asked)).toMatchObject({
      error: { message: expect.stringMatching(/^This site no longer offers fun chips/) },
    })
  }
})
