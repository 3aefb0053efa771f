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

describe('whatever happens to a withdrawal', () => {
  const events = fc.array(fc.constantFrom(...EVENTS_OF.withdrawal), { maxLength: 40 })

  it('it ends once, unless the chain or operators change its end', () => {
    forMany(2_000, events, (names) => {
      let payout = payoutOf('withdrawal', 'withdraw', 'queued')
      for (const name of names) {
        const event = eventOf(name)
        if (event.kind === 'resolved' && refusalToResolve(payout, event)) continue
        const next = nextPayout(payout, event)?.next
        if (!next) continue
        const hasEnded = payout.state !== 'queued' && payout.state !== 'sent'
        if (hasEnded) expect(REOPENS).toContain(event.kind)
        payout = { ...payout, ...next }
      }
    })
  })

  it('none that has been refunded is to be paid, and no transaction that was signed for that is sent', () => {
    forMany(2_000, events, (names) => {
      let payout = payoutOf('withdrawal', 'withdraw', 'queued')
      for (const name of names) {
        const event = eventOf(name)
        if (event.kind === 'resolved') continue
        const change = nextPayout(payout, event)
        if (change && event.kind === 'signed') expect(event.step).toBe(payout.step)
        payout = { ...payout, ...change?.next }
        const isRefunded = payout.isRefunded || payout.state === 'failed'
        expect([false, 'burn']).toContain(isRefunded && payout.step)
      }
    })
  })

  it('a payment that the chain drops is made again, unless it has been refunded', () => {
    forMany(2_000, events, (names) => {
      let payout = payoutOf('withdrawal', 'withdraw', 'queued')
      for (const name of names) {
        const event = eventOf(name)
        if (event.kind === 'resolved') continue
        payout = { ...payout, ...nextPayout(payout, event)?.next }
        if (payout.state !== 'confirmed' || payout.isRefunded) continue
        const dropped = nextPayout(payout, { kind: 'dropped' })?.next
        expect(dropped).toMatchObject({ state: 'queued', step: 'withdraw', isBooked: true })
      }
    })
  })

  it('its amount is in one place, refunded at most once, and where its end says or operators know', () => {
    forMany(2_000, events, (names) => {
      let payout = payoutOf('withdrawal', 'withdraw', 'queued')
      const ledger = new ToyLedger()
      let hasAlerted = false
      for (const name of names) {
        const event = eventOf(name)
        if (event.kind === 'resolved') continue
        const change = nextPayout(payout, event)
        payout = { ...payout, ...change?.next }
        if (change?.report) ledger.take(change.report)
        hasAlerted ||= change?.paidAfterBurn != null
        const { chips, withdrawing, vault } = ledger.balances
        expect(chips + withdrawing + vault).toBe(5n)
        expect([chips, withdrawing, vault]).toContain(5n)
        expect(ledger.refunds).toBe(payout.state === 'failed' || payout.isRefunded ? 1 : 0)
        if (payout.state === 'confirmed' && !hasAlerted) expect(vault).toBe(5n)
        if (payout.isBooked && !hasAlerted) expect(vault).toBe(5n)
        if (payout.state === 'failed') expect(chips).toBe(5n)
      }
    })
  })
})
