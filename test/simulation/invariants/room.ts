import type { World } from '../world/world.ts'
import type { StoredBet, StoredRound } from './rounds.ts'

/** One wallet may stake at most 1/SHARE of the room that earlier stakes leave. */
const SHARE = 4n

/**
 * Checks each stake that a round accepted in a token against what its plan allowed at that moment: the bounds, and the
 * share of the room that the stakes before it had left. The rule is written again here, as players read it.
 */
export function checkRoom(world: World, { plan, bets }: StoredRound, token: string): void {
  const { roundId, limits, minForcedMultiplier } = plan
  const { min = '0', max = '0', maxRoundPayout = '0' } = limits[token] ?? {}
  if (BigInt(max) > BigInt(world.limits.CRASH_LIMITS[token]?.max ?? 0))
    world.violate(`round ${roundId} takes higher stakes of ${token} than are published`)
  const mostWei = (BigInt(maxRoundPayout) * 100n) / BigInt(minForcedMultiplier)
  let stakedWei = 0n
  for (const bet of bets.filter((each) => each.token === token)) {
    const amountWei = BigInt(bet.amountWei)
    const largestWei = (mostWei - stakedWei) / SHARE
    if (amountWei < BigInt(min) || amountWei > BigInt(max))
      world.violate(`bet ${bet.betId} of ${amountWei} ${token} is not from ${min} to ${max}`)
    if (amountWei > largestWei)
      world.violate(`bet ${bet.betId} stakes ${amountWei} ${token}, but ${largestWei} had room`)
    stakedWei += amountWei
  }
}

/**
 * Checks that no bet of a token left its round above the multiplier at which the round's limit still pays all bets that
 * stay until their targets. Bets that leave earlier free nothing for the others.
 */
export function checkExposure(world: World, { plan, bets }: StoredRound, token: string): void {
  const { maxPayout = '0', maxRoundPayout = '0' } = plan.limits[token] ?? {}
  const all = bets.filter((bet) => bet.token === token)
  for (const { betId, cashout } of all) {
    if (cashout === null) continue
    const dueWei = all.reduce((sum, bet) => sum + dueAt(bet, cashout, BigInt(maxPayout)), 0n)
    if (dueWei > BigInt(maxRoundPayout))
      world.violate(`bet ${betId} left at ${cashout}, where all bets get ${dueWei} ${token}`)
  }
}

/** Returns what a bet gets at a multiplier if it stays until its target, or until it is paid the most. */
function dueAt({ amountWei, autoCashout }: StoredBet, multiplier: number, mostWei: bigint): bigint {
  const stakeWei = BigInt(amountWei)
  const ends = [multiplier, autoCashout ?? Infinity, Number((mostWei * 100n) / stakeWei)]
  return (stakeWei * BigInt(Math.min(...ends))) / 100n
}
