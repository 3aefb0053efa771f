import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyReceipts } from '../../../../src/cli/verify/receipts.ts'
import { discloseWhole, type WholeRound } from '../../../../src/crash/disclosure.ts'
import { betsEntry, endEntry, planEntry } from '../../../../src/crash/log-entries.ts'
import type { RoundPlan } from '../../../../src/crash/plan.ts'
import { Round, type RoundRecord } from '../../../../src/crash/round.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { settle } from '../../../../src/games/play.ts'
import type { Receipt } from '../../../../src/receipts/claims.ts'
import type { PublishedKey } from '../../../../src/receipts/key.ts'
import { keyEntry, termsEntry } from '../../../../src/receipts/log-entries.ts'
import { termsOfPlay } from '../../../../src/receipts/terms.ts'
import type { LogEntry } from '../../../../src/transparency/entry.ts'
import { signerKey, type VerifierKey } from '../../../../src/transparency/note.ts'
import { predecessorEntry } from '../../../../src/transparency/predecessor.ts'
import { termsSummary } from '../../../../src/transparency/terms.ts'
import { LIMITS, OPENED_AT, placement, roundOf, rules, SEED } from '../../support/builders.ts'
import {
  betReceipt,
  cashoutReceipt,
  ISS,
  KEYS,
  playReceipt,
  sign,
  withdrawalReceipt,
} from '../../support/receipts.ts'
import { exported, House } from '../monitor/house.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** A round with one bet, and its entries in the log under some terms. */
function played(seed = SEED, change: Partial<RoundPlan> = {}, known: Partial<RoundRecord> = {}) {
  const { record } = roundOf(300)
  const planned = { terms: TERMS.id, edgeBps: 100, seedHash: commitmentOf(seed) }
  const plan = { ...record.plan, ...planned, ...change }
  const round = new Round({ ...record, plan, seed, ...known }, [])
  round.place(placement({ wallet: WALLET, autoCashout: 101 }), OPENED_AT)
  const fixed = round.fixedBets
  round.advance(OPENED_AT + 600_000)
  const result = round.result()!
  const answer = discloseWhole(result, { plan, betsRoot: fixed.betsRoot }, round.bets, 0)
  const whole = JSON.parse(JSON.stringify(answer)) as WholeRound
  const entries = [planEntry(plan), betsEntry(plan, fixed), endEntry(result, fixed)]
  return { whole, entries }
}

const OTHER = '00'.repeat(32)
const LOW = { ...LIMITS, maxPayout: '101' }
const LOWER = { ETH: LOW, USDG: LOW }

/** The terms under which the round of the tests was planned. */
function terms(edgeBps = 100): LogEntry {
  const entropy = { edgeBps, limits: { ETH: LIMITS, USDG: LIMITS } }
  const bankroll = { payoutBps: 100, roundBps: 250 }
  const all = {
    crash: rules({ edgeBps }),
    entropy,
    bankroll,
    depositFeeBps: 0,
    lootbox: null,
    chain: null,
    boxes: null,
    autoplay: true,
    funChips: true,
    minPlayMs: 0,
  }
  const shown = termsOfPlay(all)
  return termsEntry(shown, termsSummary(shown).hash, OPENED_AT)
}
const TERMS = terms()
const { whole: WHOLE, entries: ENTRIES } = played()

const playOf = (edgeBps: number) => ({
  ok: true,
  wallet: WALLET,
  settledAt: OPENED_AT,
  nextSeedHash: commitmentOf(OTHER),
  fairness: { nonce: 8 },
  ...settle(
    { game: 'limbo', params: { target: 150 } },
    { token: 'USDG', amountWei: 1_000n },
    { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 },
    { edgeBps, tables: 1 },
  ),
})

const issued = { iss: ISS, iat: Math.floor(OPENED_AT / 1_000), terms: TERMS.id }
const BET: Receipt = { ...betReceipt(WHOLE, 0), ...issued }
const CASHOUT: Receipt = { ...cashoutReceipt(WHOLE, 0), ...issued }

let output: string[] = []

