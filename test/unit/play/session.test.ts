import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fail, type Failure } from '../../../src/play/api.ts'
import { inBrowser } from './in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const openBet = { roundId: 7, token: 'ETH', amountWei: '100', autoCashout: null, placedAt: 1 }

let page: typeof import('../../../src/play/session.ts')
let changeInOtherTab: (kept: object) => void
/** What the service answers to a read of the player's state; nothing while it cannot be reached. */
let answer: object | null
/** When it answers. */
let answering: Promise<void> | null
let reads: number

/** Keeps a sign-in, as an earlier visit did. */
const signedIn = (authSig: string) => ({
  wallet: WALLET,
  authSig,
  kind: 'injected',
  rdns: null,
  expiresAt: Date.now() + 86_400_000,
})

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 })
  const stored = inBrowser()
  stored.set('fairhouse.session', JSON.stringify(signedIn('0x01')))
  const events = new EventTarget()
  vi.stubGlobal('window', events)
  changeInOtherTab = (kept) => {
    stored.set('fairhouse.session', JSON.stringify(kept))
    events.dispatchEvent(Object.assign(new Event('storage'), { key: 'fairhouse.session' }))
  }
  answer = answering = null
  reads = 0
  vi.stubGlobal('fetch', async () => {
    reads++
    await answering
    if (!answer) throw new TypeError('no network')
    return Response.json(answer)
  })
  page = await import('../../../src/play/session.ts')
})

afterEach(() => {
  page.signOut()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a player whose state could not be read after a reload', () => {
  it.each<[string, Failure | null]>([
    ['the network failed', null],
    ['the service was busy', fail('internal', 'Try again.')],
  ])('can cash out their open bet soon afterwards if %s', async (_why, refusal) => {
    answer = refusal
    await page.startSession()
    answer = { ok: true, me: { openBet } }
    await vi.advanceTimersByTimeAsync(1_000)
    expect(page.session.value.me?.openBet).toEqual(openBet)
    reads = 0
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reads).toBe(0)
  })

  it('asks at most every eight seconds during an outage', async () => {
    await page.startSession()
    await vi.advanceTimersByTimeAsync(10_000)
    reads = 0
    await vi.advanceTimersByTimeAsync(80_000)
    expect(reads).toBeGreaterThan(8)
    expect(reads).toBeLessThan(12)
  })

  it('asks no more after signing out', async () => {
    await page.startSession()
    page.signOut()
    reads = 0
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reads).toBe(0)
  })
})

it('a player’s state says which relayer the vault’s owner has announced', async () => {
  const nextRelayer = { address: WALLET, from: 1, until: 2 }
  answer = { ok: true, me: { openBet }, config: { chain: { nextRelayer } } }
  await page.startSession()
  expect(page.session.value.nextRelayer).toEqual(nextRelayer)
  answer = { ok: true, me: { openBet }, config: { chain: null } }
  await page.readMe()
  expect(page.session.value.nextRelayer).toBeNull()
})

it.each(['visibilitychange', 'online'])(
  'a player’s state is read on every view when the tab or the network is back (%s)',
  async (back) => {
    answer = { ok: true, me: { openBet } }
    await page.startSession()
    answer = { ok: true, me: { openBet: null } }
    vi.stubGlobal('document', { visibilityState: 'visible' })
    window.dispatchEvent(new Event(back))
    await vi.advanceTimersByTimeAsync(0)
    expect(page.session.value.me?.openBet).toBeNull()
  },
)

describe('a sign-in that another tab has renewed', () => {
  it.each<[string, object]>([
    ['shows the state that was being read', { ok: true, me: { openBet } }],
    ['outlasts a refusal of the former one', fail('auth_invalid', 'It has expired.')],
  ])('%s', async (_what, told) => {
    answer = told
    let tell = () => {}
    answering = new Promise((resolve) => (tell = resolve))
    const started = page.startSession()
    await vi.advanceTimersByTimeAsync(0)
    expect(reads).toBe(1)
    changeInOtherTab(signedIn('0x02'))
    tell()
    await started
    expect(page.session.value.player).toEqual({ wallet: WALLET, authSig: '0x02' })
    answer = { ok: true, me: { openBet } }
    await vi.advanceTimersByTimeAsync(1_000)
    expect(page.session.value.me?.openBet).toEqual(openBet)
  })
})

describe('a player whose wallet is silent', () => {
  const FORMER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  let prompts: { method: string; answer: (result: unknown) => void }[]

  /** Signs in with a wallet that answers only when told to. */
  function signIn(rdns: string): Promise<void> {
    const request = ({ method }: { method: string }) =>
      new Promise<unknown>((resolve) => prompts.push({ method, answer: resolve }))
    const wallet = { id: rdns, name: rdns, icon: null, rdns, provider: { request } }
    return page.signIn({ kind: 'injected', wallet })
  }

  /** Answers a wallet's newest prompt. */
  async function answerPrompt(result: unknown): Promise<void> {
    prompts.pop()?.answer(result)
    await vi.advanceTimersByTimeAsync(0)
  }

  beforeEach(() => {
    prompts = []
    page.signOut()
    answer = { ok: true, message: `Sign in\n${FORMER}`, expiresAt: 2_000_000, me: { openBet } }
  })

  it.each<[string, () => unknown]>([
    ['gives up', () => page.cancelSignIn()],
    ['signs out', () => page.signOut()],
  ])('is not signed in later by its signature if the player %s', async (_what, giveUp) => {
    void signIn('test.silent')
    await answerPrompt([FORMER])
    expect(prompts.map(({ method }) => method)).toEqual(['personal_sign'])
    giveUp()
    expect(page.session.value.isSigningIn).toBe(false)
    await answerPrompt('0x03')
    expect(page.session.value.credentials).toBeNull()
    expect(localStorage.getItem('fairhouse.wallet')).toBeNull()
    expect(localStorage.getItem('fairhouse.session')).toBeNull()
  })

  it('is asked for no signature after giving up', async () => {
    void signIn('test.silent')
    page.cancelSignIn()
    await answerPrompt([FORMER])
    expect(prompts).toEqual([])
  })

  it('signs in with another one meanwhile', async () => {
    void signIn('test.silent')
    const [silent] = prompts.splice(0)
    page.cancelSignIn()
    void signIn('test.other')
    await answerPrompt([FORMER])
    silent?.answer([])
    await vi.advanceTimersByTimeAsync(0)
    expect(page.session.value).toMatchObject({ isSigningIn: true, problem: null })
    await answerPrompt('0x03')
    expect(page.session.value).toMatchObject({
      isSigningIn: false,
      credentials: { authSig: '0x03' },
    })
  })
})
