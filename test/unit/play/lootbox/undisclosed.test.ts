import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { paymentMessage, rollOf } from '../../../../src/lootbox/prizes.ts'
import { isFailure } from '../../../../src/play/api.ts'
import { inBrowser } from '../in-browser.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = 'aa'.repeat(32)
const DAY = '2026-11-02'
const DUE_AT = Date.parse('2026-11-03T01:10Z')
const PAYMENT = `0x${'11'.repeat(32)}`
const BLOCK = `0x${'22'.repeat(32)}`
const SPIN = `spin:${WALLET.toLowerCase()}:${DAY}`

const WON = {
  tier: 0,
  label: 'Low',
  prize: '1',
  asset: 'ETH',
  status: 'paid',
  odds: [10_000],
  day: DAY,
  seedHash: commitmentOf(SEED),
  seed: null as string | null,
  prizeTxHash: null,
}
const PAID = {
  ...WON,
  id: PAYMENT,
  txHash: PAYMENT,
  blockHash: BLOCK,
  roll: Number(rollOf(SEED, paymentMessage(PAYMENT, BLOCK))),
}
const SPUN = {
  ...WON,
  id: SPIN,
  txHash: null,
  blockHash: null,
  roll: 1,
  acceptedAt: Date.parse(DAY),
  pepper: 'bb'.repeat(32),
  pepperSource: { kind: 'drand-quicknet', round: 1 },
}

/** What a service tells of the seed: in its list of days, and when it is asked for the opening again. */
interface Told {
  listed?: string | null
  again?: string | null
}

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Proves an opening made in this browser at a time. */
async function proofAt(at: number, open: { id: string }, { listed, again = null }: Told = {}) {
  vi.setSystemTime(at)
  vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) =>
    method === 'POST'
      ? Response.json({ ok: true, open: { ...open, seed: again } })
      : Response.json({ ok: true, days: listed === undefined ? [] : [{ day: DAY, seed: listed }] }),
  )
  const { keep } = await import('../../../../src/play/keepsakes.ts')
  const { proveOpening } = await import('../../../../src/play/verify/opening.ts')
  keep('openings', open.id, { wallet: WALLET, open })
  const proof = await proveOpening(open.id)
  if (isFailure(proof)) throw new Error(proof.error.message)
  const broken = proof.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
  return { note: proof.note, broken }
}

const NOT_OVER = { broken: [], note: expect.stringContaining('The day has not ended.') }
const WITHHELD = {
  broken: [expect.stringContaining(`the seed of ${DAY}, which must not be a later day`)],
  note: undefined,
}

describe.each([
  ['a paid opening', PAID],
  ['a free spin', SPUN],
])('%s whose seed the page doesn’t get', (_what, open) => {
  it('waits until an hour after the seed is due', async () => {
    expect(await proofAt(DUE_AT - 1, open, { listed: null })).toEqual(NOT_OVER)
  })

  it.each<[string, Told]>([
    ['is withheld', { listed: null }],
    ['is left out of the list', {}],
  ])('is not verified from then on if it %s', async (_how, told) => {
    expect(await proofAt(DUE_AT, open, told)).toEqual(WITHHELD)
  })
})

describe('an opening whose day has left the list of seeds', () => {
  const later = DUE_AT + 30 * 86_400_000

  it('verifies if it was paid for, because the service is asked again', async () => {
    const { broken } = await proofAt(later, PAID, { again: SEED })
    expect(broken).toEqual([])
  })

  it('is not verified if it was paid for, and the seed is still withheld', async () => {
    expect(await proofAt(later, PAID)).toEqual(WITHHELD)
  })

  it('accuses nobody of a free spin, and names the public log', async () => {
    const note = expect.stringContaining('The public log has all of them.')
    expect(await proofAt(later, SPUN)).toEqual({ broken: [], note })
  })
})

describe('an opening that was made in another browser', () => {
  async function proofFor(id: string, wallet: string | undefined) {
    vi.setSystemTime(DUE_AT)
    vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
      expect(JSON.parse(body)).toEqual({ action: 'open', wallet: WALLET, txHash: PAYMENT })
      return Response.json({ ok: true, open: { ...PAID, seed: SEED } })
    })
    const { proveOpening } = await import('../../../../src/play/verify/opening.ts')
    return proveOpening(id, wallet)
  }

  it('verifies for the wallet that paid, and says what only the other browser can confirm', async () => {
    const proof = await proofFor(PAYMENT, WALLET)
    if (isFailure(proof)) throw new Error(proof.error.message)
    expect(proof.checks.filter(({ holds }) => !holds)).toEqual([])
    expect(proof.checks).not.toEqual([])
    expect(proof.note).toContain('Only the browser that paid or spun can also confirm')
  })

  it.each([
    ['asks for a sign-in first', PAYMENT, undefined, 'Sign in with the wallet that paid'],
    ['says so of a free spin', SPIN, WALLET, 'not taken in this browser'],
  ])('%s', async (_what, id, wallet, message) => {
    const proof = await proofFor(id, wallet)
    expect(isFailure(proof) && proof.error.message).toContain(message)
  })
})

it('an opening with the seed of a day that has not begun is not verified', async () => {
  const future = { ...PAID, day: '2027-01-01' }
  const { broken } = await proofAt(DUE_AT, future, { listed: null })
  expect(broken).toEqual([expect.stringContaining('the seed of 2027-01-01')])
})
