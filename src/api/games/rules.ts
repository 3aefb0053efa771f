import type { z } from 'zod'
import { loadConfig } from '../../config/load.ts'
import { newestTables } from '../../games/games.ts'
import type { StakeRequest } from '../../games/placement.ts'
import type { EntropyRules } from '../../games/play.ts'
import { withinBankroll, type Bankroll } from '../../money/bankroll.ts'
import { currentModes } from '../control/modes.ts'
import { currentTerms } from '../receipts/terms.ts'
import { currentBankroll } from '../vault/bankroll.ts'
import type { PlayBody } from './schema.ts'

/** A stake as its player sent it. */
type SentStake = z.infer<typeof PlayBody>

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

/** Completes a stake as its player sent it by the rules and terms in force. */
export async function stakeRequest(
  env: Env,
  wallet: string,
  { token, amountWei, clientSeed, nonce }: SentStake,
): Promise<StakeRequest> {
  const config = loadConfig(env)
  const [{ rules }, modes] = await Promise.all([currentRules(env), currentModes(env)])
  const { edgeBps, limits } = rules
  const { min, max, maxPayout } = limits[token]
  return {
    ...{ token, amountWei, clientSeed: clientSeed ?? wallet.toLowerCase(), nonce: nonce ?? null },
    ...{ edgeBps, tables: newestTables() },
    ...{ min: BigInt(min), max: BigInt(max), maxPayout: BigInt(maxPayout) },
    ...{ terms: currentTerms(config).hash, minPlayMs: config.minPlayMs, modes },
  }
}
