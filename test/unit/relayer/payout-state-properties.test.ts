import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  mayBecome,
  setAsidePostings,
  statusPostings,
  type WithdrawalStatus,
} from '../../../src/ledger/withdrawal.ts'
import { nextPayout, refusalToResolve } from '../../../src/relayer/payout-state.ts'
import { forMany } from '../support/for-all.ts'
import { eventOf, EVENTS_OF, payoutOf, STATES, STEPS } from './payout-events.ts'

/** Every withdrawal with a step, a state and flags, and every event. */
const ALL = STEPS.withdrawal.flatMap((step) =>
  STATES.flatMap((state) =>
    ['', 'refunded', 'booked', 'refunded booked'].flatMap((flags) =>
      EVENTS_OF.withdrawal.map((name) => ({ step, state, flags, name })),
    ),
  ),
)

function follow({ step, state, flags, name }: (typeof ALL)[number]) {
  const payout = payoutOf('withdrawal', step, `${state} ${flags}`)
  const event = eventOf(name)
  const isRefused = event.kind === 'resolved' && refusalToResolve(payout, event) !== null
  return { payout, change: isRefused ? null : nextPayout(payout, event) }
}

describe('a withdrawal that has been refunded', () => {
  const refunded = ALL.filter(
    ({ state, flags }) => state === 'failed' || flags.includes('refunded'),
  ).map(follow)

  it('never gets another step, so a burn stays a burn', () => {
    for (const { payout, change } of refunded) {
      expect(change?.next?.step ?? payout.step).toBe(payout.step)
    }
  })

  it('stays refunded', () => {
    for (const { change } of refunded) expect(change?.next?.isRefunded ?? true).toBe(true)
  })

  it('is not reported as sent, and alerts operators whenever it is paid', () => {
    for (const { payout, change } of refunded) {
      expect(change?.report).not.toBe('submitted')
      const isPaid = change?.report === 'confirmed' && payout.isRefunded
      if (isPaid) expect(change.paidAfterBurn).toBe(payout.step)
    }
  })
})

describe('a withdrawal in the queue', () => {
  it('is booked only if it was confirmed before', () => {
    for (const each of ALL) {
      const { payout, change } = follow(each)
      if (!change?.next?.isBooked) continue
      expect(change.next.state).toBe('queued')
      expect(payout.isBooked || payout.state === 'confirmed').toBe(true)
    }
  })
})

describe('a withdrawal that operators have closed', () => {
  it('never changes again, except that another act closes it', () => {
    for (const each of ALL.filter(({ state }) => state === 'closed')) {
      expect(follow(each).change?.next?.state ?? 'closed').toBe('closed')
    }
  })
})

/** The wallet's ledger: what it books when it gets a report, and its balances. */
class ToyLedger {
  status: WithdrawalStatus = 'pending'
  refunds = 0
  readonly balances = { chips: 5n, withdrawing: 0n, vault: 0n }

  constructor() {
    this.#post(setAsidePostings('ETH', 5n, 0n))
  }

  /** See `Withdrawals.progress`. */
  take(report: WithdrawalStatus): void {
    if (!mayBecome(this.status, report) || report === this.status) return
    if (report === 'failed') this.refunds++
    this.#post(statusPostings({ token: 'ETH', amountWei: '5' }, this.status, report))
    this.status = report
  }

  #post(postings: ReturnType<typeof statusPostings>): void {
    for (const { from, to, amountWei } of postings) {
      this.balances[from as 'chips'] -= BigInt(amountWei)
      this.balances[to as 'chips'] += BigInt(amountWei)
    }
  }
}

/** Events that take up a payout again whose end the chain has dropped or that another transaction has ended. */
const REOPENS = ['dropped', 'mined', 'lost', 'resolved']

/** Follows a withdrawal through events. A resolution that is refused doesn't happen. */
function* stepsOf(names: readonly string[]) {
  let after = payoutOf('withdrawal', 'withdraw', 'queued')
  for (const name of names) {
    const [before, event] = [after, eventOf(name)]
    if (event.kind === 'resolved' && refusalToResolve(before, event)) continue
    const change = nextPayout(before, event)
    after = { ...before, ...change?.next }
    yield { before, event, change, after }
  }
}

describe('whatever happens to a withdrawal', () => {
  const listOf = (names: readonly string[]) =>
    fc.array(fc.constantFrom(...names), { maxLength: 40 })
  const events = listOf(EVENTS_OF.withdrawal)
  const withoutActs = listOf(
    EVENTS_OF.withdrawal.filter((name) => eventOf(name).kind !== 'resolved'),
  )

  it('it ends once, unless the chain or operators change its end', () => {
    forMany(2_000, events, (names) => {
      for (const { before, event, change } of stepsOf(names)) {
        const hasEnded = before.state !== 'queued' && before.state !== 'sent'
        if (change?.next && hasEnded) expect(REOPENS).toContain(event.kind)
      }
    })
  })

  it('it is not to be paid once it has been refunded, and only its current step is sent', () => {
    forMany(2_000, withoutActs, (names) => {
      for (const { before, event, change, after } of stepsOf(names)) {
        if (change && event.kind === 'signed') expect(event.step).toBe(before.step)
        const isRefunded = after.isRefunded || after.state === 'failed'
        expect([false, 'burn']).toContain(isRefunded && after.step)
      }
    })
  })

  it('it is paid again if the chain drops its payment, unless it has been refunded', () => {
    forMany(2_000, withoutActs, (names) => {
      for (const { after } of stepsOf(names)) {
        if (after.state !== 'confirmed' || after.isRefunded) continue
        const dropped = nextPayout(after, { kind: 'dropped' })?.next
        expect(dropped).toMatchObject({ state: 'queued', step: 'withdraw', isBooked: true })
      }
    })
  })

  it('its amount is in one place, refunded at most once, and where its end says or operators know', () => {
    forMany(2_000, withoutActs, (names) => {
      const ledger = new ToyLedger()
      let hasAlerted = false
      for (const { change, after } of stepsOf(names)) {
        if (change?.report) ledger.take(change.report)
        hasAlerted ||= change?.paidAfterBurn != null
        const { chips, withdrawing, vault } = ledger.balances
        expect(chips + withdrawing + vault).toBe(5n)
        expect([chips, withdrawing, vault]).toContain(5n)
        expect(ledger.refunds).toBe(after.state === 'failed' || after.isRefunded ? 1 : 0)
        if (after.state === 'confirmed' && !hasAlerted) expect(vault).toBe(5n)
        if (after.isBooked && !hasAlerted) expect(vault).toBe(5n)
        if (after.state === 'failed') expect(chips).toBe(5n)
      }
    })
  })
})
