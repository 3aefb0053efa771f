import { describe, expect, it } from 'vitest'
import { emptyBalances, post } from '../../../src/ledger/accounts.ts'
import {
  checkWithdrawal,
  differencePostings,
  type VaultPayout,
  type WithdrawalRequest,
} from '../../../src/ledger/withdrawal.ts'
import { NOTHING_KNOWN } from '../../../src/operator/modes.ts'

it('a withdrawal of nothing is refused even if there is no minimum', () => {
  const request: WithdrawalRequest = {
    token: 'USDG',
    amountWei: 0n,
    nonce: 0,
    signature: '0x',
    isSigned: true,
    min: 0n,
    isVaultPaused: false,
    terms: '',
    modes: NOTHING_KNOWN,
  }
  for (const available of [0n, 5n]) {
    const idle = { isUnderWay: false, sinceSmallMs: null, hasMissingDeposit: false }
    const context = { next: 0, available, inPlay: 0n, ...idle }
    expect(checkWithdrawal(request, context)?.error.code).toBe('amount_out_of_bounds')
  }
})

describe('a withdrawal that operators end, whose nonce the vault has used for another payment', () => {
  const row = { token: 'ETH' as const, amountWei: '5' }
  const ended = (outcome: 'confirmed' | 'failed', paid: VaultPayout | null) =>
    post(emptyBalances(), differencePostings(row, outcome, paid))

  it('costs the house what the vault paid', () => {
    const { ETH, USDG } = ended('failed', { token: 'USDG', amountWei: '7' })
    expect(USDG).toMatchObject({ house: -7n, vault: 7n })
    expect(ETH).toEqual(emptyBalances().ETH)
  })

  it('leaves the house what the vault did not pay, if it counts as paid', () => {
    const { ETH, USDG } = ended('confirmed', { token: 'USDG', amountWei: '7' })
    expect(ETH).toMatchObject({ house: 5n, vault: -5n })
    expect(USDG).toMatchObject({ house: -7n, vault: 7n })
    expect(ended('confirmed', null).ETH).toMatchObject({ house: 5n, vault: -5n })
  })

  it('costs nothing if nothing was paid and it has failed', () => {
    expect(ended('failed', null)).toEqual(emptyBalances())
  })
})
