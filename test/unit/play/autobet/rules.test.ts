import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  begin,
  next,
  type Change,
  type Event,
  type Plan,
  type Run,
} from '../../../../src/play/autobet/rules.ts'
import { forMany } from '../../support/for-all.ts'

type Ticket = { seed: string }
type TestRun = Run<string, Ticket>

const KEEP: Change = { kind: 'keep' }
const PLAN: Plan<string> = {
  choice: 'limbo',
  token: 'ETH',
  amountWei: '1000',
  count: null,
  onWin: { kind: 'reset' },
  onLoss: { kind: 'raise', percent: 50 },
  stopProfitWei: null,
  stopLossWei: null,
  pauseMs: 0,
}

function runOf(plan: Partial<Plan<string>>, ...events: Event<Ticket>[]): TestRun {
  const first: TestRun = begin({ ...PLAN, ...plan })
  return events.reduce((run, event) => next(run, event).run, first)
}

const ready = (id: number): Event<Ticket> => ({ kind: 'ready', id, ticket: { seed: `s${id}` } })
const settled = (id: number, payoutWei: string): Event<Ticket> => ({
  kind: 'settled',
  id,
  payoutWei,
})
const refused = (id: number, code: string): Event<Ticket> => ({ kind: 'refused', id, code })

/** The events of bets that pay these amounts, from number 0 on. */
const paid = (...payouts: number[]) =>
  payouts.flatMap((payout, id) => [ready(id), settled(id, String(payout))])

describe('the stake', () => {
  it('is raised by a percentage, rounded down to whole units', () => {
    const raise = { kind: 'raise', percent: 33 } as const
    expect(runOf({ amountWei: '101', onLoss: raise }, ...paid(0)).amountWei).toBe('134')
    expect(runOf({ amountWei: '101', onLoss: raise }, ...paid(0, 0)).amountWei).toBe('178')
  })

  it('is reset, kept or raised by the result', () => {
    expect(runOf({}, ...paid(0, 0, 5_000)).amountWei).toBe('1000')
    expect(runOf({ onWin: KEEP }, ...paid(0, 5_000)).amountWei).toBe('1500')
    expect(runOf({ onWin: { kind: 'raise', percent: 100 } }, ...paid(2_000)).amountWei).toBe('2000')
  })

  it('stays after a bet that only returned it', () => {
    expect(runOf({}, ...paid(0, 1_500)).amountWei).toBe('1500')
  })
})

describe('a run ends', () => {
  it('after its number of bets', () => {
    const run = runOf({ count: 2 }, ...paid(0, 0))
    expect(run.end).toEqual({ reason: 'count' })
    expect(next(run, ready(2)).bet).toBeNull()
  })

  it('once the profit is reached', () => {
    expect(runOf({ stopProfitWei: '900' }, ...paid(1_899)).end).toBeNull()
    expect(runOf({ stopProfitWei: '900' }, ...paid(1_900)).end).toEqual({ reason: 'profit' })
  })

  it('before a bet that could lose more than the player allows', () => {
    expect(runOf({ stopLossWei: '2500' }, ...paid(0)).end).toBeNull()
    expect(runOf({ stopLossWei: '2499' }, ...paid(0)).end).toEqual({ reason: 'loss' })
    expect(next(runOf({ stopLossWei: '999' }), ready(0)).bet).toBeNull()
  })

  it('at a refusal that repeats, and asks for the same bet until then', () => {
    const once = runOf({}, ready(4), refused(4, 'insufficient_chips'))
    expect(next(once, ready(5)).bet).toMatchObject({
      id: 4,
      amountWei: '1000',
      ticket: { seed: 's4' },
    })
    const twice = next(once, refused(4, 'insufficient_chips')).run
    expect(twice.end).toEqual({ reason: 'refused', code: 'insufficient_chips' })
  })

  it('at once when the terms have changed', () => {
    const { end } = runOf({}, ready(4), refused(4, 'terms_changed'))
    expect(end).toEqual({ reason: 'refused', code: 'terms_changed' })
  })

  it('after ten answers that were lost, not before', () => {
    const lost = (times: number) => Array.from({ length: times }, () => refused(0, 'unreachable'))
    expect(runOf({}, ready(0), ...lost(9)).end).toBeNull()
    expect(runOf({}, ready(0), ...lost(10)).end).toEqual({ reason: 'refused', code: 'unreachable' })
  })

  it('when the player stops it, and counts the result of the last bet', () => {
    const run = runOf({}, ready(0), { kind: 'stop', reason: 'stopped' }, settled(0, '3000'))
    expect(run).toMatchObject({ end: { reason: 'stopped' }, settled: 1, netWei: '2000' })
    expect(next(run, ready(1)).bet).toBeNull()
  })
})

