import { currentTerms } from '../../src/calls/terms.ts'
import { loadConfig } from '../../src/config/load.ts'
import { withTerms } from '../../src/config/set-terms.ts'
import { planRound } from '../../src/crash/plan.ts'
import type { RoundRecord } from '../../src/crash/round.ts'
import { commitmentOf } from '../../src/fairness/seed.ts'
import type { Bankroll } from '../../src/money/bankroll.ts'
import type { SetTerms } from '../../src/operator/modes.ts'
import { randomSecret } from '../kernel/random.ts'

interface Opening {
  roundId: number
  /** In unix milliseconds. */
  openedAt: number
  /** The terms that operators have set, which the round keeps. */
  setTerms: SetTerms
  bankroll: Bankroll | null
}

/** Draws the secrets of a new round and plans it. */
export function newRecord(
  env: Env,
  { roundId, openedAt, setTerms, bankroll }: Opening,
): RoundRecord {
  const config = withTerms(loadConfig(env), setTerms)
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
    setTerms,
    seed,
    pepper,
    pepperAt: pepper === null ? null : openedAt,
    signature: null,
    status: 'live',
    isClosed: false,
    endedAt: null,
  }
}
