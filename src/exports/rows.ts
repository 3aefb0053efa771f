import type { BoxTier } from '../box-nft/tier.ts'
import { invariant } from '../core/invariant.ts'
import { betLeaf, betsRootOf, type BetLeaf } from '../crash/bets-root.ts'
import { disclose, type DisclosedRound, type DisclosedVoid } from '../crash/disclosure.ts'
import type { RoundPlan } from '../crash/plan.ts'
import type { RoundResult } from '../crash/result.ts'
import { macOf } from '../fairness/seed.ts'
import type { FeedPlay } from '../games/play-request.ts'
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

/** An ended round as stored in the history. */
export interface StoredRound {
  result: RoundResult
  plan: RoundPlan | null
  betsRoot: string | null
}

/** An ended round: as verify-seeds discloses it, with further facts for the audit of a whole day. */
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

/** A settled play as its own look-up answers it, and the terms of play that it was made under. */
export type PlayRow = FeedPlay & {
  /** The sha256 of the terms' entry in the public log; null if the ledger has none recorded. */
  terms: string | null
}

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
    ...betLeaf({ ...bet, amountWei: BigInt(bet.amountWei) }, n, macOf(seed)),
    outcome: isVoid ? 'voided' : cashout === null ? 'lost' : 'won',
    multiplier: isVoid ? 1 : toMultiplier(cashout ?? 0),
    payout: payoutWei,
    placedAt,
    at: isVoid ? null : bet.cashedOutAt,
  }
}

/** An opening, with everything that determines its tier. A free spin has its pepper, a payment its block. */
type OpeningRow = Omit<Opening, 'pepper' | 'roll'> &
  Partial<SpinPepper> & { roll: number; seed: string }

/** @param seed of its day, which must have been disclosed */
export function openingRow({ pepper, roll, ...opening }: Opening, seed: string): OpeningRow {
  return { ...opening, roll: Number(roll), seed, ...pepper }
}

/** The place of an event on the chain. */
interface Place {
  block: number
  txHash: string
}

/** A box of a batch that has ended, as the exporter knows it from the chain. */
export interface StoredBox {
  boxId: string
  /** Its place in the contract's order of sale, from 0. */
  n: number
  /** Its buyer. */
  wallet: string
  kind: number
  batch: number
  pepperHash: string
  pepper: string
  bought: Place
  opened: (Place & { tier: number; prize: string }) | null
  endedAt: number
}

/** A box, with everything that determines its tier. */
export interface BoxRow extends Omit<StoredBox, 'opened' | 'endedAt'> {
  chainId: number
  contract: string
  /** The tiers of its kind; prizes in the reward token's smallest unit. */
  tiers: { bps: number; prize: string }[]
  /** Null while the box was closed when it was exported, like `prize` and `opened`. */
  tier: number | null
  prize: string | null
  opened: Place | null
  /** The end of its batch, in unix milliseconds. */
  at: number
}

export function boxRow(
  { chainId, contract }: Pick<BoxRow, 'chainId' | 'contract'>,
  { opened, endedAt, ...box }: StoredBox,
  tiers: readonly BoxTier[],
): BoxRow {
  const { tier = null, prize = null } = opened ?? {}
  return {
    chainId,
    contract,
    ...box,
    tiers: tiers.map(({ bps, prize: won }) => ({ bps, prize: won.toString() })),
    tier,
    prize,
    opened: opened && { block: opened.block, txHash: opened.txHash },
    at: endedAt,
  }
}

/** The rows of every dataset. */
export interface Rows {
  rounds: RoundRow
  bets: BetRow
  plays: PlayRow
  openings: OpeningRow
  boxes: BoxRow
}

/** How a row of each dataset is named in the manifest; unique over the whole export. */
export const KEY_OF: { [D in Dataset]: (row: Rows[D]) => string } = {
  rounds: ({ roundId }) => String(roundId),
  bets: ({ roundId, wallet }) => `${roundId}:${wallet}`,
  plays: ({ wallet, nonce }) => `${wallet}:${nonce}`,
  openings: ({ id }) => id,
  boxes: ({ boxId }) => boxId,
}