describe('a round that was missed or void', () => {
  const missed: Event<Ticket> = { kind: 'missed', id: 0 }
  const voided: Event<Ticket> = { kind: 'settled', id: 0, payoutWei: '1000', isVoid: true }

  it.each([missed, voided])('ends the run if the player wants that: $kind', (event) => {
    const end = (onMissed: 'wait' | 'stop') => runOf({ onMissed }, ready(0), event).end
    expect(end('stop')).toEqual({ reason: 'missed' })
    expect(end('wait')).toBeNull()
  })

  it('ends no run that had a result', () => {
    expect(runOf({ onMissed: 'stop' }, ready(0), settled(0, '1000')).end).toBeNull()
  })
})

describe('a bet whose round has ended without it', () => {
  it('is placed in the next round, with the same stake', () => {
    const run = runOf({}, ...paid(0), ready(5), { kind: 'missed', id: 5 })
    expect(next(run, ready(6)).bet).toMatchObject({ id: 6, amountWei: '1500' })
  })
})

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom<Change>({ kind: 'keep' }, { kind: 'reset' }),
  fc.integer({ min: 1, max: 300 }).map((percent): Change => ({ kind: 'raise', percent })),
)

/** What happens to a bet that is sent, and to older answers. */
const fate = fc.record({
  reaches: fc.boolean(),
  answer: fc.constantFrom('told', 'lost', 'refused', 'twice', 'late'),
  reloads: fc.boolean(),
  /** Whether the round of a bet that did not reach the service ends meanwhile. */
  misses: fc.boolean(),
  pays: fc.constantFrom(0, 1, 3),
})

interface Service {
  /** By number, and never changed: asked for again, a bet answers as before. */
  bets: Map<number, { stakeWei: bigint; payoutWei: string }>
}

describe('whatever answers are lost, repeated or late', () => {
  it('one step stakes once, with the stake that the results before it ask for', () => {
    forMany(
      500,
      fc.record({ onWin: change, onLoss: change, amountWei: fc.bigInt(1n, 10n ** 21n) }),
      fc.array(fate, { maxLength: 60 }),
      ({ onWin, onLoss, amountWei }, fates) => {
        const plan = { ...PLAN, onWin, onLoss, amountWei: amountWei.toString() }
        const service: Service = { bets: new Map() }
        let stored = JSON.stringify(begin<string, Ticket>(plan))
        let run = JSON.parse(stored) as TestRun
        let late: Event<Ticket>[] = []
        let round = 0
        const take = (event: Event<Ticket>) => {
          run = next(run, event).run
          stored = JSON.stringify(run)
        }
        for (const { reaches, answer, reloads, misses, pays } of fates) {
          const step = next(run, ready(round))
          run = step.run
          stored = JSON.stringify(run)
          const { bet } = step
          if (!bet) break
          const stakeWei = BigInt(bet.amountWei)
          if (reaches && !service.bets.has(bet.id)) {
            service.bets.set(bet.id, { stakeWei, payoutWei: (stakeWei * BigInt(pays)).toString() })
          }
          const placed = service.bets.get(bet.id)
          if (placed) expect(placed.stakeWei).toBe(stakeWei)
          const told: Event<Ticket> = placed
            ? settled(bet.id, placed.payoutWei)
            : misses
              ? { kind: 'missed', id: bet.id }
              : refused(bet.id, `code ${late.length}`)
          if (reloads) run = JSON.parse(stored) as TestRun
          if (answer === 'lost') take(refused(bet.id, 'unreachable'))
          if (answer === 'refused') take(refused(bet.id, `limited ${round}`))
          if (answer === 'late') late.push(told)
          if (answer === 'told') take(told)
          if (answer === 'twice') [told, told].forEach(take)
          if (round % 3 === 2) {
            // An answer that says a bet was missed is true only until it is asked for again.
            late.filter(({ kind }) => kind !== 'missed').forEach(take)
            late = []
          }
          if (run.pending?.id !== bet.id) round++
        }
        const unknown = run.pending && service.bets.has(run.pending.id) ? 1 : 0
        expect(service.bets.size).toBe(run.settled + unknown)
        let expectedWei = amountWei
        let netWei = 0n
        for (const { stakeWei, payoutWei } of [...service.bets.values()].slice(0, run.settled)) {
          expect(stakeWei).toBe(expectedWei)
          netWei += BigInt(payoutWei) - stakeWei
          if (BigInt(payoutWei) === stakeWei) continue
          const rule = BigInt(payoutWei) > stakeWei ? onWin : onLoss
          if (rule.kind === 'reset') expectedWei = amountWei
          if (rule.kind === 'raise') expectedWei += (expectedWei * BigInt(rule.percent)) / 100n
        }
        expect(run.netWei).toBe(netWei.toString())
        expect(run.amountWei).toBe(expectedWei.toString())
      },
    )
  })
})

