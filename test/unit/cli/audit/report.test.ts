import { expect, it } from 'vitest'
import { addRound, emptyVoids } from '../../../../src/audit/tally.ts'
import { profitLines } from '../../../../src/cli/audit/report.ts'

it('a report shows the share of voided rounds beside their share of the stakes, and does not judge them', () => {
  const tally = emptyVoids('USDG')
  for (let n = 0; n < 1_000; n++) {
    // The beacon is out for 40 rounds by night, when stakes are low.
    const isVoid = n >= 100 && n < 140
    const staked = n < 300 ? 100_000_000n : 1_000_000_000n
    addRound(tally, { isVoid, staked, paid: isVoid ? staked : 0n })
  }
  expect(profitLines([tally])).toEqual([
    'House profit of settled rounds in USDG: 726000 USDG of 726000 USDG staked. Voided rounds: 40 (4% of those with bets in USDG), which returned 4000 USDG (0.54% of all stakes).',
  ])
})
