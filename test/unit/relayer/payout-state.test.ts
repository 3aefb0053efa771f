import { describe, expect, it } from 'vitest'
import {
  nextPayout,
  refusalToResolve,
  type PayoutEvent,
} from '../../../src/relayer/payout-state.ts'
import type { OrderStep } from '../../../src/relayer/payout.ts'
import { eventOf, EVENTS_OF, payoutOf, STEPS, type Kind, type Payout } from './payout-events.ts'

/**
 * Returns what follows as a cell of the tables below: the next state with `!` if it is reported, its step if that is
 * another one, and its flags. `!` alone reports the state once more.
 */
function cell(payout: Payout, event: PayoutEvent): string {
  if (event.kind === 'resolved' && refusalToResolve(payout, event)) return 'refused'
  const change = nextPayout(payout, event)
  if (change === null) return '-'
  const { next, report, paidAfterBurn } = change
  const { state } = next ?? payout
  expect([null, state === 'sent' ? 'submitted' : state]).toContain(report)
  const words = [
    (next?.state ?? '') + (report ? '!' : ''),
    next && next.step !== payout.step && next.step,
    next?.isBooked && 'booked',
    next?.isRefunded && 'refunded',
    paidAfterBurn && `alert ${paidAfterBurn}`,
  ]
  return words.filter(Boolean).join(' ')
}

const WITHDRAW = `
                             | queued       | sent        | confirmed          | failed          | closed
  ordered                    | -            | -           | !                  | !               | -
  signed withdraw            | sent!        | -           | -                  | -               | -
  signed burn                | -            | -           | -                  | -               | -
  redirected withdraw        | queued       | -           | -                  | -               | -
  redirected burn            | queued burn  | -           | -                  | -               | -
  ended confirmed            | confirmed!   | -           | -                  | -               | -
  ended failed               | failed! burn | -           | -                  | -               | -
  dropped                    | -            | -           | queued booked      | queued refunded | -
  mined withdraw             | confirmed!   | confirmed!  | confirmed!         | alert withdraw  | alert withdraw
  reverted withdraw          | queued burn  | queued burn | queued burn booked | -               | -
  early withdraw             | queued       | queued      | queued booked      | -               | -
  reverted withdraw, another | -            | -           | -                  | -               | -
  early withdraw, another    | -            | -           | -                  | -               | -
  mined burn                 | failed! burn | failed! burn | failed! burn      | -               | -
  reverted burn              | queued burn  | queued burn | queued burn booked | -               | -
  reverted burn, another     | -            | -           | -                  | -               | -
  lost                       | queued       | queued      | queued booked      | -               | -
  lost, another              | -            | -           | -                  | -               | -
  resolved confirmed         | closed       | refused     | -                  | closed refunded | closed
  resolved failed            | closed       | refused     | refused            | -               | closed
  unordered confirmed        | closed       | refused     | refused            | closed refunded | closed
  unordered failed           | closed       | refused     | refused            | -               | closed
`

const BURN = `
                             | queued              | sent                | confirmed              | failed          | closed
  ordered                    | -                   | -                   | !                      | !               | -
  signed withdraw            | -                   | -                   | -                      | -               | -
  signed burn                | sent!               | -                   | -                      | -               | -
  redirected withdraw        | queued withdraw     | -                   | -                      | -               | -
  redirected burn            | queued              | -                   | -                      | -               | -
  ended confirmed            | confirmed! withdraw | -                   | -                      | -               | -
  ended failed               | failed!             | -                   | -                      | -               | -
  dropped                    | -                   | -                   | queued booked          | queued refunded | -
  mined withdraw             | confirmed! withdraw | confirmed! withdraw | confirmed! withdraw    | alert withdraw  | alert withdraw
  reverted withdraw          | queued              | queued              | queued booked          | queued refunded | -
  early withdraw             | queued withdraw     | queued withdraw     | queued withdraw booked | queued refunded | -
  reverted withdraw, another | -                   | -                   | -                      | queued refunded | -
  early withdraw, another    | -                   | -                   | -                      | queued refunded | -
  mined burn                 | failed!             | failed!             | failed!                | -               | -
  reverted burn              | queued              | queued              | queued booked          | queued refunded | -
  reverted burn, another     | -                   | -                   | -                      | queued refunded | -
  lost                       | queued              | queued              | queued booked          | queued refunded | -
  lost, another              | -                   | -                   | -                      | -               | -
  resolved confirmed         | closed              | refused             | -                      | closed refunded | closed
  resolved failed            | closed              | refused             | refused                | -               | closed
  unordered confirmed        | closed              | refused             | refused                | closed refunded | closed
  unordered failed           | closed              | refused             | refused                | -               | closed
`