const STRATEGY = { text: '() => ({ stake: 1n })', maxStakeWei: '5000' }
const LIMITED: Partial<Plan<string>> = { strategy: STRATEGY, count: 50, stopLossWei: '20000' }
const advised = (settledBets: number, amountWei: string): Event<Ticket> => ({
  kind: 'advised',
  settled: settledBets,
  answer: { kind: 'stake', amountWei, memory: '7' },
})

describe('a run by a strategy', () => {
  it('waits for the strategy before each bet, and bets what it says', () => {
    const first = runOf(LIMITED, ready(0))
    expect(first.pending).toBeNull()
    const run = runOf(LIMITED, advised(0, '1200'), ready(0), settled(0, '0'), ready(1))
    expect(run).toMatchObject({ settled: 1, pending: null, netWei: '-1200' })
    expect(run.advice).toEqual({
      memory: '7',
      last: { amountWei: '1200', payoutWei: '0' },
      isDue: true,
    })
  })

  it('ignores an answer to an earlier step, and a second one', () => {
    const run = runOf(LIMITED, advised(0, '1200'), advised(0, '4000'), ready(0), settled(0, '0'))
    expect(next(run, advised(0, '3000')).run).toBe(run)
    expect(run.netWei).toBe('-1200')
  })

  it('ends if the strategy stops, fails, or wants more than the largest stake', () => {
    const endAfter = (event: Event<Ticket>) => runOf(LIMITED, event).end
    const answered = (kind: 'stop' | 'failed'): Event<Ticket> => ({
      kind: 'advised',
      settled: 0,
      answer: { kind },
    })
    expect(endAfter(answered('stop'))).toEqual({ reason: 'strategy' })
    expect(endAfter(answered('failed'))).toEqual({ reason: 'refused', code: 'strategy_failed' })
    for (const amountWei of ['0', '5001']) {
      expect(endAfter(advised(0, amountWei))).toEqual({ reason: 'refused', code: 'strategy_stake' })
    }
  })

  it('never stakes more at once, in all or more often than the player has allowed', () => {
    forMany(
      500,
      fc.array(fc.record({ wants: fc.bigInt(-10n, 6_000n), pays: fc.constantFrom(0, 1, 3) })),
      fc.integer({ min: 1, max: 12 }),
      fc.bigInt(1n, 30_000n),
      (bets, count, lossWei) => {
        let run = runOf({ ...LIMITED, count, stopLossWei: lossWei.toString() })
        let placed = 0
        let netWei = 0n
        for (const [id, { wants, pays }] of bets.entries()) {
          run = next(run, advised(run.settled, wants.toString())).run
          const { run: after, bet } = next(run, ready(id))
          run = after
          if (!bet) continue
          placed++
          const stakeWei = BigInt(bet.amountWei)
          expect(stakeWei).toBe(wants)
          expect(stakeWei > 0n && stakeWei <= 5_000n).toBe(true)
          expect(netWei - stakeWei >= -lossWei).toBe(true)
          const payoutWei = stakeWei * BigInt(pays)
          netWei += payoutWei - stakeWei
          run = next(run, settled(id, payoutWei.toString())).run
        }
        expect(placed).toBeLessThanOrEqual(count)
        expect(run.netWei).toBe(netWei.toString())
      },
    )
  })
})
