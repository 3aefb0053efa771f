import { invariant } from '../core/invariant.ts'
import { betLeaf, betsRootOf, type BetLeaf } from '../crash/bets-root.ts'
import { disclose, type DisclosedRound, type DisclosedVoid } from '../crash/disclosure.ts'
import type { RoundPlan } from '../crash/plan.ts'
import type { RoundResult } from '../crash/result.ts'
import type { FeedPlay } from '../games/placement.ts'
import type { Opening } from '../lootbox/opening.ts'
import type { SpinPepper } from '../lootbox/spin.ts'
import { toMultiplier, type Hundredths } from '../money/multiplier.ts'
import type { Token } from '../money/token.ts'
import type { Dataset } from './manifest.ts'

interface EndedRow {
  /** In unix milliseconds, like all times. */
  endedAt: number
  betCount: number
  /** The root over its bets that was public before its outcome. */
  betsRoot: string
  /** Its plan, whose limits decide forced cash-outs; null for a round without bets. */
  plan: RoundPlan | null
}

/** An ended round as the history has it. */
export interface StoredRound {
  result: RoundResult
  plan: RoundPlan | null
  betsRoot: string | null
}

/** An ended round: as verify-seeds discloses it, and what the audit of a whole day needs besides. */
export type RoundRow =
  | (DisclosedRound & EndedRow & { kind: 'settled'; takeoffAt: number })
  | (DisclosedVoid & EndedRow & { kind: 'voided'; edgeBps: number })

/** A bet of an ended round: its leaf under the round's root, and how it ended. */
export interface BetRow extends BetLeaf {
  roundId: number
  outcome: 'won' | 'lost' | 'voided'
  /** The paid one: 0 if the bet lost, 1 if it was refunded. */
  multiplier: number
  payout: string
  placedAt: number
  /** The time of its cash-out; null without one. */
  at: number | null
}

/** A settled play, as its own look-up answers it. */
export type PlayRow = FeedPlay

export function roundRow({ result, plan, betsRoot }: StoredRound): RoundRow {
  const { rounds, voided } = disclose([result])
  const { endedAt, betCount, edgeBps } = result
  const ended = { endedAt, betCount, betsRoot: betsRoot ?? betsRootOf([]), plan }
  if (result.kind === 'settled') {
    const [round] = rounds
    invariant(round, 'a settled round is disclosed')
    return { ...round, kind: 'settled', takeoffAt: result.takeoffAt, ...ended }
  }
  const [round] = voided
  invariant(round, 'a voided round is disclosed')
  return { ...round, kind: 'voided', edgeBps, ...ended }
}

/** A bet as the history stores it. */
export interface StoredBet {
  roundId: number
  n: number
  betId: string
  wallet: string
  token: Token
  amountWei: string
  autoCashout: Hundredths | null
  placedAt: number
  cashout: Hundredths | null
  cashedOutAt: number | null
  payoutWei: string
  /** Of its round. */
  kind: RoundResult['kind']
  seed: string
}

export function betRow({ payoutWei, kind, seed, ...bet }: StoredBet): BetRow {
  const { roundId, n, cashout, placedAt } = bet
  const isVoid = kind === 'voided'
  return {
    roundId,
    ...betLeaf({ ...bet, amountWei: BigInt(bet.amountWei) }, n, seed),
    outcome: isVoid ? 'voided' : cashout === null ? 'lost' : 'won',
    multiplier: isVoid ? 1 : toMultiplier(cashout ?? 0),
    payout: payoutWei,
    placedAt,
    at: isVoid ? null : bet.cashedOutAt,
  }
}

/** An opening, with everything that determines its tier. A free spin has its pepper, a payment its block. */
export type OpeningRow = Omit<Opening, 'pepper' | 'roll'> &
  Partial<SpinPepper> & { roll: number; seed: string }

/** @param seed of its day, which must have been disclosed */
export function openingRow({ pepper, roll, ...opening }: Opening, seed: string): OpeningRow {
  return { ...opening, roll: Number(roll), seed, ...pepper }
}

/** The rows of every dataset. */
export interface Rows {
  rounds: RoundRow
  bets: BetRow
  plays: PlayRow
  openings: OpeningRow
}

/** How a row of each dataset is named in the manifest; unique over the whole export. */
export const KEY_OF: { [D in Dataset & keyof Rows]: (row: Rows[D]) => string } = {
  rounds: ({ roundId }) => String(roundId),
  bets: ({ roundId, wallet }) => `${roundId}:${wallet}`,
  plays: ({ wallet, nonce }) => `${wallet}:${nonce}`,
  openings: ({ id }) => id,
}
