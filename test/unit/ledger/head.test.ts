import { bytesToHex } from '@noble/hashes/utils'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACCOUNTS, type Account, type Balances } from '../../../src/ledger/accounts.ts'
import {
  EMPTY_HEAD,
  packHead,
  unpackHead,
  type HeldBet,
  type HeldGame,
} from '../../../src/ledger/head.ts'
import {
  NO_PROTECTION_COUNTERS,
  type ProtectionCounters,
} from '../../../src/ledger/protection-counters.ts'
import { TOTALS, type Total, type Totals } from '../../../src/ledger/totals.ts'
import { forAll } from '../support/for-all.ts'

const anyAccounts = fc.record(
  Object.fromEntries(
    ACCOUNTS.map((account) => [account, fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n })]),
  ) as Record<Account, fc.Arbitrary<bigint>>,
)
const anyBalances: fc.Arbitrary<Balances> = fc.record({ ETH: anyAccounts, USDG: anyAccounts })
const anyTotalsOfToken = fc.record(
  Object.fromEntries(
    TOTALS.map((total) => [total, fc.bigInt({ min: 0n, max: 2n ** 130n })]),
  ) as Record<Total, fc.Arbitrary<bigint>>,
)
const anyTotals: fc.Arbitrary<Totals> = fc.record({ ETH: anyTotalsOfToken, USDG: anyTotalsOfToken })
const anyNextPlay = fc.option(
  fc.record({
    nonce: fc.nat({ max: Number.MAX_SAFE_INTEGER - 1 }),
    seed: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex),
  }),
)

const anyAmount = fc.bigInt({ min: 0n, max: 2n ** 130n })
const anyTime = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const anyGuarded: fc.Arbitrary<ProtectionCounters | null> = fc.option(
  fc.record({
    quarantinedWei: fc.record({ ETH: anyAmount, USDG: anyAmount }),
    playedMs: anyTime,
    lastStakeAt: anyTime,
    sessionStartedAt: anyTime,
  }),
)

const anyBets: fc.Arbitrary<HeldBet[]> = fc.array(
  fc.record({
    roundId: fc.nat(),
    attempt: fc.nat(),
    token: fc.constantFrom('ETH', 'USDG'),
    amountWei: fc.bigInt({ min: 1n, max: 2n ** 130n }),
    autoCashout: fc.option(fc.integer({ min: 101, max: 100_000_000 })),
    target: fc.option(fc.integer({ min: 101, max: 100_000_000 })),
    placedAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    closesAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  }),
)

const anyHash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex)

const anyGame: fc.Arbitrary<HeldGame | null> = fc.option(
  fc.record({
    nonce: fc.nat(),
    seed: anyHash,
    nextSeedHash: anyHash,
    clientSeed: fc.string({ minLength: 1, maxLength: 64 }),
    token: fc.constantFrom('ETH', 'USDG'),
    amountWei: fc.bigInt({ min: 1n, max: 2n ** 130n }),
    mines: fc.integer({ min: 1, max: 24 }),
    maxPicks: fc.integer({ min: 1, max: 24 }),
    picked: fc.uniqueArray(fc.integer({ min: 0, max: 24 })),
    edgeBps: fc.nat({ max: 10_000 }),
    tables: fc.nat({ max: 9 }),
    terms: anyHash,
    openedAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  }),
)

describe('a head', () => {
  it('is read as it was packed', () => {
    forAll(
      anyBalances,
      anyTotals,
      anyNextPlay,
      fc.nat(),
      anyBets,
      anyGame,
      anyGuarded,
      (balances, totals, nextPlay, lastRoundId, openBets, openGame, guarded) => {
        const latest = { nextPlay, lastRoundId, attempts: lastRoundId % 7 }
        const head = { balances, totals, ...latest, openBets, openGame, guarded }
        expect(unpackHead(packHead(head))).toEqual(head)
      },
    )
  })

  it('takes seven bytes when it is empty, and some ninety for a player of ETH', () => {
    expect(packHead(EMPTY_HEAD)).toHaveLength(7)
    const { ETH, USDG } = EMPTY_HEAD.balances
    const player = { chips: 1_234_567_890_123_456_789n, house: -234_567_890_123_456_789n }
    const balances = { ETH: { ...ETH, ...player, vault: -(10n ** 18n) }, USDG }
    const wagered = 9_876_543_210_987_654_321n
    const returned = wagered - player.house
    const inAndOut = { deposited: 3n * 10n ** 18n, withdrawn: 2n * 10n ** 18n, bets: 5_000n }
    const totals = { ...EMPTY_HEAD.totals, ETH: { wagered, returned, ...inAndOut, debited: 0n } }
    const nextPlay = { nonce: 5_000, seed: '5e'.repeat(32) }
    const latest = { nextPlay, lastRoundId: 100_000, attempts: 1, openBets: [], openGame: null }
    const head = { balances, totals, ...latest, guarded: null }
    expect(packHead(head).length).toBeLessThanOrEqual(97)
  })

  it('takes no byte for totals that are zero or follow from the accounts', () => {
    const won = { ...EMPTY_HEAD.balances.ETH, chips: 3n, house: -3n }
    const head = { ...EMPTY_HEAD, balances: { ...EMPTY_HEAD.balances, ETH: won } }
    const totals = { ...head.totals, ETH: { ...head.totals.ETH, returned: 3n } }
    expect(packHead({ ...head, totals })).toHaveLength(7 + 2)
  })

  it('is refused when it was cut short, goes on, or has an unknown amount or layout', () => {
    const packed = packHead({ ...EMPTY_HEAD, nextPlay: { nonce: 1, seed: '5e'.repeat(32) } })
    expect(() => unpackHead(packed.subarray(0, -1))).toThrow('packed bytes are complete')
    expect(() => unpackHead(packed.subarray(0, 2))).toThrow('packed bytes are complete')
    expect(() => unpackHead(Uint8Array.from([...packed, 0]))).toThrow('packed bytes are complete')
    const withLimits = packHead({ ...EMPTY_HEAD, guarded: NO_PROTECTION_COUNTERS })
    expect(() => unpackHead(Uint8Array.from([...withLimits, 0]))).toThrow('no longer')
    const unknown = Uint8Array.from([5, 0x80, 0x80, 2, 1, 0, 0])
    expect(() => unpackHead(unknown)).toThrow('known amounts')
    expect(() => unpackHead(Uint8Array.from([4, ...packed.subarray(1)]))).toThrow('begins with 5')
  })
})
