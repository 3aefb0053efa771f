import type { FinalOutcome } from '../../../src/crash/bet.ts'
import { crashPointOf } from '../../../src/crash/crash-point.ts'
import type { DisclosedRound } from '../../../src/crash/disclosure.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import type { SettledPlay } from '../../../src/games/play.ts'
import { verifyPlay } from '../../../src/verify/play.ts'
import type { World } from '../world/world.ts'
import { crashOf, endOf, payoutOf, storedRound } from './rounds.ts'

type Json = Record<string, unknown>

/** Every `ok` answer must agree with the state of what was asked for. */

/** @param before the newest round when the request was first sent */
export function checkPlaced(
  world: World,
  wallet: string,
  asked: {
    order: { token: string; amountWei: string; autoCashout: number | null }
    roundId: number | null
  },
  { roundId }: Json,
  before: number,
): void {
  if (asked.roundId !== null && roundId !== asked.roundId)
    return world.violate(
      `a bet in round ${asked.roundId} was answered for round ${String(roundId)}`,
    )
  if (asked.roundId === null && Number(roundId) < before)
    return world.violate(
      `a bet in the current round, ${before} or later, was answered for round ${String(roundId)}`,
    )
  const round = storedRound(world, Number(roundId))
  const bet = round?.bets.find((placed) => placed.wallet === wallet)
  if (!bet) return world.violate(`${wallet} was told of a bet that round ${String(roundId)} lacks`)
  const { token, amountWei, autoCashout } = asked.order
  const target = bet.autoCashout === null ? null : bet.autoCashout / 100
  if (bet.token !== token || bet.amountWei !== amountWei || target !== autoCashout)
    world.violate(`${wallet} was told of another bet than the one in round ${String(roundId)}`)
}

/**
 * @param asked the round that the request named, or null
 * @param before the newest round when the request was first sent
 */
export function checkCashout(
  world: World,
  wallet: string,
  asked: number | null,
  { roundId, multiplier, payout }: Json,
  before: number,
): void {
  if (asked !== null && roundId !== asked)
    return world.violate(`a cash-out of round ${asked} was answered for round ${String(roundId)}`)
  if (asked === null && Number(roundId) < before)
    return world.violate(
      `a cash-out of the current round, ${before} or later, was answered for round ${String(roundId)}`,
    )
  const bet = storedRound(world, Number(roundId))?.bets.find((placed) => placed.wallet === wallet)
  if (!bet || bet.cashout === null)
    return world.violate(`${wallet} was told of a cash-out that round ${String(roundId)} lacks`)
  if (bet.cashout / 100 !== multiplier || payoutOf(bet).toString() !== payout)
    world.violate(`${wallet} was told of another cash-out than that of round ${String(roundId)}`)
}

/** @param next the play that the request named, with its commitment as told before */
export function checkPlay(
  world: World,
  wallet: string,
  next: { nonce: number; seedHash: string } | null,
  asked: { clientSeed: string; amountWei: string; token: string },
  answer: Json,
): void {
  const play = playOf(answer)
  const { nonce, seedHash, amount, token, payout } = play
  if (next && nonce !== next.nonce)
    return world.violate(`play ${next.nonce} of ${wallet} was answered as play ${nonce}`)
  if (amount !== asked.amountWei || token !== asked.token)
    return world.violate(`play ${nonce} of ${wallet} has another stake than was asked for`)
  const seen = { clientSeed: asked.clientSeed, ...(next && { seedHash: next.seedHash }) }
  for (const { claim, holds } of verifyPlay(play, seen)) {
    if (!holds) world.violate(`play ${nonce} of ${wallet}: not true that ${claim}`)
  }
  const most = BigInt(world.limits.ENTROPY_LIMITS[token]?.maxPayout ?? 0)
  if (BigInt(payout) > most) world.violate(`play ${nonce} of ${wallet} pays more than ${most}`)
  promisePlay(world, wallet, answer)
  world.promise(`seed hash ${nonce} of ${wallet}`, seedHash)
}

/** A play is always the same, however it is asked for. */
export function promisePlay(world: World, wallet: string, answer: Json): void {
  const play = playOf(answer)
  world.promise(`play ${play.nonce} of ${wallet}`, JSON.stringify(play))
}

function playOf(answer: Json): SettledPlay {
  const { me: _me, receipt: _receipt, ok: _ok, wallet: _wallet, ...play } = answer
  return play as unknown as SettledPlay
}

/** A bet has ended as its round says, and so has the round. */
export function checkDisclosedBet(world: World, wallet: string, answer: Json): void {
  const { roundId, outcome, multiplier, payout, amountWei, token } = answer
  const round = storedRound(world, Number(roundId))
  const bet = round?.bets.find((placed) => placed.wallet === wallet)
  const end = bet && (endOf(round, bet.betId) as FinalOutcome | null)
  if (!bet || !end)
    return world.violate(`${wallet} was shown an ended bet that round ${String(roundId)} lacks`)
  const paidWei = { won: payoutOf(bet), lost: 0n, voided: BigInt(bet.amountWei) }
  const paid = { won: (bet.cashout ?? 0) / 100, lost: 0, voided: 1 }
  const kind = end.kind === 'never_placed' ? 'lost' : end.kind
  const expected = [kind, paid[kind], paidWei[kind].toString(), bet.amountWei, bet.token]
  const told = [outcome, multiplier, payout, amountWei, token]
  if (told.join() !== expected.join())
    world.violate(`${wallet} was shown bet ${bet.betId}: ${told.join()}, not ${expected.join()}`)
  if (kind !== 'voided') checkDisclosedRound(world, answer)
}

/** A settled round has the crash point that its seeds lead to, and that it was stored with. */
export function checkDisclosedRound(world: World, disclosed: Json): void {
  const { roundId, seed, seedHash, pepper, crash, edgeBps } = disclosed as unknown as DisclosedRound
  const due = crashPointOf({ roundId, seed, pepper, edgeBps })
  const stored = crashOf(world, roundId, seedHash) ?? due
  if (due / 100 !== crash || stored !== due || commitmentOf(seed) !== seedHash)
    world.violate(`round ${roundId} was disclosed with crash ${crash}, not ${stored / 100}`)
  world.promise(`the seed ${seedHash} of round ${roundId}`, `${seed} ${pepper}`)
}

/** The state must show nothing of a crash that has not happened. */
export function checkState(world: World, state: Json): void {
  const { roundId, phase, multiplier, crashPoint } = state
  const crash = crashOf(world, Number(roundId), String(state['seedHash']))
  world.promise(`seed hash of round ${String(roundId)}`, String(state['seedHash']))
  if (phase !== 'results' && crashPoint !== null)
    world.violate(`round ${String(roundId)} shows its crash point before its crash`)
  if (crash !== null && Number(multiplier) > crash / 100)
    world.violate(`round ${String(roundId)} shows a multiplier above its crash point`)
}
