import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inBrowser } from '../in-browser.ts'

const PLAYER = `0x${'11'.repeat(20)}`
const POOL = `0x${'5b'.repeat(20)}`
const ADVICE =
  'Your wallet is on another chain. Switch it to chain 1, which you may have to add, then try again.'

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async () => Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' }))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/**
 * Sends with a wallet that is on another chain than the page.
 * @param chains what the wallet names as its chain, one read after another; the last one from then on
 * @param refusal how it refuses to switch
 */
async function sentBy(chains: (string | number)[], refusal?: object) {
  const asked: string[] = []
  const { injectedWallet } = await import('../../../../src/play/wallet/injected.ts')
  const wallet = await injectedWallet({
    async request({ method }) {
      asked.push(method)
      if (method === 'eth_chainId') return chains.length > 1 ? chains.shift() : chains[0]
      if (method === 'wallet_switchEthereumChain' && refusal) throw refusal
      return method === 'eth_requestAccounts' ? [PLAYER] : 'hash'
    },
  })
  const sending = wallet
    .sendTransaction({ to: POOL, data: '0x', value: 5n })
    .catch(({ message }: Error) => message)
  await vi.advanceTimersByTimeAsync(5_000)
  return { outcome: await sending, isAsked: asked.includes('eth_sendTransaction') }
}

describe('a wallet on another chain', () => {
  it('sends once it has switched, even if it says so late', async () => {
    expect(await sentBy(['0x5', '0x5', '0x01'])).toEqual({ outcome: 'hash', isAsked: true })
  })

  it('is asked for no transaction while it stays there, whatever it answers', async () => {
    expect(await sentBy(['0x5'])).toEqual({ outcome: ADVICE, isAsked: false })
  })

  it.each([
    ['does not know the chain', { code: 4902, message: 'Unrecognized chain ID.' }],
    ['reports that as its own fault', { code: -32_603, message: 'Try adding the chain.' }],
    ['cannot switch', { code: 4200, message: 'Not supported.' }],
  ])('says which chain to switch to if it %s', async (_what, refusal) => {
    expect(await sentBy(['0x5'], refusal)).toEqual({ outcome: ADVICE, isAsked: false })
  })

  it('that its player does not let switch sends nothing', async () => {
    const { outcome, isAsked } = await sentBy(['0x5'], { code: 4001, message: 'Rejected.' })
    expect(outcome).toBe('You declined in your wallet. Nothing was sent.')
    expect(isAsked).toBe(false)
  })
})
