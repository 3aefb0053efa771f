import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FinalOutcome } from '../../../src/crash/bet.ts'
import { settlementPostings, stakePostings } from '../../../src/crash/hold.ts'
import { emptyBalances, post } from '../../../src/ledger/accounts.ts'
import { posting } from '../support/builders.ts'
import { forAll } from '../support/for-all.ts'

const CHIPS = 1_000n

/** The balances of a player and the house after a bet with a held stake has ended. */
function after(stakeWei: bigint, outcome: FinalOutcome) {
  const stake = { token: 'ETH' as const, amountWei: stakeWei }
  const funded = post(emptyBalances(), [posting('faucet', 'chips', CHIPS)])
  const held = post(funded, stakePostings(stake))
  expect(held.ETH).toMatchObject({ chips: CHIPS - stakeWei, in_play: stakeWei, house: 0n })
  const { ETH } = post(held, settlementPostings(stake, outcome))
  return { chips: ETH.chips, inPlay: ETH.in_play, house: ETH.house }
}

describe('a held stake', () => {
  it.each<[string, FinalOutcome, bigint, bigint]>([
    ['that won', { kind: 'won', multiplier: 250, payoutWei: '250' }, 1_150n, -150n],
    ['that won its stake back', { kind: 'won', multiplier: 100, payoutWei: '100' }, 1_000n, 0n],
    ['that won nothing', { kind: 'won', multiplier: 100, payoutWei: '0' }, 900n, 100n],
    ['that lost', { kind: 'lost' }, 900n, 100n],
    ['whose round was voided', { kind: 'voided' }, 1_000n, 0n],
    ['that was never placed', { kind: 'never_placed' }, 1_000n, 0n],
  ])('%s is settled to the last unit', (_what, outcome, chips, house) => {
    expect(after(100n, outcome)).toEqual({ chips, inPlay: 0n, house })
  })

  it('leaves nothing in play and keeps the sum at zero, whatever it wins', () => {
    forAll(
      fc.bigInt({ min: 1n, max: CHIPS }),
      fc.bigInt({ min: 0n, max: 10n ** 24n }),
      (stakeWei, payoutWei) => {
        const won = { kind: 'won', multiplier: 100, payoutWei: payoutWei.toString() } as const
        expect(after(stakeWei, won)).toEqual({
          chips: CHIPS - stakeWei + payoutWei,
          inPlay: 0n,
          house: stakeWei - payoutWei,
        })
      },
    )
  })
})
