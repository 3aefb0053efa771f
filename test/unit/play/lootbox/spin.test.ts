import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, dateOf } from '../../../../src/core/utc-day.ts'
import { beaconPublishedAt } from '../../../../src/fairness/drand.ts'
import type { PepperSource } from '../../../../src/fairness/pepper.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { rollOf } from '../../../../src/lootbox/prizes.ts'
import { spinId, spinMessage } from '../../../../src/lootbox/spin.ts'
import { fail, isFailure } from '../../../../src/play/api.ts'
import type { LootboxAnswer } from '../../../../src/play/lootbox/terms.ts'
import { proveOpening } from '../../../../src/play/verify/opening.ts'
import { BEACON_1000 } from '../../support/vectors.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SEED = '5e'.repeat(32)
const { round, signature, randomness } = BEACON_1000
const PUBLISHED_AT = beaconPublishedAt(round)
const ACCEPTED_AT = PUBLISHED_AT - 1_000
const ASKED_AT = ACCEPTED_AT - 300
const DAY = dateOf(ACCEPTED_AT)
const NEXT_DAY = dateOf(ACCEPTED_AT + DAY_MS)
const ID = spinId(WALLET, DAY)

/** Kept by this browser. */
let stored: Map<string, string>

let page: Awaited<ReturnType<typeof loadPage>>

/** Loads what looks at the browser as soon as it is loaded. */
async function loadPage() {
  const { spin, spinning, maySpin } = await import('../../../../src/play/lootbox/opening.ts')
  const { lootbox } = await import('../../../../src/play/lootbox/terms.ts')
  const { session } = await import('../../../../src/play/session.ts')
  return { spin, spinning, maySpin, lootbox, session }
}

beforeEach(async () => {
  vi.stubGlobal('location', { hostname: 'play.test' })
  stored = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
  page = await loadPage()
  vi.useFakeTimers({ now: ASKED_AT })
  page.session.patch({ credentials: { wallet: WALLET, authSig: '0x1' } })
  page.lootbox.patch({ owner: WALLET, terms: termsWith({ hasSpun: false }) })
})

afterEach(() => {
  page.session.patch({ credentials: null })
  page.lootbox.set({ owner: undefined, terms: null, problem: null })
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The parts of the terms that a spin needs. */
function termsWith({ hasSpun }: { hasSpun?: boolean }): LootboxAnswer {
  const pepperSource = { kind: 'drand-quicknet' }
  const prizes = [{ bps: 10_000, label: 'Spin', prize: '1', asset: 'REWARD' }]
  const spin = { prizes, expectedValue: {}, dailyLimit: 1, hosts: [], pepperSource }
  const told = hasSpun === undefined ? {} : { hasSpun }
  const seedHashes = { seedHash: commitmentOf(SEED), nextSeedHash: commitmentOf('cc'.repeat(32)) }
  return {
    day: DAY,
    ...seedHashes,
    ...told,
    prizes: [],
    spin,
  } as Partial<LootboxAnswer> as LootboxAnswer
}

const BEACON: PepperSource = { kind: 'drand-quicknet', round }
const EARLIER: PepperSource = { kind: 'drand-quicknet', round: round - 3 }

const pending = (acceptedAt = ACCEPTED_AT, pepperSource = BEACON) => ({
  ok: true,
  status: 'pending',
  acceptedAt,
  pepperSource,
  expectedAt: acceptedAt,
})

/** The opening as answered once its day has ended. */
function opened() {
  const won = { tier: 0, label: 'Spin', prize: '1', asset: 'REWARD', status: 'paid' }
  return {
    ok: true,
    open: {
      id: ID,
      txHash: null,
      ...won,
      prizeTxHash: null,
      day: DAY,
      blockHash: null,
      seed: SEED,
      seedHash: commitmentOf(SEED),
      odds: [10_000],
      roll: Number(rollOf(SEED, spinMessage(ID, randomness))),
      acceptedAt: ACCEPTED_AT,
      pepper: randomness,
      pepperSource: BEACON,
      signature,
    },
  }
}

/** Spins while the service gives these answers, each after some time. Returns the claims that do not hold. */
async function claimsBroken(answers: { answer: object; afterMs?: number }[]): Promise<string[]> {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
    if (method !== 'POST') return Response.json(fail('internal', 'Not needed.'))
    const { answer, afterMs = 0 } = answers[Math.min(asked.push(path), answers.length) - 1]!
    vi.setSystemTime(Date.now() + afterMs)
    return Response.json(answer)
  })
  const spun = page.spin('http://posts.test/alice/status/1')
  for (let steps = 0; steps < 400; steps++) await vi.advanceTimersByTimeAsync(100)
  await spun
  const proof = await proveOpening(ID)
  if (isFailure(proof)) throw new Error(proof.error.message)
  return proof.checks.filter(({ holds }) => !holds).map(({ claim }) => claim)
}

const LATE = expect.stringContaining('within ten seconds of your call')