const BURN_AGAIN = `
                             | queued refunded                | sent refunded                  | confirmed refunded             | queued booked
  ordered                    | -                              | -                              | ! alert burn                   | -
  signed withdraw            | -                              | -                              | -                              | -
  signed burn                | sent refunded                  | -                              | -                              | sent!
  redirected withdraw        | queued refunded                | -                              | -                              | queued withdraw booked
  redirected burn            | queued refunded                | -                              | -                              | queued booked
  ended confirmed            | confirmed! refunded alert burn | -                              | -                              | confirmed! withdraw
  ended failed               | failed! refunded               | -                              | -                              | failed!
  dropped                    | -                              | -                              | queued booked refunded         | -
  mined withdraw             | confirmed! refunded alert burn | confirmed! refunded alert burn | confirmed! refunded alert burn | confirmed! withdraw
  reverted withdraw          | queued refunded                | queued refunded                | queued booked refunded         | queued booked
  early withdraw             | queued refunded                | queued refunded                | queued booked refunded         | queued withdraw booked
  reverted withdraw, another | -                              | -                              | -                              | -
  early withdraw, another    | -                              | -                              | -                              | -
  mined burn                 | failed! refunded               | failed! refunded               | failed! refunded               | failed!
  reverted burn              | queued refunded                | queued refunded                | queued booked refunded         | queued booked
  reverted burn, another     | -                              | -                              | -                              | -
  lost                       | queued refunded                | queued refunded                | queued booked refunded         | queued booked
  lost, another              | -                              | -                              | -                              | -
  resolved confirmed         | closed refunded                | refused                        | closed refunded                | closed
  resolved failed            | closed refunded                | refused                        | refused                        | closed
  unordered confirmed        | closed refunded                | refused                        | closed refunded                | closed
  unordered failed           | closed refunded                | refused                        | refused                        | closed
`

const PRIZE = `
                          | queued     | sent       | confirmed
  ordered                 | -          | -          | !
  ended confirmed         | confirmed! | -          | -
  dropped                 | -          | -          | queued booked
  lost                    | queued     | queued     | queued booked
  lost, another           | -          | -          | -
  signed prize            | sent!      | -          | -
  mined prize             | confirmed! | confirmed! | confirmed!
  reverted prize          | queued     | queued     | queued booked
  reverted prize, another | -          | -          | -
`

const RECORD = `
                           | queued        | sent          | confirmed        | failed
  abandoned                | failed        | -             | -                | -
  cancelled                | queued cancel | sent cancel   | confirmed cancel | -
  lost                     | failed        | failed        | failed           | -
  lost, another            | -             | -             | -                | -
  signed record            | sent          | -             | -                | -
  mined record             | confirmed     | confirmed     | confirmed        | -
  reverted record          | failed        | failed        | failed           | -
  reverted record, another | failed        | failed        | failed           | -
  mined cancel             | failed cancel | failed cancel | failed cancel    | -
  reverted cancel          | failed cancel | failed cancel | failed cancel    | -
  reverted cancel, another | failed cancel | failed cancel | failed cancel    | -
`

const CANCEL = `
                           | queued | sent   | failed
  lost                     | failed | failed | -
  lost, another            | -      | -      | -
  signed cancel            | sent   | -      | -
  mined cancel             | failed | failed | -
  reverted cancel          | failed | failed | -
  reverted cancel, another | failed | failed | -
`

/** Checks that a table has every event of a kind of order once, and what follows from each of them in each state. */
function checkTable(kind: Kind, step: OrderStep, table: string): void {
  const rows = table.trim().split('\n')
  const [states = [], ...expected] = rows.map((line) => line.split('|').map((text) => text.trim()))
  expect(expected).toHaveLength(EVENTS_OF[kind].length)
  expect(new Set(expected.map(([event]) => event))).toEqual(new Set(EVENTS_OF[kind]))
  const found = expected.map(([name = '']) => [
    name,
    ...states.slice(1).map((state) => cell(payoutOf(kind, step, state), eventOf(name))),
  ])
  expect(found).toEqual(expected)
}

describe('each event in each state', () => {
  it.each<[string, Kind, OrderStep, string]>([
    ['a withdrawal that is to be paid', 'withdrawal', 'withdraw', WITHDRAW],
    ['a withdrawal whose nonce is to be burned', 'withdrawal', 'burn', BURN],
    ['a withdrawal that was refunded, or booked as paid', 'withdrawal', 'burn', BURN_AGAIN],
    ['a prize, which never fails', 'prize', 'prize', PRIZE],
    ['a result, about which nothing is reported', 'result', 'record', RECORD],
    ['an order to use a nonce, which ends with its transaction', 'cancel', 'cancel', CANCEL],
  ])('carries on %s', (_what, kind, step, table) => checkTable(kind, step, table))

  it('is a fault for an order to which it cannot happen', () => {
    const impossible: [Kind, string][] = [
      ['prize', 'redirected burn'],
      ['prize', 'abandoned'],
      ['prize', 'resolved confirmed'],
      ['withdrawal', 'abandoned'],
      ['withdrawal', 'cancelled'],
      ['result', 'ordered'],
      ['result', 'ended confirmed'],
      ['result', 'dropped'],
      ['result', 'resolved failed'],
      ['cancel', 'cancelled'],
    ]
    for (const [kind, name] of impossible) {
      const payout = payoutOf(kind, STEPS[kind][0]!, 'queued')
      expect(() => nextPayout(payout, eventOf(name)), name).toThrow('is never')
    }
  })

  it('is a fault if it is a resolution that is refused', () => {
    const payout = payoutOf('withdrawal', 'withdraw', 'sent')
    expect(() => nextPayout(payout, eventOf('resolved failed'))).toThrow('refused resolution')
  })
})
