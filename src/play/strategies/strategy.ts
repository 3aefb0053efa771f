import type { Answer, Run } from '../autobet/rules.ts'

/** The input of a strategy before each bet. Amounts are in smallest units. */
export interface StrategyEvent {
  /** `returned`: the bet paid exactly its stake. */
  kind: 'start' | 'won' | 'lost' | 'returned'
  /** The first stake, as the player typed it. */
  base: bigint
  /** The last stake and its payout; zero at the start. */
  stake: bigint
  payout: bigint
  /** Payouts less stakes so far. */
  net: bigint
  /** The number of settled bets. */
  bets: number
}

/** A strategy's decision: its next stake with its memory, or to stop. */
export type Action = { stake: bigint; state?: unknown } | { stop: true }

/** A strategy: the same state and event lead to the same action. */
export type Strategy = (state: unknown, event: StrategyEvent) => Action

/** Longer texts are refused. In characters. */
export const MAX_CODE = 20_000
export const MAX_MEMORY = 4_000

const BIG = /^-?\d{1,80}n$/

/** Writes a value as JSON text, with big integers as texts such as "12n". */
export function encode(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) =>
      typeof each === 'bigint' ? `${each}n` : each,
    ) ?? 'null'
  )
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_key, each: unknown) =>
    typeof each === 'string' && BIG.test(each) ? BigInt(each.slice(0, -1)) : each,
  )
}

/** Returns a strategy's view of a run. */
export function eventOf({
  plan,
  advice,
  netWei,
  settled,
}: Pick<Run<unknown, unknown>, 'plan' | 'advice' | 'netWei' | 'settled'>): StrategyEvent {
  const stake = BigInt(advice?.last?.amountWei ?? 0)
  const payout = BigInt(advice?.last?.payoutWei ?? 0)
  return {
    kind: advice?.last ? kindOf(stake, payout) : 'start',
    base: BigInt(plan.amountWei),
    stake,
    payout,
    net: BigInt(netWei),
    bets: settled,
  }
}

export function kindOf(stake: bigint, payout: bigint): StrategyEvent['kind'] {
  if (payout === stake) return 'returned'
  return payout > stake ? 'won' : 'lost'
}

/** Parses a strategy's output as strictly as a form: a stake in whole smallest units, or a stop. */
export function readAction(text: unknown): Answer {
  if (typeof text !== 'string' || text.length > MAX_MEMORY) return { kind: 'failed' }
  try {
    return answerOf(JSON.parse(text) as unknown)
  } catch {
    return { kind: 'failed' }
  }
}

function answerOf(action: unknown): Answer {
  if (typeof action !== 'object' || action === null) return { kind: 'failed' }
  const { stake, state = null, stop, ...others } = action as Record<string, unknown>
  if (Object.keys(others).length > 0) return { kind: 'failed' }
  if (stop === true && stake === undefined) return { kind: 'stop' }
  if (stop !== undefined || typeof stake !== 'string' || !/^\d{1,40}n$/.test(stake)) {
    return { kind: 'failed' }
  }
  return { kind: 'stake', amountWei: BigInt(stake.slice(0, -1)).toString(), memory: encode(state) }
}
