import type { z } from 'zod'
import { currentBankroll } from '../../calls/bankroll.ts'
import { configNow } from '../../calls/current-config.ts'
import { namedTerms } from '../../calls/log-terms.ts'
import { currentModes } from '../../calls/modes.ts'
import { newestTables } from '../../games/games.ts'
import type { StakeRequest } from '../../games/play-request.ts'
import type { EntropyRules } from '../../games/play.ts'
import { withinBankroll, type Bankroll } from '../../money/bankroll.ts'
import type { StakeBody } from './schema.ts'

/** A stake as its player sent it. */
type SentStake = z.infer<typeof StakeBody>

let bounded: { amounts: Bankroll['amounts']; entropy: EntropyRules; rules: EntropyRules } | null =
  null

/** Returns the rules in force, limited by the house's current bankroll, and the inputs that they follow from. */
export async function currentRules(env: Env) {
  const [bankroll, modes] = await Promise.all([currentBankroll(env), currentModes(env)])
  const config = configNow(env, modes.changes)
  const { entropy } = config
  if (!bankroll) return { config, modes, bankroll, rules: entropy }
  if (bounded?.amounts !== bankroll.amounts || bounded.entropy !== entropy) {
    const limits = withinBankroll(entropy.limits, bankroll)
    bounded = { amounts: bankroll.amounts, entropy, rules: { ...entropy, limits } }
  }
  return { config, modes, bankroll, rules: bounded.rules }
}

/** Completes a stake as its player sent it by the rules and terms in force. */
export async function stakeRequest(
  env: Env,
  wallet: string,
  { token, amountWei, clientSeed, nonce, terms }: SentStake,
): Promise<StakeRequest> {
  const { config, rules, modes } = await currentRules(env)
  const { edgeBps, limits } = rules
  const { min, max, maxPayout } = limits[token]
  return {
    token,
    amountWei,
    clientSeed: clientSeed ?? wallet.toLowerCase(),
    nonce: nonce ?? null,
    edgeBps,
    tables: newestTables(),
    min: BigInt(min),
    max: BigInt(max),
    maxPayout: BigInt(maxPayout),
    terms: (await namedTerms(env, config)).hash,
    seenTerms: terms ?? null,
    minPlayMs: config.minPlayMs,
    modes,
  }
}
