import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { verifyResultsCommand } from '../../../../src/cli/verify/results.ts'
import { crashPointOf } from '../../../../src/crash/crash-point.ts'
import { discloseWhole, type WholeRound } from '../../../../src/crash/disclosure.ts'
import { betsEntry, endEntry, planEntry } from '../../../../src/crash/log-entries.ts'
import { Round } from '../../../../src/crash/round.ts'
import { commitmentOf } from '../../../../src/fairness/seed.ts'
import { OPENED_AT, placement, roundOf } from '../../support/builders.ts'
import { House, SITE } from '../monitor/house.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const LATER = OPENED_AT + 3_600_000

const { record } = roundOf(300)
const { roundId, edgeBps } = { ...record.plan, edgeBps: 100 }
const PEPPER = record.pepper!

/** Returns a seed whose crash point is on one side of the bet's target. */
function seedThat(wins: boolean): string {
  for (let n = 1; ; n++) {
    const seed = n.toString(16).padStart(64, '0')
    if (crashPointOf({ roundId, seed, pepper: PEPPER, edgeBps }) >= 200 === wins) return seed
  }
}

/** A round with one bet under a seed, as disclosed, its entries in the log, and the bet as disclosed alone. */
function played(seed: string) {
  const plan = { ...record.plan, edgeBps, seedHash: commitmentOf(seed) }
  const round = new Round({ ...record, plan, seed }, [])
  round.place(placement({ wallet: WALLET, autoCashout: 200 }), OPENED_AT)
  const fixed = round.fixedBets
  round.advance(OPENED_AT + 600_000)
  const result = round.result()!
  const answer = discloseWhole(result, { plan, betsRoot: fixed.betsRoot }, round.bets, 0)
  const whole = JSON.parse(JSON.stringify(answer)) as WholeRound
  const { signature: _, takeoffAt: __, reason: ___, bets, ...ended } = whole
  // The ledger has held the stake before the round took the bet.
  const bet = { ...ended, ...bets[0]!, placedAt: bets[0]!.placedAt - 50 }
  return { whole, bet, entries: [planEntry(plan), betsEntry(plan, fixed), endEntry(result, fixed)] }
}

const { whole, bet, entries } = played(seedThat(true))
/** The same under a seed that the house has chosen once it knew the pepper. */
const forged = played(seedThat(false))

let house: House
let shown: object
let output: string[]

beforeEach(() => {
  house = new House().append(...entries)
  house.rounds.set(String(roundId), whole)
  shown = bet
  output = []
  vi.useFakeTimers({ now: LATER, toFake: ['Date'] })
  for (const method of ['log', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void output.push(line))
  }
  vi.stubGlobal('fetch', async (input: URL | string) => {
    const url = new URL(input)
    return url.searchParams.get('action') === 'bet' ? Response.json(shown) : house.fetch(url)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Runs `npm run verify` for the bet at the site. Returns what it printed, and how it ended. */
async function verify(...options: string[]) {
  const targets = ['--bet', String(roundId), '--wallet', WALLET]
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'verify', SITE, ...targets, ...options])
  const ended = await verifyResultsCommand().catch((fault: Error) => fault.message)
  return { ended, text: output.join('\n') }
}

const FAILED = expect.stringContaining('Some checks failed')

it('a bet is verified with its round and the public log', async () => {
  const { ended, text } = await verify('--log-key', house.verifier)
  expect([ended, text]).toEqual([0, expect.stringContaining('Verified: the result is correct. ')])
  expect(text).toContain('✓ the list of bets of its round discloses it identically')
  expect(text).toContain('✓ its plan is the logged one')
})

it('a bet fails with a seed that only its player is shown', async () => {
  shown = forged.bet
  const { ended, text } = await verify()
  expect([ended, text]).toEqual([FAILED, expect.stringContaining('✗ its bets are disclosed')])
})

it('a bet fails if its player is shown another round than everybody else', async () => {
  shown = forged.bet
  house.rounds.set(String(roundId), forged.whole)
  const { ended, text } = await verify()
  expect([ended, text]).toEqual([FAILED, expect.stringContaining('✗ its plan is the logged one')])
})

it('a bet fails if its round has another bet of its wallet', async () => {
  shown = { ...bet, amountWei: '7', payout: '14' }
  const { ended, text } = await verify()
  expect([ended, text]).toEqual([FAILED, expect.stringContaining('✗ the list of bets of its')])
})

it('a bet is not verified while the public log does not answer', async () => {
  house.isSilent = true
  expect((await verify()).ended).toContain('Not verified, which proves nothing yet')
})
