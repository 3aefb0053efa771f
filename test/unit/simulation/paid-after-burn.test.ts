import { expect, it } from 'vitest'
import { checkPaidAfterBurn } from '../../simulation/invariants/paid-after-burn.ts'

const PAYMENT = { player: '0xp', nonce: 3 }

/** Returns what the invariant says of one payment after a burn. @param alerts what the service has logged */
function violationsIn(alerts: readonly string[]): string[] {
  const violations: string[] = []
  const world = { violate: (text: string) => violations.push(text) }
  checkPaidAfterBurn(world as never, { alerts } as never, [PAYMENT as never])
  return violations
}

const toldOf = (id: string) => `{"event":"payout_paid_after_burn","id":"31337:0xv:${id}"}`

it('expects operators to be told of each payment that the chain makes after its burn', () => {
  expect(violationsIn([toldOf('0xp:3')])).toEqual([])
  const untold = ['operators are not told that withdrawal 3 of 0xp was paid after its burn']
  expect(violationsIn([])).toEqual(untold)
  expect(violationsIn([toldOf('0xp:33')])).toEqual(untold)
})
