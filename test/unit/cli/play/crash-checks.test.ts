import { describe, expect, it } from 'vitest'
import { checkForced, isForced } from '../../../../src/cli/play/crash-checks.ts'
import type { Game } from '../../../../src/cli/play/crash-game.ts'
import { discloseWhole, type WholeRound } from '../../../../src/crash/disclosure.ts'
import { OPENED_AT, roundOf, TAKEOFF_AT } from '../../support/builders.ts'

const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** A round whose only bet left it early: at a limit, or because the house says that its player asked for it. */
function disclosed(by: 'limit' | 'hand'): WholeRound {
  const limits = by === 'limit' ? { max: '100', maxPayout: '150' } : {}
  const round = roundOf(300, [{ wallet: WALLET.toLowerCase() }], limits)
  if (by === 'hand') {
    round.advance(TAKEOFF_AT + 6_800)
    round.cashOut(WALLET.toLowerCase(), TAKEOFF_AT + 6_800)
  }
  round.advance(OPENED_AT + 600_000)
  const { betsRoot } = round.fixedBets
  return discloseWhole(round.result()!, { plan: round.record.plan, betsRoot }, round.bets, 0)
}

/** A game with this target, cashed out at 1.50x. */
function gameOf(target: number, { roundId, seedHash, pepperSource, ...round }: WholeRound): Game {
  const { edgeBps, betsCloseAt, openedAt: seenAt } = round
  return {
    token: 'ETH',
    amountWei: 100n,
    target,
    crashShown: 3,
    receipts: [],
    chipsBefore: 1_000n,
    chipsAfterBet: 900n,
    seen: { roundId, seedHash, pepperSource, edgeBps, betsCloseAt, seenAt },
    result: { kind: 'won', multiplier: 150, payoutWei: 150n },
  }
}

describe('a cash-out before the target of the player in the terminal', () => {
  it('is one that the player did not ask for', () => {
    const round = disclosed('limit')
    expect(isForced(gameOf(151, round))).toBe(true)
    expect(isForced(gameOf(150, round))).toBe(false)
  })

  it.each([
    ['passes if a limit of the round required it', 'limit', []],
    [
      'fails if the house says that the player asked for it',
      'hand',
      ['a limit of the round cashed you out before your target, not the house'],
    ],
  ] as const)('%s', (_what, by, broken) => {
    const round = disclosed(by)
    const checks = checkForced(WALLET, gameOf(200, round), round)
    expect(checks.filter(({ holds }) => !holds).map(({ claim }) => claim)).toEqual(broken)
  })
})
