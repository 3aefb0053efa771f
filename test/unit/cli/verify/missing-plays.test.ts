import { expect, it } from 'vitest'
import { missingPlays } from '../../../../src/cli/verify/missing-plays.ts'
import type { Receipt } from '../../../../src/receipts/claims.ts'

it('looks through the receipts of a player who has let autobet run for weeks', async () => {
  const receipts = Array.from({ length: 200_000 }, (_, nonce) => {
    const receipt: Partial<Receipt> = { kind: 'play', iss: 'https://house.test', sub: '0x1', nonce }
    return receipt as Receipt
  })
  expect(await missingPlays(receipts, async () => receipts.length)).toEqual({
    doubts: [],
    uncounted: [],
  })
})
