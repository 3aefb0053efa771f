import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tierOfBox } from '../../../../src/box-nft/tier.ts'
import { loadEvidence, NOTHING } from '../../../../src/cli/verify/evidence.ts'
import { verdictsOf, type Verdict } from '../../../../src/cli/verify/verdicts.ts'
import type { VerifyTargets } from '../../../../src/cli/verify/wanted.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import type { DisclosedRound } from '../../../../src/crash/disclosure.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../../../src/lootbox/prizes.ts'
import { disclosedBeacon, disclosedCommitted } from '../../support/builders.ts'

const SERVICE = 'https://house.test'
const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const seed = '5e'.repeat(32)
const blockHash = `0x${'cd'.repeat(32)}`
const odds = [6_000, 3_000, 1_000]
const [over, today] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]

function openingOf(txHash: string) {
  const roll = rollOf(seed, paymentMessage(txHash, blockHash))
  const tier = tierOfRoll(
    roll,
    odds.map((bps) => ({ bps })),
  )
  const disclosed = txHash === over ? seed : null
  return {
    ok: true,
    open: {
      id: txHash,
      txHash,
      blockHash,
      day: '2026-11-20',
      odds,
      tier,
      label: 'Common',
      seedHash: commitmentOf(seed),
      seed: disclosed,
      roll: Number(roll),
    },
  }
}

const pepper = 'b0'.repeat(32)
const tiers = [
  { label: 'Common', bps: 9_000, prize: '5' },
  { label: 'Rare', bps: 1_000, prize: '20' },
]
const BOXES = Array.from({ length: 3 }, (_, boxId) => {
  const tier = tierOfBox(
    BigInt(boxId),
    pepper,
    tiers.map((each) => ({ ...each, prize: BigInt(each.prize) })),
  )
  return {
    boxId: `${boxId}`,
    kind: 0,
    tier,
    prize: tiers[tier]!.prize,
    batch: 1,
    pepperHash: commitmentOf(pepper),
    pepper: boxId === 2 ? null : pepper,
  }
})

/** A service that returns one box per page. */
function boxesAnswer(query: URLSearchParams) {
  const index = Number(query.get('boxId') ?? query.get('from'))
  const next = query.has('boxId') || index === 2 ? null : index + 1
  return { boxes: [BOXES[index]], kinds: [{ kind: 0, tiers }], next }
}

function answerTo(url: URL, body: { action?: string; txHash?: string }): object {
  switch (url.pathname) {
    case '/api/crash/verify-seeds':
      return { ok: true, rounds: [], voided: [] }
    case '/api/entropy':
      return { recent: [] }
    case '/api/lootbox-nft':
      return boxesAnswer(url.searchParams)
  }
  if (body.action === 'open') return openingOf(body.txHash ?? '')
  const wins = [over, null, today].map((txHash) => ({ wallet: WALLET, txHash }))
  return { recentWins: wins, ...(url.searchParams.has('wallet') && { openings: wins }) }
}

const NO_LOG = refuse('not_configured', 'This site keeps no public log.')

function serve(answer: (url: URL, body: object) => Response): void {
  vi.stubGlobal('fetch', async (url: URL, { body = '{}' }: { body?: string } = {}) =>
    url.pathname.startsWith('/log/')
      ? Response.json(NO_LOG, { status: 503 })
      : answer(url, JSON.parse(body) as object),
  )
}

/** Ten minutes after the day of the openings. */
const DISCLOSED_AT = Date.parse('2026-11-21T00:10Z')

