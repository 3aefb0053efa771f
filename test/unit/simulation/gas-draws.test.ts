import { expect, it } from 'vitest'
import { SentPayments } from '../../simulation/chain/sent-payments.ts'
import { checkGas } from '../../simulation/invariants/gas.ts'

/** Two withdrawals of 700,000 gas of one wallet, each sent twice, and what the invariant says once these are mined. */
function violationsOf(mined: readonly (readonly [hash: string, txNonce: number])[]): string[] {
  const payments = new SentPayments()
  const sent = (hash: string, txNonce: number, nonce: number, sentAt: number) =>
    payments.note(
      hash as never,
      { player: '0xp', sender: '0xr', gasLimit: 875_000, txNonce, nonce, sentAt } as never,
    )
  sent('0xa1', 5, 0, 0)
  sent('0xa2', 5, 0, 60_000)
  sent('0xb1', 6, 1, 120_000)
  sent('0xb2', 6, 1, 180_000)
  for (const [hash, txNonce] of mined) payments.noteUsed('0xr', txNonce, hash as never)
  const violations: string[] = []
  const world = { violate: (text: string) => violations.push(text), clocksDifferMs: 0 }
  checkGas(world as never, { payments, blocks: [] } as never)
  return violations
}

const DRAWN = ['0xp has drawn 1400000 gas in a day']

it('sees what a wallet draws too much, on whichever branch each attempt was mined', () => {
  const once = [
    ['0xa2', 5],
    ['0xb2', 6],
  ] as const
  expect(violationsOf(once)).toEqual(DRAWN)
  expect(violationsOf([['0xa1', 5], ['0xb1', 6], ...once])).toEqual(DRAWN)
})

it('does not count a payment whose number another transaction has used', () => {
  expect(
    violationsOf([
      ['0xelse', 5],
      ['0xb2', 6],
    ]),
  ).toEqual([])
})
