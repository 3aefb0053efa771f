import { afterEach, expect, it, vi } from 'vitest'
import type { PublicChain } from '../../../../src/vault/terms.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CHAIN = { vault: `0x${'5b'.repeat(20)}`, confirmations: 12 } as PublicChain
const DEPOSIT = {
  hash: '0xab',
  token: 'ETH' as const,
  amountWei: '5',
  creditWei: '5',
  chipsWei: '0',
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('a deposit that a reorganisation removes permanently frees the form after three minutes', async () => {
  inBrowser()
  vi.useFakeTimers()
  let receipt: object | null = { status: '0x1', blockNumber: '0x5' }
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    const { method } = JSON.parse(body) as { method: string }
    return Response.json({ result: method === 'eth_blockNumber' ? '0x6' : receipt })
  })
  const { session } = await import('../../../../src/play/session.ts')
  const { depositJob, depositing } = await import('../../../../src/play/cashier/deposit.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  void depositJob(CHAIN).follow(DEPOSIT)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(depositing.value).toMatchObject({ step: 'confirming', news: 2 })
  receipt = null
  await vi.advanceTimersByTimeAsync(170_000)
  expect(depositing.value.step).toBe('confirming')
  await vi.advanceTimersByTimeAsync(15_000)
  expect(depositing.value).toMatchObject({ step: 'idle', ticket: null })
  expect(depositing.value.problem?.message).toContain('not in a block')
})
