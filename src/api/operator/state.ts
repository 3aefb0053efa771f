import type { RelayerFacts, StuckObject } from '../../health/facts.ts'
import { healthOf, type Health } from '../../health/health.ts'
import { control, health, retried } from '../../objects.ts'
import type { ControlOverview } from '../../operator/approval.ts'

/** Everything that an operator sees at once. */
export interface ServiceState extends ControlOverview {
  health: Health
  /** The objects with messages that they can't deliver, the longest stuck first. */
  stuck: StuckObject[]
  /** What pays withdrawals and prizes; null without a vault, or if it does not answer. */
  reserve: Reserve | null
}

/** The relayer's balance, in wei. */
export interface Reserve {
  /** Null before the chain was read. */
  balanceWei: string | null
  /** The least that it should hold. */
  reserveWei: string
  isVaultPaused: boolean
  withdrawalsWaiting: number
  prizesWaiting: number
}

export async function serviceState(env: Env): Promise<ServiceState> {
  const [facts, stuck, overview] = await Promise.all([
    retried(async () => health(env).facts()),
    retried(async () => health(env).stuck()),
    retried(async () => control(env).overview()),
  ])
  return {
    health: healthOf(facts),
    stuck,
    reserve: typeof facts.relayer === 'string' ? null : reserveOf(facts.relayer),
    ...overview,
  }
}

function reserveOf({ seen, reserveWei, withdrawals, prizes }: RelayerFacts): Reserve {
  return {
    balanceWei: seen?.balanceWei ?? null,
    reserveWei,
    isVaultPaused: seen?.isPaused ?? false,
    withdrawalsWaiting: withdrawals.count,
    prizesWaiting: prizes.count,
  }
}
