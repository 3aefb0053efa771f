import { retried } from '../../calls/call.ts'
import { control, health } from '../../calls/objects.ts'
import type { RelayerFacts } from '../../health/facts.ts'
import { healthOf } from '../../health/health.ts'
import type { Reserve, ServiceState } from './answers.ts'

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
    poolWei: seen?.poolWei ?? null,
    isVaultPaused: seen?.isPaused ?? false,
    withdrawalsWaiting: withdrawals.count,
    prizesWaiting: prizes.count,
  }
}
