import { canonicalJson } from '../core/canonical-json.ts'
import type { WholeRound } from '../crash/disclosure.ts'
import type { Check } from '../fairness/check.ts'
import { selectionOf, wireParams } from '../games/games.ts'
import { LONGEST_GAME_MS, standingOf } from '../games/mines/open.ts'
import { TILES } from '../games/mines/rule.ts'
import type { SettledPlay } from '../games/play.ts'
import type { Receipt } from '../receipts/claims.ts'
import { verifyPlay } from './play.ts'
import { betOf, ownCashoutOf, verifyWhole } from './whole-round.ts'

type ReceiptOf<K extends Receipt['kind']> = Extract<Receipt, { kind: K }>

/** Checks the receipt of a bet against the disclosure of its round. @param round with all of its bets */
export function verifyBetReceipt(receipt: ReceiptOf<'bet'>, round: WholeRound): Check[] {
  const { seedHash, pepperSource, token, amountWei, autoCashout } = receipt
  const bet = betOf(receipt.sub, round)
  return [
    isAmong(receipt, round),
    ...(bet
      ? [
          same('the token', token, bet.token),
          same('the stake in smallest units', amountWei, bet.amountWei),
          same('the automatic cash-out', autoCashout, bet.autoCashout),
        ]
      : []),
    same('the seed hash', seedHash, round.seedHash),
    same('the source of the pepper', pepperSource, round.pepperSource),
    ...(round.plan
      ? [
          same('the plan’s seed hash', seedHash, round.plan.seedHash),
          same('the plan’s source of the pepper', pepperSource, round.plan.pepperSource),
        ]
      : []),
    ...verifyWhole(round),
  ]
}

/** Returns the multiplier of the player's own cash-out of the bet, by the disclosure; null without one. */
export function claimedCashoutOf(receipt: ReceiptOf<'bet'>, round: WholeRound): number | null {
  return ownCashoutOf(receipt.sub, round)
}

/** Checks the receipt of a cash-out against the disclosure of its round. @param round with all of its bets */
export function verifyCashoutReceipt(receipt: ReceiptOf<'cashout'>, round: WholeRound): Check[] {
  const { multiplier, payout, at } = receipt
  const bet = betOf(receipt.sub, round)
  return [
    isAmong(receipt, round),
    ...(bet
      ? [
          same('the multiplier', multiplier, bet.multiplier),
          same('the payout in smallest units', payout, bet.payout),
          same('the time in unix milliseconds', at, bet.cashedOutAt),
        ]
      : []),
    ...verifyWhole(round),
  ]
}

/** Checks the receipt of a play against its disclosure. @param play with the time of its entry, in unix milliseconds */
export function verifyPlayReceipt(
  receipt: ReceiptOf<'play'>,
  play: SettledPlay & { nextSeedHash: string; settledAt: number },
): Check[] {
  return [
    // Dated back, it would hide that the leaf of an earlier count has a number from the future.
    same('the time in unix seconds', receipt.iat, Math.floor(play.settledAt / 1_000)),
    same('the game', receipt.game, play.game),
    same('the choice', receipt.params, wireParams(selectionOf(play))),
    same('the payout in smallest units', receipt.payout, play.payout),
    ...sameStake(receipt, play),
    ...verifyPlay(play),
  ]
}

/** Checks the receipt of a step in a game of mines against the game's disclosure as a play, once it has ended. */
export function verifyGameReceipt(
  { kind, iat, game }: ReceiptOf<'mines-open' | 'mines-pick'>,
  play: SettledPlay & { nextSeedHash: string },
): Check[] {
  if (play.game !== 'mines') return [same('the game', 'mines', play.game)]
  const { mines, picked } = play.meta
  const isHit = game.picked.some((tile) => mines.includes(tile))
  const openedAt = Math.floor(game.openedAt / 1_000)
  const isPlayable = !picked.slice(0, -1).some((tile) => mines.includes(tile))
  // A signed game may claim more picks than there are safe tiles.
  const maxPicks = Math.min(game.maxPicks, TILES - game.mines)
  const terms = { amountWei: BigInt(game.amountWei), edgeBps: play.edgeBps }
  const { multiplier, next, payout } = standingOf({ ...game, ...terms, maxPicks }, isHit)
  return [
    same('the number of mines', game.mines, mines.length),
    ...sameStake(game, play),
    same('the list of picks so far', game.picked, picked.slice(0, game.picked.length)),
    same('the payout then, in smallest units', game.payout, payout),
    same('the multiplier then', game.multiplier, multiplier),
    // Without one the pick ended the game, which only a mine or the last pick may.
    same('the multiplier after one more pick', game.next, next),
    { claim: 'no pick before the last one is a mine', holds: isPlayable },
    // A game that was dated back would seem to have been left open for a day.
    kind === 'mines-open'
      ? { claim: 'it opened when it was signed', holds: iat === openedAt }
      : {
          claim: 'it was picked within a day after its game opened, or an hour later at most',
          holds: iat >= openedAt && iat <= openedAt + LONGEST_GAME_MS / 1_000,
        },
    ...verifyPlay(play),
  ]
}

/** How a game of mines ended, by the disclosure. */
export interface GameEnd {
  picked: number[]
  isLost: boolean
  /** In unix milliseconds. */
  settledAt: number
}

/** Returns how a game of mines ended, by the disclosure; null if it is another play. */
export function gameEndOf(play: SettledPlay & { settledAt: number }): GameEnd | null {
  if (play.game !== 'mines') return null
  return { picked: play.meta.picked, isLost: !play.win, settledAt: play.settledAt }
}

/** Checks that a play has the stake and the commitments that were signed. */
function sameStake(
  signed: Pick<
    ReceiptOf<'play'>,
    'nonce' | 'token' | 'amountWei' | 'clientSeed' | 'seedHash' | 'nextSeedHash'
  >,
  play: SettledPlay & { nextSeedHash: string },
): Check[] {
  return [
    same('the nonce', signed.nonce, play.nonce),
    same('the token', signed.token, play.token),
    same('the stake in smallest units', signed.amountWei, play.amount),
    same('the client seed', signed.clientSeed, play.clientSeed),
    same('the seed hash', signed.seedHash, play.seedHash),
    same('the seed hash of the next play', signed.nextSeedHash, play.nextSeedHash),
  ]
}

function isAmong(receipt: ReceiptOf<'bet' | 'cashout'>, round: WholeRound): Check {
  const { sub, roundId } = receipt
  return {
    claim: `the bet of ${sub} is among the disclosed bets of round ${roundId} (${round.betCount} in all)`,
    holds: round.roundId === roundId && betOf(sub, round) !== undefined,
  }
}

/** Checks that the disclosure repeats the receipt's fact. A failed check names both. */
function same(fact: string, signed: unknown, disclosed: unknown): Check {
  const [a, b] = [signed, disclosed].map(shown)
  if (a === b) return { claim: `${fact} is as disclosed: ${a}`, holds: true }
  return { claim: `${fact} is ${a} in the receipt and ${b} in the disclosure`, holds: false }
}

function shown(fact: unknown): string {
  return typeof fact === 'string' ? fact : canonicalJson(fact)
}
