import type { CrashRules } from '../crash/plan.ts'
import { newestTables } from '../games/games.ts'
import type { EntropyRules } from '../games/play.ts'
import { shownTables } from '../games/shown-tables.ts'
import type { PrizeTier } from '../lootbox/prizes.ts'
import type { BankrollShares } from '../money/bankroll.ts'
import { toMultiplier } from '../money/multiplier.ts'

interface LootboxRules {
  pool: string
  rewardToken: string
  stocks: ReadonlyMap<string, { token: string }>
  price: string
  prizes: PrizeTier[]
  spinPrizes: PrizeTier[]
  spinDailyLimit: number
}

/** The operator's settings that decide players' winnings. */
interface Rules {
  crash: CrashRules
  entropy: EntropyRules
  bankroll: BankrollShares
  depositFeeBps: number
  lootbox: LootboxRules | null
  chain: { chainId: number } | null
  /** The contract has the price, the odds and the prizes of each kind of box, which never change there. */
  boxes: {
    chainId: number
    contract: string
    award: string
    labels: readonly (readonly string[])[]
  } | null
  autoplay: boolean
  funChips: boolean
  minPlayMs: number
}

/** Returns the terms of play in full: edges, limits, shares and pay tables. */
export function termsOfPlay(rules: Rules) {
  const { crash, entropy, bankroll, depositFeeBps, lootbox, chain, boxes } = rules
  const { autoplay, funChips, minPlayMs } = rules
  const { edgeBps, limits, pepper, bettingMs, resultsMs } = crash
  const minForcedMultiplier = toMultiplier(crash.minForcedMultiplier)
  const tables = shownTables(newestTables())
  return {
    crash: { edgeBps, limits, pepper, bettingMs, resultsMs, minForcedMultiplier },
    entropy: { edgeBps: entropy.edgeBps, limits: entropy.limits, tables },
    lootbox: lootbox && {
      price: lootbox.price,
      prizes: lootbox.prizes,
      spinPrizes: lootbox.spinPrizes,
      spinDailyLimit: lootbox.spinDailyLimit,
      chainId: chain?.chainId ?? null,
      pool: lootbox.pool,
      tokens: tokensOf(lootbox),
    },
    boxes: boxes && {
      chainId: boxes.chainId,
      contract: boxes.contract,
      award: boxes.award,
      labels: boxes.labels,
    },
    bankroll: { payoutBps: bankroll.payoutBps, roundBps: bankroll.roundBps },
    depositFeeBps,
    autoplay,
    funChips,
    minPlayMs,
  }
}

/** Returns the contracts of the tokens that prizes are paid in. A prize in ETH is paid in the chain's native coin. */
function tokensOf({ rewardToken, stocks }: LootboxRules): Record<string, string> {
  const listed = [...stocks].map(([asset, { token }]) => [asset, token] as const)
  return Object.fromEntries([['REWARD', rewardToken] as const, ...listed])
}

export type TermsOfPlay = ReturnType<typeof termsOfPlay>
