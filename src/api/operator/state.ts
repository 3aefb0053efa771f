import { retried } from '../../calls/call.ts'
import { control, health } from '../../calls/objects.ts'
import type { RelayerFacts } from '../../health/facts.ts'
import { healthOf } from '../../health/health.ts'
import { walletsInPlay } from '../../history/positions.ts'
import type { ControlOverview } from '../../operator/approval.ts'
import { EVERYTHING } from '../../operator/modes.ts'
import { BriefCache } from '../http/brief-cache.ts'
import type { Reserve, ServiceState } from './answers.ts'

/** The count reads every position in D1, which answers nobody else meanwhile. */
const inPlay = new BriefCache<number>(60_000)

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
    walletsInPlay: await inPlayDuring(overview, env),
    ...overview,
  }
}

/** Counts nobody while the service is open: that would read every position for nothing. */
async function inPlayDuring({ version }: ControlOverview, { DB }: Env): Promise<number | null> {
  if (version?.modes[EVERYTHING] === undefined) return null
  try {
    return await inPlay.get('wallets', () => walletsInPlay(DB))
  } catch {
    // Health shows a silent database.
    return null
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
