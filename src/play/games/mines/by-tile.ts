import { isFailure, type Failure } from '../../api.ts'
import type { Event } from '../../autobet/rules.ts'

/** A game of mines, step by step. Every step sent again is the same step. Null if there is nothing to tell yet. */
export interface Steps {
  open(): Promise<object | Failure | null>
  /** `play` is how the game ended, if the tile ended it. */
  pick(tile: number): Promise<{ play: PaidGame | null } | Failure | null>
  cashOut(): Promise<PaidGame | Failure | null>
  /** Reads how the game ended elsewhere. */
  readEnd(): Promise<PaidGame | Failure | null>
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
    if (isFailure(picked)) return endedElsewhere(id, picked, steps)
    if (picked.play) return settled(id, picked.play)
  }
  const paid = await steps.cashOut()
  if (!paid) return null
  return isFailure(paid) ? endedElsewhere(id, paid, steps) : settled(id, paid)
}

/** A game that was cashed out by hand, or left open for a day, has ended with fewer tiles. */
async function endedElsewhere(
  id: number,
  failure: Failure,
  steps: Steps,
): Promise<Event<never> | null> {
  if (failure.error.code !== 'no_open_game') return refused(id, failure)
  const end = await steps.readEnd()
  if (!end) return null
  return isFailure(end) ? refused(id, end) : settled(id, end)
}

function settled(id: number, { payout }: PaidGame): Event<never> {
  return { kind: 'settled', id, payoutWei: payout }
}

function refused(id: number, { error }: Failure): Event<never> {
  return { kind: 'refused', id, code: error.code }
}
