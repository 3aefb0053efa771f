import { expect, it } from 'vitest'
import { checkWithdrawal, type WithdrawalRequest } from '../../../src/ledger/withdrawal.ts'
import { NOTHING_KNOWN } from '../../../src/operator/modes.ts'

it('a withdrawal of nothing is refused even if there is no minimum', () => {
  const request: WithdrawalRequest = {
    ...{ token: 'USDG', amountWei: 0n, nonce: 0, signature: '0x', isSigned: true },
    ...{ min: 0n, isVaultPaused: false, terms: '', modes: NOTHING_KNOWN },
  }
  for (const available of [0n, 5n]) {
    const idle = { isUnderWay: false, sinceSmallMs: null, hasMissingDeposit: false }
    const context = { next: 0, available, inPlay: 0n, ...idle }
    expect(checkWithdrawal(request, context)?.error.code).toBe('amount_out_of_bounds')
  }
})
