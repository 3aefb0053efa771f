import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const WISH = { partner: 'demo', token: 'USDG' as const, maxPerDayWei: 5n, expiresAt: 9 }

/** What the service was asked to change. */
let changes: string[]
/** Has the wallet answer its prompt. */
let sign: () => void
/** Has the service answer a grant. */
let answer: () => void

async function signedIn() {
  const { session, signIn } = await import('../../../../src/play/session.ts')
  const provider = {
    async request({ method }: { method: string }): Promise<unknown> {
      if (method === 'eth_requestAccounts') return [WALLET]
      if (method === 'eth_chainId') return '0x1'
      if (method !== 'eth_signTypedData_v4') return '0x01'
      return new Promise((resolve) => (sign = () => resolve('0x02')))
    },
  }
  const wallet = { id: 'test', name: 'Test', icon: null, rdns: 'test.wallet', provider }
  await signIn({ kind: 'injected', wallet })
  expect(session.value.credentials?.wallet).toBe(WALLET)
  return import('../../../../src/play/permissions/permissions.ts')
}

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
  changes = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string }) => {
    if (body) changes.push((JSON.parse(body) as { action: string }).action)
    if (path.startsWith('/api/auth/message'))
      return Response.json({ ok: true, message: `Sign in\n${WALLET}`, expiresAt: 2_000_000 })
    if (changes.at(-1) === 'grant' && body)
      await new Promise<void>((resolve) => {
        answer = resolve
      })
    const terms = { domain: { chainId: 1 }, tokens: { USDG: '0x1' }, permissions: [] }
    return Response.json({ ok: true, me: {}, ...terms })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a permission that a wallet has been asked to grant, and has not answered', () => {
  it('does not keep its player from revoking one', async () => {
    const { grantPermission, revokePermission } = await signedIn()
    void grantPermission(WISH)
    await vi.advanceTimersByTimeAsync(0)
    await revokePermission('demo', 'USDG')
    expect(changes).toEqual(['revoke'])
  })

  it('can be cancelled, and is not granted by a later signature', async () => {
    const { grantPermission, cancelGrant, permitting } = await signedIn()
    void grantPermission(WISH)
    await vi.advanceTimersByTimeAsync(0)
    cancelGrant()
    const message = 'Cancelled. Decline the request in your wallet, too.'
    expect(permitting.value).toMatchObject({ granting: null, problem: { message } })
    sign()
    await vi.advanceTimersByTimeAsync(0)
    expect(changes).toEqual([])
    void grantPermission(WISH)
    await vi.advanceTimersByTimeAsync(0)
    sign()
    await vi.advanceTimersByTimeAsync(0)
    expect(changes).toEqual(['grant'])
    answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(permitting.value.granting).toBeNull()
  })
})

it('a permission that is signed is not called cancelled while it is submitted', async () => {
  const { grantPermission, cancelGrant, permitting } = await signedIn()
  void grantPermission(WISH)
  await vi.advanceTimersByTimeAsync(0)
  sign()
  await vi.advanceTimersByTimeAsync(0)
  cancelGrant()
  expect(permitting.value).toMatchObject({ granting: WISH, isSigned: true, problem: null })
  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(permitting.value).toMatchObject({ granting: null, problem: null })
})