beforeEach(() => void vi.useFakeTimers({ now: DISCLOSED_AT, toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The checked items, the failed ones and the ones that cannot be checked yet. */
async function check(
  wanted: Partial<VerifyTargets> = {},
  seen: { seedHash?: string; pepperHash?: string; tiers?: string; paidAt?: number } = {},
) {
  const asked = { only: null, ...wanted }
  const evidence = await loadEvidence(SERVICE, asked, { paidAt: seen.paidAt })
  const verdicts = verdictsOf(evidence, { wanted: asked, seen })
  const failed = verdicts.filter(({ checks }) => checks.some(({ holds }) => !holds))
  const names = (these: { name: string }[]) => these.map(({ name }) => name)
  return { checked: names(verdicts), failed: names(failed), waiting: evidence.waiting }
}

const NOT_OVER = `opening ${today}: its day, 2026-11-20, has not ended`
const NOT_PUBLISHED = 'box 2: the pepper of batch 1 is not published yet'

describe('the rounds of a disclosure', () => {
  const honest = disclosedBeacon()
  const before = { ...disclosedCommitted(), roundId: honest.roundId - 1 }
  const judged = (rounds: DisclosedRound[], seen: object = {}) =>
    verdictsOf({ ...NOTHING, rounds }, { wanted: { only: 'round', roundId: honest.roundId }, seen })
  const broken = (verdicts: Verdict[]) =>
    verdicts.flatMap(({ checks }) => checks.filter(({ holds }) => !holds).map(({ claim }) => claim))

  it('include the time bets closed, and are consecutive', () => {
    const earlier = {
      ...before,
      openedAt: honest.openedAt - 9_000,
      betsCloseAt: honest.openedAt - 1,
    }
    const verdicts = judged([honest, earlier])
    expect(verdicts[0]?.title).toContain(
      `bets closed ${new Date(honest.betsCloseAt).toISOString()}`,
    )
    expect(broken(verdicts)).toEqual([])
  })

  it('fail if one was moved back in time to fit an old beacon', () => {
    expect(before.betsCloseAt).toBeGreaterThan(honest.openedAt)
    expect(broken(judged([honest, before]))).toEqual([
      `it opened after bets closed in round ${before.roundId}`,
    ])
  })

  it('fail if the beacon was already published when a player looked', () => {
    const seenAt = honest.betsCloseAt + 2_000
    expect(broken(judged([honest], { seenAt }))).toEqual([
      expect.stringContaining('your own clock'),
    ])
    expect(broken(judged([honest], { seenAt: seenAt - 1 }))).toEqual([])
  })
})

describe('a service’s evidence', () => {
  it('includes the paid openings of past days', async () => {
    serve((url, body) => Response.json(answerTo(url, body)))
    const waiting = [NOT_OVER]
    expect(await check()).toEqual({ checked: [`opening ${over}`], failed: [], waiting })
  })

  it('is a single opening if one is requested, checked against the seed hash seen', async () => {
    serve((url, body) => Response.json(answerTo(url, body)))
    const one = { only: 'opening', payment: over, wallet: WALLET } as const
    const held = { checked: [`opening ${over}`], failed: [], waiting: [] }
    expect(await check(one, { seedHash: commitmentOf(seed) })).toEqual(held)
    expect(await check({ only: 'opening', payment: over })).toEqual(held)
    const { failed } = await check(one, { seedHash: commitmentOf(pepper) })
    expect(failed).toEqual([`opening ${over}`])
    const early = await check({ ...one, payment: today })
    expect(early).toEqual({ checked: [], failed: [], waiting: [NOT_OVER] })
  })

  it('fails for an opening whose seed is not disclosed an hour after it is due', async () => {
    serve((url, body) => Response.json(answerTo(url, body)))
    vi.setSystemTime(DISCLOSED_AT + 3_599_999)
    expect((await check()).failed).toEqual([])
    vi.setSystemTime(DISCLOSED_AT + 3_600_000)
    const checked = [over, today].map((id) => `opening ${id}`)
    expect(await check()).toEqual({ checked, failed: [`opening ${today}`], waiting: [] })
  })

  it('fails for an opening with the seed of a day that has not begun', async () => {
    serve((url, body) => Response.json(answerTo(url, body)))
    vi.setSystemTime(Date.parse('2026-11-19T22:59Z'))
    expect((await check()).failed).toEqual([`opening ${today}`])
  })

  describe('for an opening whose seed is not disclosed, with the time of its payment', () => {
    const one = { only: 'opening', payment: today, wallet: WALLET } as const
    beforeEach(() => serve((url, body) => Response.json(answerTo(url, body))))

    it.each(['2026-11-20T00:00:00Z', '2026-11-20T23:59:59Z'])(
      'waits for the seed of its day after a payment at %s',
      async (time) => {
        const waits = { checked: [], failed: [], waiting: [NOT_OVER] }
        for (const now of [Date.parse('2026-11-19T23:30Z'), DISCLOSED_AT + 3_599_999]) {
          vi.setSystemTime(now)
          expect(await check(one, { paidAt: Date.parse(time) })).toEqual(waits)
        }
        vi.setSystemTime(DISCLOSED_AT + 3_600_000)
        expect((await check(one, { paidAt: Date.parse(time) })).failed).toEqual([
          `opening ${today}`,
        ])
      },
    )

    it.each(['2026-11-15T12:00:00Z', '2026-11-19T23:59:59Z', '2026-11-21T00:00:00Z'])(
      'fails after a payment at %s, of another day than the service names',
      async (time) => {
        const { failed, waiting } = await check(one, { paidAt: Date.parse(time) })
        expect({ failed, waiting }).toEqual({ failed: [`opening ${today}`], waiting: [] })
      },
    )
  })

  it('is every box of a wallet, page by page', async () => {
    serve((url, body) => Response.json(answerTo(url, body)))
    const { checked, failed, waiting } = await check({ wallet: WALLET })
    expect(checked).toEqual([`opening ${over}`, 'box 0', 'box 1'])
    expect(failed).toEqual([])
    expect(waiting).toEqual([NOT_OVER, NOT_PUBLISHED])
  })

  it('is a single box if one is requested, checked against the pepper hash and the tiers seen', async () => {
    serve((url, body) => Response.json(answerTo(url, body)))
    const one = { only: 'box', boxId: 1n } as const
    const held = { checked: ['box 1'], failed: [], waiting: [] }
    expect(await check(one, { pepperHash: commitmentOf(pepper) })).toEqual(held)
    expect((await check(one, { pepperHash: commitmentOf(seed) })).failed).toEqual(['box 1'])
    expect((await check(one, { tiers: '9000:5,1000:20' })).failed).toEqual([])
    expect((await check(one, { tiers: '9000:5,1000:21' })).failed).toEqual(['box 1'])
    expect((await check(one, { tiers: '8999:5,1001:20' })).failed).toEqual(['box 1'])
    const early = await check({ ...one, boxId: 2n })
    expect(early).toEqual({ checked: [], failed: [], waiting: [NOT_PUBLISHED] })
  })

  it.each<[string, string, Partial<VerifyTargets>, string | null]>([
    ['names a way to compare its newest results with the public log', '/', {}, 'add --round N'],
    ['names a way to compare a saved box', '/api/lootbox-nft?boxId=1', {}, "give the site's URL"],
    ['has nothing to compare of plays, which no log has', '/', { only: 'play' }, null],
  ])('%s', async (_what, path, wanted, why) => {
    serve((url, body) => Response.json(answerTo(url, body)))
    const source = new URL(path, SERVICE).href
    const { uncompared } = await loadEvidence(source, { only: null, ...wanted })
    expect(uncompared?.why ?? null).toEqual(why && expect.stringContaining(why))
  })

  it('covers only the games if lootbox and boxes are not configured', async () => {
    const error = { code: 'not_configured', message: 'There is none here.' }
    serve((url, body) =>
      url.pathname.startsWith('/api/lootbox')
        ? Response.json({ ok: false, error }, { status: 503 })
        : Response.json(answerTo(url, body)),
    )
    expect(await check({ wallet: WALLET })).toEqual({ checked: [], failed: [], waiting: [] })
    await expect(check({ only: 'box', boxId: 1n })).rejects.toThrow('There is none here.')
  })
})
