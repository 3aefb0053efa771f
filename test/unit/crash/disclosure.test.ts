import { describe, expect, it } from 'vitest'
import { invariant } from '../../../src/core/invariant.ts'
import { flightMs } from '../../../src/crash/curve.ts'
import { disclose } from '../../../src/crash/disclosure.ts'
import { Round } from '../../../src/crash/round.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import {
  BETS_CLOSE_AT,
  OPENED_AT,
  PEPPER,
  planOf,
  recordOf,
  ROUND_ID,
  roundOf,
  SEED,
  SIGNATURE,
  TAKEOFF_AT,
  VOID_AT,
} from '../support/builders.ts'

function resultOf(round: Round, endsAt: number) {
  round.advance(endsAt)
  const result = round.result()
  invariant(result, 'the round has ended')
  return result
}

describe('the disclosure', () => {
  const settled = resultOf(roundOf(235), TAKEOFF_AT + flightMs(235))
  const voided = resultOf(new Round(recordOf('drand-quicknet', 235), []), VOID_AT)
  const { edgeBps } = settled

  it('contains everything needed to check a settled round', () => {
    expect(disclose([settled])).toEqual({
      ok: true,
      rounds: [
        {
          roundId: ROUND_ID,
          seedHash: commitmentOf(SEED),
          seed: SEED,
          pepper: PEPPER,
          crash: 2.35,
          pepperSource: { kind: 'committed', pepperHash: commitmentOf(PEPPER) },
          edgeBps,
          openedAt: OPENED_AT,
          betsCloseAt: BETS_CLOSE_AT,
        },
      ],
      voided: [],
    })
  })

  it('contains the beacon’s signature if the pepper is a beacon', () => {
    const round = new Round(recordOf('drand-quicknet', 235), [])
    const { flightAt, pepperSource } = planOf('drand-quicknet')
    round.takePepper(PEPPER, SIGNATURE, flightAt)
    const { rounds } = disclose([resultOf(round, flightAt + flightMs(235))])
    expect(rounds).toMatchObject([{ pepperSource, signature: SIGNATURE }])
  })

  it('lists voided rounds separately', () => {
    const { rounds, voided: listed } = disclose([voided, settled])
    expect(rounds).toHaveLength(1)
    expect(listed).toEqual([
      {
        roundId: ROUND_ID,
        seedHash: commitmentOf(SEED),
        seed: SEED,
        pepperSource: planOf('drand-quicknet').pepperSource,
        openedAt: OPENED_AT,
        betsCloseAt: BETS_CLOSE_AT,
        reason: 'the randomness beacon did not publish in time',
      },
    ])
  })
})