describe('a free spin in the page', () => {
  it('verifies if it is opened as its first answer said', async () => {
    expect(await claimsBroken([{ answer: pending() }, { answer: opened() }])).toEqual([])
    expect(JSON.parse(stored.get('fairhouse.seen.spins')!)).toEqual([
      [
        ID,
        {
          acceptedAt: ACCEPTED_AT,
          pepperSource: BEACON,
          seenAt: ASKED_AT,
          askedAt: ASKED_AT,
        },
      ],
    ])
  })

  it('is caught if it is opened with another beacon than its first answer named', async () => {
    const first = pending(ACCEPTED_AT - 9_000, EARLIER)
    expect(await claimsBroken([{ answer: first }, { answer: opened() }])).toEqual([
      'it was taken when the first answer said',
      'its pepper comes from the source that the first answer named',
    ])
  })

  it('is caught even if its first answer claimed another day', async () => {
    const first = pending(ACCEPTED_AT - 86_400_000, EARLIER)
    expect(await claimsBroken([{ answer: first }, { answer: opened() }])).toHaveLength(2)
  })

  it('is caught even if the page cannot tell whether it was taken before', async () => {
    page.lootbox.patch({ terms: termsWith({ hasSpun: true }) })
    const first = pending(ACCEPTED_AT, EARLIER)
    expect(await claimsBroken([{ answer: first }, { answer: opened() }])).toHaveLength(1)
  })

  it.each([{ hasSpun: false }, {}])(
    'is caught if it was held back until a beacon suited, over ten seconds: %o',
    async (told) => {
      page.lootbox.patch({ terms: termsWith(told) })
      vi.setSystemTime(ACCEPTED_AT - 10_000)
      expect(await claimsBroken([{ answer: opened(), afterMs: 9_999 }])).toEqual([])
      stored.clear()
      vi.setSystemTime(ACCEPTED_AT - 10_001)
      expect(await claimsBroken([{ answer: opened(), afterMs: 10_000 }])).toEqual([LATE])
    },
  )

  it('is caught if it is rolled with another seed than the two shown before it', async () => {
    const terms = { ...termsWith({ hasSpun: false }), seedHash: commitmentOf('dd'.repeat(32)) }
    page.lootbox.patch({ terms })
    expect(await claimsBroken([{ answer: opened() }])).toEqual([
      'its seed hash is one of the two, of that day and the next, shown when you spun',
    ])
  })

  it('is caught if its prize is not the one shown before it', async () => {
    const { open } = opened()
    expect(await claimsBroken([{ answer: { ok: true, open: { ...open, prize: '0' } } }])).toEqual([
      'its odds and its prize are those shown when you spun',
    ])
  })

  it('verifies if its answer arrives after midnight, when other seed hashes are shown', async () => {
    const day = dateOf(ACCEPTED_AT + DAY_MS)
    const seedHash = commitmentOf('cc'.repeat(32))
    const nextSeedHash = commitmentOf('dd'.repeat(32))
    const terms = { ...termsWith({ hasSpun: false }), day, seedHash, nextSeedHash }
    setTimeout(() => page.lootbox.patch({ terms }), 500)
    const lost = { answer: fail('unreachable', 'Lost.') }
    expect(await claimsBroken([lost, lost, { answer: opened() }])).toEqual([])
    const kept = JSON.parse(stored.get('fairhouse.seen.commitments')!) as object[]
    expect(kept).toMatchObject([[ID, { seedHashes: [commitmentOf(SEED), seedHash] }]])
  })

  it('is not held to seed hashes of other days, shown long before it', async () => {
    const day = dateOf(ACCEPTED_AT - 3 * DAY_MS)
    const seedHash = commitmentOf('dd'.repeat(32))
    page.lootbox.patch({ terms: { ...termsWith({ hasSpun: false }), day, seedHash } })
    expect(await claimsBroken([{ answer: opened() }])).toEqual([])
  })

  it('verifies if it was taken later because earlier calls had failed', async () => {
    vi.setSystemTime(ACCEPTED_AT - 30_000)
    const failed = { answer: fail('upstream_failed', 'Try again.') }
    const answers = Array.from({ length: 30 }, () => failed)
    expect(await claimsBroken([...answers, { answer: opened() }])).toEqual([])
  })

  describe('with the post of another day, whose spin the service repeats,', () => {
    /** Spins while the page lists these openings, and the service repeats the one of the post. */
    async function spinAgain(openings: { id: string }[]) {
      vi.stubGlobal('fetch', async (_path: string, { method }: RequestInit) =>
        Response.json(method === 'POST' ? opened() : fail('internal', 'Not needed.')),
      )
      const terms = { ...termsWith({ hasSpun: false }), day: NEXT_DAY, openings }
      page.lootbox.patch({ terms: terms as LootboxAnswer })
      vi.setSystemTime(ACCEPTED_AT + DAY_MS)
      await page.spin('http://posts.test/alice/status/1')
      return page.spinning.value
    }

    it('says so, and keeps nothing that would accuse the house', async () => {
      const { step, news, problem } = await spinAgain([{ id: ID }])
      expect({ step, news }).toEqual({ step: 'idle', news: null })
      expect(problem?.message).toBe('This post has earned its spin already. Share a new post.')
      expect(stored.get('fairhouse.seen.openings')).toBeUndefined()
      expect(stored.get('fairhouse.seen.spins')).toBeUndefined()
    })

    it('is caught if the page had not listed it', async () => {
      const { step } = await spinAgain([{ id: spinId(WALLET, NEXT_DAY) }])
      expect(step).toBe('done')
      const proof = await proveOpening(ID)
      if (isFailure(proof)) throw new Error(proof.error.message)
      expect(proof.checks.every(({ holds }) => holds)).toBe(false)
    })
  })

  it('makes room for that of the next day', async () => {
    await claimsBroken([{ answer: opened() }])
    expect(page.spinning.value.step).toBe('done')
    expect(page.maySpin(page.spinning.value, DAY)).toBe(false)
    expect(page.maySpin(page.spinning.value, NEXT_DAY)).toBe(true)
  })
})
