import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  showBeacon,
  showPartners,
  showPlayer,
  showRounds,
  showStuck,
  showVerified,
} from '../../../../src/cli/operate/inspect.ts'
import { inspectionOperations } from '../../../../src/reference/operations/operator-inspection.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let printed: string[] = []
beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((text: string) =>
    printed.push(...stripVTControlCharacters(text).split('\n')),
  )
})
afterEach(() => vi.restoreAllMocks())

/** Answers a call, and records what was asked. */
function answering(answer: object) {
  const asked: [string, Record<string, string> | undefined][] = []
  const ask = async <T>(path: string, query?: Record<string, string>) => {
    asked.push([path, query])
    return answer as T
  }
  return { ask, asked }
}

/** Returns the example answer of the reference. */
function example(path: string, name?: string): object {
  const operation = inspectionOperations.find((each) => each.path === `/api/operate${path}`)
  if (!operation) throw new Error(`the reference lacks ${path}`)
  const calls = 'calls' in operation ? operation.calls : [operation]
  const found = calls.find((each) => name === undefined || each.name === name)
  return found?.example.answer as object
}

describe('npm run operate -- stuck', () => {
  const item = {
    kind: 'withdrawal',
    name: `${WALLET}:4`,
    wallet: WALLET,
    asset: 'USDG',
    amountWei: '1500000',
    since: NOW - 3_600_000,
    isStuck: true,
    cause: 'The cause.',
    remedy: 'The remedy.',
    acts: [{ act: 'release-withdrawal', target: `${WALLET}:4` }],
  }

  it('shows what it is, why, and how to order what ends it, and fails', async () => {
    expect(await showStuck(answering({ stuck: [item] }).ask, NOW)).toBe(1)
    expect(printed).toEqual([
      `withdrawal of 1.5 USDG ${WALLET}:4, since 2026-11-22T11:00:00.000Z (60 min)`,
      '  The cause.',
      '  The remedy.',
      `  npm run operate -- release-withdrawal ${WALLET}:4 --reason "…"`,
    ])
  })

  it('exits with 0 if money is only on its way, or nothing is stuck', async () => {
    const onItsWay = { ...item, isStuck: false, acts: [] }
    expect(await showStuck(answering({ stuck: [onItsWay] }).ask, NOW)).toBe(0)
    expect(await showStuck(answering({ stuck: [] }).ask, NOW)).toBe(0)
    expect(printed.at(-1)).toBe('Nothing is stuck: all money moves.')
  })
})

describe('npm run operate -- player', () => {
  it('shows balances, withdrawals, limits and the journal', async () => {
    const limit = { kind: 'wager', window: 'day', token: 'USDG', amountWei: '5000000', used: '7' }
    const answer = {
      ...example('/player', 'books'),
      isFrozen: true,
      next: 7,
      withdrawals: [{ nonce: 3, token: 'ETH', amountWei: '1', status: 'pending', txHash: null }],
      protection: { limits: [limit], excluded: true },
    }
    const { ask, asked } = answering(answer)
    expect(await showPlayer(ask, WALLET, '9')).toBe(0)
    expect(asked).toEqual([['/player', { wallet: WALLET, before: '9' }]])
    expect(printed).toEqual([
      `${WALLET}: 1 entries, 0 open bets.`,
      'An operator has frozen it.',
      'ETH: nothing',
      'USDG: chips 2.5, vault -2.5, deposited 2.5',
      'Withdrawal 3: 0.000000000000000001 ETH, pending',
      'The player is excluded from play.',
      'Limit: wager a day, 5 USDG; used 0.000007',
      expect.stringMatching(/^1 .* deposited:.*: 2\.5 USDG vault > chips$/),
      'Older entries: --before 7',
    ])
  })

  it('says whether the journal is right, and fails if not', async () => {
    expect(await showVerified(answering(example('/player', 'verify')).ask, WALLET)).toBe(0)
    const wrong = { isRight: false, problem: 'chips of USDG', entries: 1, archived: null }
    expect(await showVerified(answering(wrong).ask, WALLET)).toBe(1)
    expect(printed).toEqual([
      expect.stringMatching(/^Verified/),
      'Verification failed: chips of USDG.',
    ])
  })
})

it('npm run operate -- partners shows limits and what is owed', async () => {
  expect(await showPartners(answering(example('/partners')).ask)).toBe(0)
  expect(printed).toContain('acme: open, 1 key')
  expect(printed).toContain('  USDG today: credited 5, debited 7; limit 100000')
  expect(printed).toContainEqual(
    expect.stringMatching(
      /^ {2}USDG in all, up to the last counted day, \d{4}-\d\d-\d\d: debits 90, credits 80, settled 4; owed 6$/,
    ),
  )
})

it('npm run operate -- partners says that no day has been counted yet', async () => {
  const answer = { ...example('/partners'), countedTo: null }
  expect(await showPartners(answering(answer).ask)).toBe(0)
  expect(printed).toContain('  USDG in all: debits 90, credits 80, settled 4; owed 6')
  expect(printed.at(-1)).toBe('No day has been counted yet.')
})

it('npm run operate -- partners names a partner that PARTNERS lacks, and fails', async () => {
  const answer = { ...example('/partners'), unlisted: ['globex'] }
  expect(await showPartners(answering(answer).ask)).toBe(1)
  expect(printed.at(-1)).toContain("globex has a balance in the books, but isn't in PARTNERS")
})

describe('npm run operate -- rounds', () => {
  it('shows the newest rounds and voids', async () => {
    expect(await showRounds(answering(example('/rounds', 'newest')).ask)).toBe(0)
    expect(printed.map((line) => line.replace(/ \S+Z,/, ','))).toEqual([
      '812, 4 bets, 1.85x, beacon 4242424',
      'Voids:',
      '790, 4 bets, void: no beacon in time, beacon 4242424',
    ])
  })

  it.each([
    ['a void without a beacon', { kind: 'voided', signature: null, isSame: null }, 0],
    ['a void whose beacon exists', { kind: 'voided', signature: 'ab', isSame: null }, 1],
    ['a round with the same beacon', { kind: 'settled', signature: 'ab', isSame: true }, 0],
    ['a round with another beacon', { kind: 'settled', signature: 'ab', isSame: false }, 1],
    ['a round whose beacon is gone', { kind: 'settled', signature: null, isSame: null }, 1],
  ])('compares %s with drand', async (_what, found, code) => {
    const { ask, asked } = answering({ ...example('/rounds', 'beacon'), ...found })
    expect(await showBeacon(ask, '790')).toBe(code)
    expect(asked).toEqual([['/rounds', { action: 'beacon', round: '790' }]])
  })
})
