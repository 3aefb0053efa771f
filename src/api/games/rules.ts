import { loadConfig } from '../../config/load.ts'
import type { EntropyRules } from '../../games/play.ts'
import { withinBankroll, type Bankroll } from '../../money/bankroll.ts'
import { currentBankroll } from '../vault/bankroll.ts'

let bounded: { amounts: Bankroll['amounts']; rules: EntropyRules } | null = null

/** Returns the configured rules, limited by the house's present bankroll. */
export async function currentRules(env: Env) {
  const { entropy } = loadConfig(env)
  const bankroll = await currentBankroll(env)
  if (!bankroll) return { rules: entropy, bankroll }
  if (bounded?.amounts !== bankroll.amounts) {
    const limits = withinBankroll(entropy.limits, bankroll)
    bounded = { amounts: bankroll.amounts, rules: { ...entropy, limits } }
  }
  return { rules: bounded.rules, bankroll }
}
