import { currentTerms } from '../../src/api/receipts/terms.ts'
import { loadConfig } from '../../src/config/load.ts'
import { planRound } from '../../src/crash/plan.ts'
import type { RoundRecord } from '../../src/crash/round.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import type { Bankroll } from '../../src/money/bankroll.ts'
import { randomSecret } from '../kernel/random.ts'

/** Draws the secrets of a new round and plans it. @param openedAt in unix milliseconds */
export function newRecord(
  env: Env,
  { roundId, openedAt, bankroll }: { roundId: number; openedAt: number; bankroll: Bankroll | null },
): RoundRecord {
  const config = loadConfig(env)
  const { crash: rules } = config
  const seed = randomSecret()
  const pepper = rules.pepper === 'committed' ? randomSecret() : null
  const plan = planRound({
    roundId,
    openedAt,
    rules,
    terms: currentTerms(config).hash,
    seedHash: commitmentOf(seed),
    pepperHash: pepper === null ? null : commitmentOf(pepper),
    bankroll,
  })
  return {
    plan,
    seed,
    pepper,
    pepperAt: pepper === null ? null : openedAt,
    signature: null,
    status: 'live',
    isClosed: false,
    endedAt: null,
  }
}
