import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import type { Provider } from '../../../../src/play/wallet/wallet.ts'
import type { PublicChain } from '../../../../src/vault/table-config.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CHAIN = {
  vault: `0x${'5b'.repeat(20)}`,
  usdg: `0x${'7c'.repeat(20)}`,
  chainId: 1,
} as PublicChain

/** What the wallet has been asked for. It answers when the test has it answer. */
let prompts: string[]
/** For a wallet that can batch. */
let provider: Provider | undefined
let answer: (text: string) => void
/** The actions that the service was asked for. */
let actions: string[]

function ask(prompt: string): Promise<string> {
  prompts.push(prompt)
  return new Promise((resolve) => (answer = resolve))
}

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
  prompts = []
  provider = undefined
  actions = []
  vi.doMock('../../../../src/play/session.ts', async (load) => ({
    ...(await load<object>()),
    wallet: async () => ({ address: WALLET, provider, signTypedData: () => ask('sign') }),
  }))
  vi.doMock('../../../../src/play/wallet/send.ts', () => ({ send: () => ask('send') }))
  vi.doMock('../../../../src/play/cashier/approval.ts', () => ({
    usdgDepositCall: () => ask('approve'),
  }))
  vi.stubGlobal('fetch', async (path: string, init: { method?: string; body?: string }) => {
    if (path.startsWith('/api/rpc')) return Response.json({ result: null })
    if (init.method === 'POST') actions.push((JSON.parse(init.body ?? '') as Post).action)
    return Response.json({ ok: true, me: { nonce: 3 }, entries: [], next: null })
  })
})

interface Post {
  action: string
}

afterEach(() => {
  vi.doUnmock('../../../../src/play/session.ts')
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function signedIn() {
  const { session } = await import('../../../../src/play/session.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  session.patch({ player: session.value.credentials })
  return {
    ...(await import('../../../../src/play/cashier/deposit.ts')),
    ...(await import('../../../../src/play/cashier/withdraw.ts')),
  }
}

it('a deposit that is cancelled while it is approved is not sent', async () => {
  const { startDeposit, depositJob, depositing } = await signedIn()
  void startDeposit(CHAIN, 'USDG', 5n, 0)
  await vi.advanceTimersByTimeAsync(0)
  depositJob(CHAIN).cancel()
  answer('0x')
  await vi.advanceTimersByTimeAsync(0)
  expect(prompts).toEqual(['approve'])
  expect(depositing.value.step).toBe('idle')
})

it('a batch that is cancelled while the wallet changes its chain is not asked for, nor kept', async () => {
  provider = {
    async request({ method }) {
      if (method === 'wallet_getCapabilities') return { '0x1': { atomic: { status: 'supported' } } }
      if (method !== 'eth_chainId') return ask(method)
      return prompts.includes('wallet_switchEthereumChain') ? '0x1' : '0x5'
    },
  }
  const { startDeposit, depositJob, depositing } = await signedIn()
  void startDeposit(CHAIN, 'USDG', 5n, 0)
  await vi.advanceTimersByTimeAsync(0)
  depositJob(CHAIN).cancel()
  await depositJob(CHAIN).resume()
  expect(depositing.value.step).toBe('idle')
  answer('')
  await vi.advanceTimersByTimeAsync(0)
  expect(prompts).toEqual(['wallet_switchEthereumChain'])
  expect(depositing.value.step).toBe('idle')
})

it('a deposit that the wallet sends although it is cancelled is shown, not made again', async () => {
  const { startDeposit, depositJob, depositing } = await signedIn()
  void startDeposit(CHAIN, 'ETH', 5n, 0)
  await vi.advanceTimersByTimeAsync(0)
  depositJob(CHAIN).cancel()
  answer('0xab')
  await vi.advanceTimersByTimeAsync(0)
  expect(depositing.value).toMatchObject({ step: 'sent', ticket: { hash: '0xab' } })
  expect(prompts).toEqual(['send'])
})

it('a player who has excluded themselves, on whatever device, is asked for no deposit', async () => {
  const { startDeposit, depositing } = await signedIn()
  const told = { ok: true, excluded: true, me: { nonce: 3 }, entries: [], next: null }
  vi.stubGlobal('fetch', async () => Response.json(told))
  void startDeposit(CHAIN, 'ETH', 5n, 0)
  await vi.advanceTimersByTimeAsync(0)
  expect(prompts).toEqual([])
  expect(depositing.value.problem?.message).toContain('You have excluded yourself from play.')
})

it('a player whose limits cannot be read is asked for no deposit', async () => {
  const { startDeposit, depositing } = await signedIn()
  const others = { ok: true, me: { nonce: 3 }, entries: [], next: null }
  vi.stubGlobal('fetch', async (path: string) =>
    Response.json(path.startsWith('/api/limits') ? fail('internal', 'Later.') : others),
  )
  void startDeposit(CHAIN, 'ETH', 5n, 0)
  await vi.advanceTimersByTimeAsync(0)
  expect(prompts).toEqual([])
  expect(depositing.value).toMatchObject({ step: 'idle', problem: { message: 'Later.' } })
})

it('a withdrawal that is signed after it was cancelled is not submitted, then or later', async () => {
  const { startWithdrawal, withdrawalJob, withdrawing } = await signedIn()
  void startWithdrawal(CHAIN, 'ETH', 5n)
  await vi.advanceTimersByTimeAsync(0)
  withdrawalJob(CHAIN).cancel()
  answer('0x')
  await vi.advanceTimersByTimeAsync(0)
  await withdrawalJob(CHAIN).resume()
  expect(actions).toEqual([])
  expect(withdrawing.value.step).toBe('idle')
})
