import { erc20Abi, formatUnits } from 'viem'
import type { ChainCheck } from '../../chain/check.ts'
import { chainClient } from '../../chain/client.ts'
import type { LootboxConfig, VaultConfig } from '../../config/config.ts'
import type { PrizeTier } from '../../lootbox/prizes.ts'
import { showAsset } from '../shared/amounts.ts'
import { check } from './check.ts'
import { costByFeed, ifPriced } from './feed-checks.ts'

/** The amount that a prize takes from the pool, in smallest units. */
interface Cost {
  amount: bigint
  /** The prize, as a person reads it. */
  prize: string
}

/** Checks that the pool can pay any single prize. It buys stocks with its ETH. @throws if the node doesn't answer */
export async function poolChecks(
  vault: VaultConfig,
  lootbox: LootboxConfig,
): Promise<ChainCheck[]> {
  const { pool, rewardToken, prizes, spinPrizes } = lootbox
  const won = [...prizes, ...spinPrizes]
  const call = { address: rewardToken, abi: erc20Abi, functionName: 'balanceOf' } as const
  const [coins, rewards, stocks] = await Promise.all([
    chainClient(vault).getBalance({ address: pool }),
    chainClient(vault).readContract({ ...call, args: [pool] }),
    Promise.all(won.map((prize) => costOfStock(vault, lootbox, prize))),
  ])
  const costsIn = (asset: string) =>
    won
      .filter((prize) => prize.asset === asset)
      .map(({ amountWei }) => BigInt(amountWei))
      .map((amount) => ({ amount, prize: showAsset(amount, asset) }))
  const bought = stocks.filter((cost) => cost !== null)
  return [
    checkHeld(pool, 'ETH', coins, [...costsIn('ETH'), ...bought]),
    checkHeld(pool, 'REWARD', rewards, costsIn('REWARD')),
  ]
}

/** Returns the most that a prize may cost if it is bought; null for other prizes, and while its feed has no price. */
async function costOfStock(
  vault: VaultConfig,
  { stocks, slippageBps }: LootboxConfig,
  { asset, amountWei }: PrizeTier,
): Promise<Cost | null> {
  const stock = stocks.get(asset)
  if (!stock) return null
  const units = BigInt(amountWei)
  const amount = await ifPriced(costByFeed(vault, stock, units, slippageBps))
  const prize = `${formatUnits(units, stock.decimals)} ${asset}`
  return amount === null
    ? null
    : { amount, prize: `${prize}, bought for up to ${showAsset(amount, 'ETH')}` }
}

function checkHeld(pool: string, asset: string, held: bigint, costs: Cost[]): ChainCheck {
  const none = { amount: 0n, prize: showAsset(0n, asset) }
  const largest = costs.reduce((most, cost) => (cost.amount > most.amount ? cost : most), none)
  return check(
    `the pool can pay its largest prize of ${largest.prize}`,
    held >= largest.amount,
    `The pool, ${pool}, has ${showAsset(held, asset)}, which is less than its largest prize. Send it more.`,
  )
}