beforeEach(() => {
  output = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
  vi.useFakeTimers({ now: OPENED_AT + 2 * 3_600_000, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

interface Site {
  entries?: LogEntry[]
  round?: WholeRound | null
  play?: object
  logKey?: VerifierKey | null
  /** Those that the site publishes. */
  keys?: PublishedKey[]
}

const KEY = keyEntry(KEYS[0]!, OPENED_AT)
const HONEST = [KEY, TERMS, ...ENTRIES]

async function verify(
  receipt: Receipt,
  { entries = HONEST, round, play, logKey = null, keys = KEYS }: Site = {},
) {
  const house = new House().append(...entries)
  const whole = round === undefined ? WHOLE : round
  if (whole) house.rounds.set(String(whole.roundId), whole)
  vi.stubGlobal('fetch', async (url: URL) => {
    if (url.pathname === '/.well-known/jwks.json') return Response.json({ keys })
    if (url.pathname === '/api/entropy') return Response.json(play)
    return house.fetch(url)
  })
  const exitCode = await verifyReceipts([await sign(receipt)], { file: null, logKey }).catch(
    (fault: Error) => fault.message,
  )
  return { exitCode, text: output.join('\n') }
}

const FAILED = expect.stringContaining('Not verified')
const later = Array.from({ length: 600 }, (_, day) => exported(day))
const without = (kind: string) => HONEST.filter((entry) => entry.kind !== kind)
const withTerms = (entry: LogEntry) => [KEY, entry, ...ENTRIES]

describe('receipts whose site has a public log', () => {
  it.each([
    ['a bet', BET],
    ['a cash-out', CASHOUT],
  ])('verify against the entries of their round: %s', async (_, receipt) => {
    expect((await verify(receipt)).text).toContain('the house kept its word')
    const { exitCode, text } = await verify(receipt, { entries: [...HONEST, ...later] })
    expect([exitCode, text]).toEqual([0, expect.stringContaining('the logged one')])
  })

  it('of a bet say that its round was voided', async () => {
    const { whole: round, entries } = played(SEED, {}, { pepper: null, pepperAt: null })
    const receipt: Receipt = { ...betReceipt(round, 0), ...issued }
    const { exitCode, text } = await verify(receipt, { entries: [KEY, TERMS, ...entries], round })
    expect([exitCode, text]).toEqual([0, expect.stringContaining('its round was voided')])
    expect(text).toContain('Bets in voided rounds, whose stakes returned: 1.')
  })

  it.each([
    ['a bet', BET],
    ['a cash-out', CASHOUT],
  ])('are proof of a breach if a site takes its pepper from a secret: %s', async (_, receipt) => {
    const { exitCode, text } = await verify({ ...receipt, iss: 'https://house.test' })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain(
      'its disclosure fails: its pepper comes from a public beacon, not from a secret of the house',
    )
  })

  it.each([
    ['a bet', BET],
    ['a cash-out', CASHOUT],
  ])('are proof of a breach if this caller is shown another round: %s', async (_, receipt) => {
    const shown = played(OTHER).whole
    const signed = receipt.kind === 'bet' ? { ...receipt, seedHash: shown.seedHash } : receipt
    const { exitCode, text } = await verify({ ...signed }, { round: shown })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('Proof of a breach')
    expect(text).toContain('✗ its plan is the logged one')
    expect(text).toContain('✗ its bets are those whose root was logged')
  })

  const plan = WHOLE.plan!
  const refunded = { outcome: 'voided' as const, multiplier: 1, cashedOutAt: null }
  it.each<[string, WholeRound]>([
    [
      'has another edge, and the crash point that follows from it',
      played(SEED, { edgeBps: 6_000 }).whole,
    ],
    ['has a plan with another edge', { ...WHOLE, plan: { ...plan, edgeBps: 6_000 } }],
    ['has lower limits, which force cash-outs', played(SEED, { limits: LOWER }).whole],
    ['has a later take-off', { ...WHOLE, takeoffAt: WHOLE.takeoffAt! + 1_000 }],
    [
      'was voided',
      {
        ...WHOLE,
        pepper: null,
        crash: null,
        takeoffAt: null,
        signature: null,
        reason: 'pepper_unavailable',
        endedAt: plan.voidAt,
        bets: WHOLE.bets.map((bet) => ({ ...bet, ...refunded, payout: bet.amountWei })),
      },
    ],
  ])('are proof of a breach if the disclosed round %s', async (_, round) => {
    const { exitCode, text } = await verify(BET, { round })
    expect(exitCode).toEqual(FAILED)
    expect(text).toMatch(/Proof of a breach.* its (plan|end) is the logged one/)
  })

  it('are proof of a breach if the log does not have the key that signed them', async () => {
    const { exitCode, text } = await verify(BET, { entries: without('key') })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('its disclosure fails: the public log has the key that signed it')
  })

  it('are proof of a breach if the log has another key under the name of the one that signed them', async () => {
    const other = { ...KEY, key: keyEntry(KEYS[1]!, OPENED_AT)['key']! }
    const entries = HONEST.map((entry) => (entry === KEY ? other : entry))
    vi.setSystemTime(issued.iat * 1_000)
    const { exitCode, text } = await verify(BET, { entries })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('its disclosure fails: the public log has the key that signed it')
  })

  it('by a key that the log does not have yet prove nothing for an hour', async () => {
    vi.setSystemTime(issued.iat * 1_000 + 3_599_999)
    const { exitCode, text } = await verify(BET, { entries: without('key') })
    expect(exitCode).toContain('which proves nothing yet')
    expect(text).not.toContain('Proof of a breach')
  })

  it('verify by the key in the log once the site has withdrawn it, which is a breach', async () => {
    const { exitCode, text } = await verify(BET, { keys: KEYS.slice(1) })
    expect(exitCode).toEqual(FAILED)
    expect(text).not.toContain('No proof of anything')
    expect(text.match(/Proof of a breach/g)).toHaveLength(1)
    expect(text).toContain(`its disclosure fails: ${ISS} publishes the key that signed it`)
  })

  it('prove nothing with a key that neither the site nor the log has', async () => {
    const { text } = await verify(BET, { keys: KEYS.slice(1), entries: without('key') })
    expect(text).toContain('No proof of anything')
  })

  it('of a withdrawal are signed with a logged key, too', async () => {
    const receipt = { ...withdrawalReceipt, ...issued }
    expect((await verify(receipt)).exitCode).toBe(0)
    expect((await verify(receipt, { entries: without('key') })).exitCode).toEqual(FAILED)
  })

  it.each(['plan', 'bets', 'terms', 'end'])(
    'are proof of a breach if the log has no %s',
    async (kind) => {
      const { exitCode, text } = await verify(BET, { entries: without(kind) })
      expect(exitCode).toEqual(FAILED)
      expect(text).toMatch(new RegExp(`Proof of a breach.*the public log has no ${kind} `))
    },
  )

  const HOUR_MS = 3_600_000
  const PLAY = playOf(100)
  const PLAYED = { ...playReceipt(WALLET, PLAY), ...issued }
  it.each<[string, string, Receipt, number]>([
    ['play', 'terms', PLAYED, PLAYED.iat * 1_000],
    ['bet', 'plan', BET, BET.iat * 1_000],
    ['bet', 'terms', BET, BET.iat * 1_000],
    ['bet', 'bets', BET, WHOLE.endedAt],
    ['bet', 'end', BET, WHOLE.endedAt],
    ['cash-out', 'end', CASHOUT, WHOLE.endedAt],
  ])(
    'of a %s whose %s the log lacks prove nothing for an hour',
    async (_, kind, receipt, dueAt) => {
      const entries = without(kind)
      vi.setSystemTime(dueAt + HOUR_MS - 1)
      const late = await verify(receipt, { entries, play: PLAY })
      expect(late.exitCode).toContain('which proves nothing yet')
      expect(late.text).toContain(`Not yet: the public log has no ${kind}`)
      expect(late.text).not.toContain('Proof of a breach')
      vi.setSystemTime(dueAt + HOUR_MS)
      const never = await verify(receipt, { entries, play: PLAY })
      expect(never.text).toMatch(new RegExp(`Proof of a breach.*the public log has no ${kind} `))
    },
  )

  it('are proof of a breach while the log lacks something, if the disclosure says something else', async () => {
    vi.setSystemTime(issued.iat * 1_000 + HOUR_MS - 1)
    const signed = { ...PLAYED, payout: '1' }
    const { text } = await verify(signed, { entries: without('terms'), play: PLAY })
    expect(text).toMatch(/Proof of a breach.*the payout in smallest units is 1 in the receipt/)
  })

  it('wait no longer for the end of a round because the disclosure dates it ahead', async () => {
    const round = { ...WHOLE, endedAt: WHOLE.endedAt + 86_400_000 }
    vi.setSystemTime(WHOLE.betsCloseAt + 900_000 + HOUR_MS)
    const { text } = await verify(BET, { entries: without('end'), round })
    expect(text).toContain('the public log has no end')
    expect(text).toMatch(/Proof of a breach.*the public log has no end/)
  })

  it('do not verify if the log has a second entry where they read it', async () => {
    const entries = [...HONEST, { ...ENTRIES[1]!, betCount: 2 }]
    const { exitCode, text } = await verify(BET, { entries })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('entries 3 and 5 of the log are both bets 7')
  })

  it('are not compared with a log that succeeds another one and began later', async () => {
    const began = (at: number) => [predecessorEntry('localhost:8787/log', null, at)]
    const afterwards = (BET.iat + 1) * 1_000
    const { exitCode, text } = await verify(BET, { entries: began(afterwards) })
    expect([exitCode, text]).toEqual([FAILED, expect.stringContaining('succeeds localhost')])
    expect(text).not.toContain('Proof of a breach')
    // It is no excuse for what is newer.
    const newer = await verify(BET, { entries: began(BET.iat * 1_000) })
    expect(newer.text).toMatch(/Proof of a breach.*the public log has no plan /)
  })

  it('are not verified with a log that is signed with another key than the one given', async () => {
    const { verifier } = new House().key
    expect((await verify(BET, { logKey: verifier })).exitCode).toBe(0)
    const logKey = signerKey(verifier.name, new Uint8Array(32).fill(8)).verifier
    const { exitCode, text } = await verify(BET, { logKey })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('its checkpoint is not signed with the key that you gave')
  })

  it.each([
    ['a bet', BET],
    ['a cash-out', CASHOUT],
  ])('are proof of a breach if the plan names other terms: %s', async (_, receipt) => {
    const other = terms(200)
    const signed = { ...receipt, terms: other.id }
    const { exitCode, text } = await verify(signed, { entries: [...HONEST, other] })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('✗ the terms are those of the logged plan')
  })

  it('are proof of a breach if the plan has another edge than the terms', async () => {
    const other = terms(200)
    const receipt = { ...BET, terms: other.id }
    const { exitCode, text } = await verify(receipt, { entries: withTerms(other) })
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('✗ its plan has the edge, the limits and the kind of pepper')
  })

  it('may wait for the round until fifteen minutes after its bets closed', async () => {
    const closesAt = WHOLE.betsCloseAt
    vi.setSystemTime(closesAt + 900_000)
    const early = await verify(BET, { round: null })
    expect([early.exitCode, early.text]).toEqual([0, expect.stringContaining('Not yet')])
    vi.setSystemTime(closesAt + 900_001)
    const late = await verify(BET, { round: null })
    expect([late.exitCode, late.text]).toEqual([FAILED, expect.stringContaining('does not: No')])
  })

  it('prove a play that was paid with another edge than that of the terms', async () => {
    const [fair, other] = [playOf(100), playOf(200)]
    const receipt = { ...playReceipt(WALLET, fair), ...issued }
    expect((await verify(receipt, { play: fair })).exitCode).toBe(0)
    const { exitCode, text } = await verify(
      { ...playReceipt(WALLET, other), ...issued },
      { play: other },
    )
    expect(exitCode).toEqual(FAILED)
    expect(text).toContain('its edge is that of the terms')
  })
})
