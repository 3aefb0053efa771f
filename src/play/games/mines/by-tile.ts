import { isFailure, type Failure } from '../../api.ts'
import type { Event } from '../../autobet/rules.ts'

/** A game of mines, step by step. Every step sent again is the same step. Null if there is nothing to tell yet. */
export interface Steps {
  open(): Promise<object | Failure | null>
  /** `play` is how the game ended: with the tile, or before it. */
  pick(tile: number): Promise<{ play: PaidGame | null } | Failure | null>
  /** Returns how the game ended: with the cash-out, or before it. */
  cashOut(): Promise<PaidGame | Failure | null>
}

interface PaidGame {
  /** In smallest units. */
  payout: string
}

/**
 * Plays a game of mines to its end: opens it, picks tile after tile and cashes out. After a lost answer or a reload it
 * starts over, which repeats each step that was taken already.
 */
export async function playByTile(
  id: number,
  tiles: readonly number[],
  steps: Steps,
): Promise<Event<never> | null> {
  const opened = await steps.open()
  if (!opened) return null
  if (isFailure(opened)) return refused(id, opened)
  for (const tile of tiles) {
    const picked = await steps.pick(tile)
    if (!picked) return null
    if (isFailure(picked)) return refused(id, picked)
    if (picked.play) return settled(id, picked.play)
  }
  const paid = await steps.cashOut()
  if (!paid) return null
  return isFailure(paid) ? refused(id, paid) : settled(id, paid)
}

function settled(id: number, { payout }: PaidGame): Event<never> {
  return { kind: 'settled', id, payoutWei: payout }
}

function refused(id: number, { error }: Failure): Event<never> {
  return { kind: 'refused', id, code: error.code }
}
