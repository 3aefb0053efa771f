import { assert, bigInt, property, record, type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refuse } from '../../../src/core/refusal.ts'
import { assertSound, emptyBalances, post, type Balances } from '../../../src/ledger/accounts.ts'
import {
  answerLost,
  checkKnown,
  goesOnFrom,
  isAnswerLost,
  MAX_LOST,
  postingsBetween,
  restoredBalances,
  type LastKnownState,
} from '../../../src/ledger/restoration.ts'
import { usedOtherwise } from '../../../src/ledger/transfer.ts'
import { TOKENS } from '../../../src/money/token.ts'

const AMOUNT = bigInt({ min: 0n, max: 10n ** 20n })
const SIGNED = bigInt({ min: -(10n ** 20n), max: 10n ** 20n })

/** Sound balances: the player's accounts aren't negative, and the vault closes the sum. */
const BALANCES: Arbitrary<Balances> = record({
  chips: AMOUNT,
  quarantine: AMOUNT,
  house: SIGNED,
  partner: SIGNED,
  fees: AMOUNT,
}).map((amounts) => {
  const sum = Object.values(amounts).reduce((total: bigint, amount) => total + amount, 0n)
  const accounts = { ...emptyBalances().ETH, ...amounts, vault: -sum }
  return { ETH: accounts, USDG: { ...accounts } }
})

const PAID = record({ ETH: AMOUNT, USDG: AMOUNT })

const NONE = { ETH: 0n, USDG: 0n }

/** By default, nothing was withdrawn since, and nothing is written off. */
const restored = (
  now: Balances,
  known: Pick<LastKnownState, 'balances'> & Partial<LastKnownState>,
  since: Partial<Parameters<typeof restoredBalances>[2]> = {},
) =>
  restoredBalances(
    now,
    { writtenOffWei: null, ...known },
    { withdrawn: NONE, writtenOffWei: NONE, ...since },
  )

describe('the balances of a restored ledger', () => {
  it('are sound whatever is known and whatever the chain says, and take the vault from the chain', () => {
    assert(
      property(BALANCES, BALANCES, PAID, (now, known, withdrawn) => {
        const { balances } = restored(now, { balances: known }, { withdrawn })
        assertSound(balances)
        for (const token of TOKENS) {
          expect(balances[token].vault).toBe(now[token].vault)
          expect(balances[token].partner).toBe(known[token].partner)
          // What the chain has paid can be posted, and leaves no negative chips.
          expect(balances[token].chips).toBeGreaterThanOrEqual(withdrawn[token])
        }
      }),
    )
  })

  it('are those that were known, if the chain has nothing new', () => {
    assert(
      property(BALANCES, (known) => {
        const { balances, borneWei } = restored(known, { balances: known })
        expect(balances).toEqual(known)
        expect(borneWei).toEqual({ ETH: 0n, USDG: 0n })
      }),
    )
  })

  it('have the house bear what the player was paid and no longer has', () => {
    const known = emptyBalances()
    const paid = { withdrawn: { ETH: 0n, USDG: 7n } }
    const { balances, borneWei } = restored(emptyBalances(), { balances: known }, paid)
    expect(borneWei.USDG).toBe(7n)
    expect(balances.USDG).toMatchObject({ chips: 7n, house: -7n })
  })

  it('have the house bear the deposits that are written off now, and no longer those that were', () => {
    const known = { ...emptyBalances().USDG, vault: -7n, chips: 12n, house: -5n }
    const now = { ...emptyBalances().USDG, vault: -9n, chips: 12n, house: -3n }
    const { balances, borneWei } = restored(
      { ...emptyBalances(), USDG: now },
      { balances: { ...emptyBalances(), USDG: known }, writtenOffWei: { ETH: 0n, USDG: 5n } },
      { writtenOffWei: { ETH: 0n, USDG: 3n } },
    )
    expect(balances.USDG).toEqual(now)
    expect(borneWei.USDG).toBe(0n)
  })

  it('have in quarantine what was there and what was deposited since, whatever was withdrawn from it', () => {
    const usdg = (own: Partial<Balances['USDG']>): Balances => ({
      ...emptyBalances(),
      USDG: { ...emptyBalances().USDG, ...own },
    })
    const known = { balances: usdg({ chips: 90n, vault: -90n }) }
    const withdrawn = { ...NONE, USDG: 60n }
    const now = usdg({ chips: 100n, quarantine: 50n, vault: -150n })
    expect(restored(now, known, { withdrawn }).balances.USDG).toMatchObject({
      chips: 90n + 60n,
      quarantine: 0n,
    })
    const more = usdg({ chips: 100n, quarantine: 57n, vault: -157n })
    expect(restored(more, known, { withdrawn }).balances.USDG).toMatchObject({
      chips: 90n + 60n,
      quarantine: 7n,
    })
    const later = { balances: usdg({ chips: 40n, quarantine: 50n, vault: -90n }) }
    expect(restored(now, later, { withdrawn }).balances.USDG).toMatchObject({
      chips: 40n + 60n,
      quarantine: 50n,
    })
  })

  it('are reached by postings from any others', () => {
    assert(
      property(BALANCES, BALANCES, (some, others) => {
        expect(post(some, postingsBetween(some, others))).toEqual(others)
      }),
    )
  })
})

describe('a ledger is restored', () => {
  const known = (seq: number): LastKnownState => ({
    seq,
    hash: 'ab'.repeat(32),
    balances: emptyBalances(),
    writtenOffWei: null,
  })

  it('from the entry after the latest known one, and farther on if only D1 has heard of that', () => {
    expect(goesOnFrom(known(10))).toBe(11)
    // Five plays a second for the ten minutes that a position may be late.
    expect(goesOnFrom({ ...known(10), hash: null })).toBeGreaterThanOrEqual(10 + 5 * 600)
  })

  it('only if nothing was in play or being withdrawn, and not too much is lost', () => {
    expect(checkKnown(known(10), 3)).toBeNull()
    for (const account of ['in_play', 'withdrawing'] as const) {
      const open = known(10)
      open.balances.ETH[account] = 1n
      expect(checkKnown(open, 3)?.error.code).toBe('invalid_request')
    }
    expect(checkKnown(known(MAX_LOST + 2), 3)).toBeNull()
    expect(checkKnown(known(MAX_LOST + 3), 3)?.error.message).toContain('would be lost')
  })
})

it('recognises the stored answer that stands for a lost one, and explains it to the partner', () => {
  expect(isAnswerLost(answerLost('id'))).toBe(true)
  expect(isAnswerLost(refuse('insufficient_chips', 'Too few chips.'))).toBe(false)
  expect(answerLost('id')).not.toEqual(usedOtherwise('id'))
})
