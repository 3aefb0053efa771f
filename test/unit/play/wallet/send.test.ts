import { beforeEach, describe, expect, it, vi } from 'vitest'
import { inBrowser } from '../in-browser.ts'

const PLAYER = `0x${'11'.repeat(20)}`
const POOL = `0x${'5b'.repeat(20)}`
const SIGNED_BY_KEY = `0x${'ab'.repeat(65)}`

/** Pays 5 wei from an account with this code and sign-in. Returns what the wallet was asked to send. */
async function paidFrom(code: string, authSig = SIGNED_BY_KEY) {
  const sendTransaction = vi.fn(async (_transaction: unknown) => 'hash')
  const session = { value: { credentials: { wallet: PLAYER, authSig } } }
  const wallet = async () => ({ address: PLAYER, sendTransaction })
  vi.doMock('../../../../src/play/session.ts', () => ({ session, wallet }))
  vi.stubGlobal('fetch', async (_path: string, { body }: RequestInit) => {
    const { method } = JSON.parse(body as string) as { method: string }
    return Response.json({
      jsonrpc: '2.0',
      id: 1,
      result: method === 'eth_getCode' ? code : '0x64',
    })
  })
  const { pay } = await import('../../../../src/play/wallet/send.ts')
  const outcome = await pay(POOL, 5n).catch(({ message }: Error) => message)
  return { outcome, sent: sendTransaction.mock.calls.map(([transaction]) => transaction) }
}

describe('a payment to the house', () => {
  beforeEach(() => void inBrowser())

  it.each([
    ['an account of a key', '0x'],
    ['an account that delegates to code and keeps its key', `0xef0100${'22'.repeat(20)}`],
  ])('is a plain transfer of %s', async (_what, code) => {
    const { outcome, sent } = await paidFrom(code)
    expect(outcome).toBe('hash')
    expect(sent).toEqual([{ to: POOL, data: '0x', value: 5n }])
  })

  it.each([
    ['a contract', '0x6001', SIGNED_BY_KEY],
    ['a contract that is not deployed yet', '0x', `0x${'ab'.repeat(200)}`],
  ])('is not asked of %s, whose transfers would not count', async (_what, code, authSig) => {
    const { outcome, sent } = await paidFrom(code, authSig)
    expect(outcome).toContain('A smart wallet can’t pay here')
    expect(sent).toEqual([])
  })
})

it('a transaction that is cancelled while the wallet changes its chain is not asked for', async () => {
  inBrowser()
  vi.stubGlobal('fetch', async () => Response.json({ jsonrpc: '2.0', id: 1, result: '0x1' }))
  const { injectedWallet } = await import('../../../../src/play/wallet/injected.ts')
  const asked: string[] = []
  const wallet = await injectedWallet({
    async request({ method }) {
      asked.push(method)
      if (method !== 'eth_chainId') return [PLAYER]
      return asked.includes('wallet_switchEthereumChain') ? '0x1' : '0x5'
    },
  })
  const cancelled = () => {
    throw new Error('Cancelled.')
  }
  const sent = wallet.sendTransaction({ to: POOL, data: '0x', value: 5n }, cancelled)
  await expect(sent).rejects.toThrow('Cancelled.')
  expect(asked).toContain('wallet_switchEthereumChain')
  expect(asked).not.toContain('eth_sendTransaction')
})
