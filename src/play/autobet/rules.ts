import type { Unit } from '../../money/token.ts'

/** The rules of automatic betting: no clock, no I/O. Amounts are decimal text in smallest units, to be stored. */

/** The change of the stake after a result. A raise rounds down. */
export type Change = { kind: 'keep' } | { kind: 'reset' } | { kind: 'raise'; percent: number }

export interface Plan<Choice> {
  /** The choice that the bets are on. */
  choice: Choice
  token: Unit
  /** The first stake. */
  amountWei: string
  /** The number of bets; null for no end. */
  count: number | null
  onWin: Change
  onLoss: Change
  /** Stops once the profit has reached this. */
  stopProfitWei: string | null
  /** Stops before a bet that could lose more than this in total. */
  stopLossWei: string | null
  pauseMs: number
  /** The reaction to a round that was missed or void: a bet in the next one, the default, or the end. */
  onMissed?: 'wait' | 'stop'
  /** Decides each stake, instead of the changes after a win and a loss. */
  strategy?: Strategy | undefined
}

/** The player's own code, and the most that it may stake at once. */
export interface Strategy {
  text: string
  maxStakeWei: string
}

/** The data passed between a run and a strategy. */
interface Advice {
  /** The strategy's memory, as JSON text. */
  memory: string
  /** The last bet; null before the first. */
  last: { amountWei: string; payoutWei: string } | null
  /** Whether its next stake is awaited. */
  isDue: boolean
}

/** A bet by its number: a play's nonce or a round. Asked for again, it is the same bet. */
export interface Bet<Ticket> {
  id: number
  amountWei: string
  /** The further data that it is sent with. */
  ticket: Ticket
}

export interface Run<Choice, Ticket> {
  plan: Plan<Choice>
  /** The number of settled bets. */
  settled: number
  /** The next stake. */
  amountWei: string
  /** Payouts less stakes. */
  netWei: string
  /** The bet that may have been placed, and has no known result. */
  pending: Bet<Ticket> | null
  /** The last refusals of the pending bet in a row. */
  refusals: { code: string; times: number } | null
  /** Why it has ended; null while it runs. */
  end: End | null
  /** Of a run by a strategy. */
  advice?: Advice | undefined
}

/** `stopped`: by the player; `left`: the player was away for long; `off`: the deployment allows no automatic bets. */
export type Stop = 'stopped' | 'left' | 'off'

export type End =
  /** `strategy`: it wanted no further bet. `missed`: a round was missed or void. */
  | { reason: Stop | 'count' | 'profit' | 'loss' | 'strategy' | 'missed' }
  | { reason: 'refused'; code: string }

export type Event<Ticket> =
  /** A bet with this number can be placed. */
  | { kind: 'ready'; id: number; ticket: Ticket }
  | { kind: 'settled'; id: number; payoutWei: string; isVoid?: boolean }
  /** The service refused the bet, or did not answer: `unreachable`. */
  | { kind: 'refused'; id: number; code: string }
  /** The bet was not placed, and can't be any more: its round has ended. */
  | { kind: 'missed'; id: number }
  /** The strategy's answer after this many settled bets. */
  | { kind: 'advised'; settled: number; answer: Answer }
  | { kind: 'stop'; reason: Stop }

/** A strategy's next stake, that it wants no further one, or that it has failed. */
export type Answer =
  | { kind: 'stake'; amountWei: string; memory: string }
  | { kind: 'stop' }
  /** With why, unless it is the strategy's own failure. */
  | { kind: 'failed'; code?: string }

/** A refusal that repeats ends the run. */
const MAX_REFUSALS = 2
/**
 * A few answers may be lost. A run ends at once with terms that the player hasn't agreed to, or a play that doesn't
 * verify.
 */
const MAX_OF: Readonly<Record<string, number>> = {
  unreachable: 10,
  terms_changed: 1,
  unverified: 1,
}

export function begin<Choice, Ticket>(plan: Plan<Choice>): Run<Choice, Ticket> {
  const { amountWei, strategy } = plan
  const run = { plan, settled: 0, amountWei, netWei: '0', pending: null, refusals: null, end: null }
  return strategy ? { ...run, advice: { memory: 'null', last: null, isDue: true } } : run
}

/**
 * Returns the run after an event, and the bet to send, if any. Store the run before sending the bet.
 *
 * A bet whose answer was lost or refused may have been placed all the same, so it stays pending: only its result,
 * or that its round has ended without it, makes way for another number.
 */
export function next<Choice, Ticket>(
  run: Run<Choice, Ticket>,
  event: Event<Ticket>,
): { run: Run<Choice, Ticket>; bet: Bet<Ticket> | null } {
  if (event.kind === 'ready') return ready(run, event)
  return { run: after(run, event), bet: null }
}

