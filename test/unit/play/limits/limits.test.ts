import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fail } from '../../../../src/play/api.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

beforeEach(() => void inBrowser())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const protection = (excluded: boolean) => Response.json({ ok: true, excluded, limits: [] })

/** The page's limits of a player, and the answers that its reads wait for. */
async function limitsOf() {
  const reads: ((answer: Response) => void)[] = []
  vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) =>
    method === 'POST' ? protection(true) : new Promise<Response>((resolve) => reads.push(resolve)),
  )
  const { session } = await import('../../../../src/play/session.ts')
  session.patch({ credentials: { wallet: WALLET, authSig: '0x' } })
  return { reads, session, ...(await import('../../../../src/play/limits/limits.ts')) }
}

it('a read that began before an exclusion does not hide it', async () => {
  const { reads, protecting, readProtection, changeProtection } = await limitsOf()
  const read = readProtection()
  await changeProtection('exclude', { days: 7 }, 'exclusion', 'Excluded.')
  reads[0]?.(protection(false))
  await read
  expect(protecting.value.protection?.excluded).toBe(true)
})

it('the answer of an earlier read does not replace that of a later one', async () => {
  const { reads, protecting, readProtection } = await limitsOf()
  const both = [readProtection(), readProtection()]
  reads[1]?.(protection(true))
  await both[1]
  reads[0]?.(protection(false))
  await both[0]
  expect(protecting.value.protection?.excluded).toBe(true)
})

it('limits that could not be read are read again after growing pauses, until they are', async () => {
  vi.useFakeTimers({ now: 0 })
  const { protecting, readProtection } = await limitsOf()
  const readAt: number[] = []
  vi.stubGlobal('fetch', async () => {
    readAt.push(Date.now())
    return readAt.length > 3 ? protection(true) : Response.json(fail('rate_limited', 'Later.'))
  })
  await readProtection()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(readAt).toEqual([0, 1_000, 3_000, 7_000])
  expect(protecting.value.protection?.excluded).toBe(true)
})

it('the newest choice of a reality check is saved, though it is made during the change to another', async () => {
  vi.useFakeTimers({ now: 0 })
  const { changeProtection } = await limitsOf()
  const sent: (number | null)[] = []
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    sent.push((JSON.parse(body) as { minutes: number | null }).minutes)
    await new Promise((resolve) => setTimeout(resolve, 400))
    return protection(false)
  })
  for (const minutes of [15, 30, 60]) {
    void changeProtection('reality-check', { minutes }, 'check', 'Saved.')
    await vi.advanceTimersByTimeAsync(150)
  }
  await vi.advanceTimersByTimeAsync(2_000)
  expect(sent).toEqual([15, 60])
})

it('a choice that waits is not sent for a player who has signed in since', async () => {
  vi.useFakeTimers({ now: 0 })
  const { changeProtection, session } = await limitsOf()
  const sent: string[] = []
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    sent.push((JSON.parse(body) as { wallet: string }).wallet)
    await new Promise((resolve) => setTimeout(resolve, 400))
    return protection(false)
  })
  for (const minutes of [15, 30])
    void changeProtection('reality-check', { minutes }, 'check', 'Saved.')
  const other = { wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', authSig: '0x' }
  session.patch({ credentials: other })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(sent).toEqual([WALLET])
})