function ready<Choice, Ticket>(
  run: Run<Choice, Ticket>,
  { id, ticket }: Pick<Bet<Ticket>, 'id' | 'ticket'>,
): { run: Run<Choice, Ticket>; bet: Bet<Ticket> | null } {
  if (run.end) return { run, bet: null }
  if (run.pending) return { run, bet: run.pending }
  const end = endOf(run)
  if (end) return { run: { ...run, end }, bet: null }
  if (run.advice?.isDue) return { run, bet: null }
  const bet = { id, amountWei: run.amountWei, ticket }
  return { run: { ...run, pending: bet }, bet }
}

function after<Choice, Ticket>(
  run: Run<Choice, Ticket>,
  event: Exclude<Event<Ticket>, { kind: 'ready' }>,
): Run<Choice, Ticket> {
  if (event.kind === 'stop') return run.end ? run : { ...run, end: { reason: event.reason } }
  if (event.kind === 'advised') return advised(run, event)
  const { pending } = run
  if (!pending || pending.id !== event.id) return run
  switch (event.kind) {
    case 'settled':
      return afterRound(settle(run, pending, BigInt(event.payoutWei)), event.isVoid === true)
    case 'refused':
      return refuse(run, event.code)
    case 'missed':
      return afterRound({ ...run, pending: null, refusals: null }, true)
  }
}

/** Ends a run whose player does not want to go on after a round without a result. */
function afterRound<Choice, Ticket>(
  run: Run<Choice, Ticket>,
  isMissed: boolean,
): Run<Choice, Ticket> {
  if (!isMissed || run.end || run.plan.onMissed !== 'stop') return run
  return { ...run, end: { reason: 'missed' } }
}

function settle<Choice, Ticket>(
  run: Run<Choice, Ticket>,
  { amountWei }: Bet<Ticket>,
  payoutWei: bigint,
): Run<Choice, Ticket> {
  const { plan, advice } = run
  const stakeWei = BigInt(amountWei)
  const isKept = payoutWei === stakeWei || advice !== undefined
  const change = isKept ? null : payoutWei > stakeWei ? plan.onWin : plan.onLoss
  const last = { amountWei, payoutWei: payoutWei.toString() }
  const settled = {
    ...run,
    settled: run.settled + 1,
    amountWei: change ? changed(stakeWei, plan, change) : amountWei,
    netWei: (BigInt(run.netWei) + payoutWei - stakeWei).toString(),
    pending: null,
    refusals: null,
    ...(advice && { advice: { ...advice, last, isDue: true } }),
  }
  return { ...settled, end: run.end ?? endOf(settled) }
}

/** Takes a strategy's answer. No answer raises a stake above the player's limit. */
function advised<Choice, Ticket>(
  run: Run<Choice, Ticket>,
  { settled, answer }: Extract<Event<Ticket>, { kind: 'advised' }>,
): Run<Choice, Ticket> {
  const { advice, plan } = run
  if (run.end || !advice?.isDue || settled !== run.settled) return run
  if (answer.kind === 'stop') return { ...run, end: { reason: 'strategy' } }
  const failed = (code: string) => ({ ...run, end: { reason: 'refused' as const, code } })
  if (answer.kind === 'failed') return failed(answer.code ?? 'strategy_failed')
  const stakeWei = BigInt(answer.amountWei)
  if (stakeWei < 1n || stakeWei > BigInt(plan.strategy?.maxStakeWei ?? 0)) {
    return failed('strategy_stake')
  }
  const { memory, amountWei } = answer
  return { ...run, amountWei, advice: { ...advice, memory, isDue: false } }
}

function changed(stakeWei: bigint, plan: Plan<unknown>, change: Change): string {
  switch (change.kind) {
    case 'keep':
      return stakeWei.toString()
    case 'reset':
      return plan.amountWei
    case 'raise':
      return ((stakeWei * BigInt(100 + change.percent)) / 100n).toString()
  }
}

function refuse<Choice, Ticket>(run: Run<Choice, Ticket>, code: string): Run<Choice, Ticket> {
  const times = run.refusals?.code === code ? run.refusals.times + 1 : 1
  const most = MAX_OF[code] ?? MAX_REFUSALS
  const end: End | null = times >= most ? { reason: 'refused', code } : null
  return { ...run, refusals: { code, times }, end: run.end ?? end }
}

/** Returns why no further bet is placed; null if one is. */
function endOf({ plan, settled, amountWei, netWei, advice }: Run<unknown, unknown>): End | null {
  const { count, stopProfitWei, stopLossWei } = plan
  if (count !== null && settled >= count) return { reason: 'count' }
  if (stopProfitWei !== null && BigInt(netWei) >= BigInt(stopProfitWei)) return { reason: 'profit' }
  const stakeWei = advice?.isDue ? 1n : BigInt(amountWei)
  const worstWei = BigInt(netWei) - stakeWei
  if (stopLossWei !== null && worstWei < -BigInt(stopLossWei)) return { reason: 'loss' }
  return null
}
