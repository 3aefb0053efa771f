import { isRefusal, type Refusal } from '../../core/refusal.ts'
import { toMultiplier } from '../../money/multiplier.ts'
import { FUN } from '../../money/token.ts'
import { randomHex } from '../random-hex.ts'
import type { Me } from '../session.ts'
import { readKept, writeKept } from '../storage.ts'
import { newPurse, refilled, type Chance, type Purse, type PurseTransition } from './purse.ts'

const KEY = 'fairhouse.funChips'
const SEED_BYTES = 32

let inMemory: Purse | null = null

/** Returns this browser's purse. Another tab may have changed it. */
export function purse(): Purse {
  const found = readKept<Purse>(KEY) ?? inMemory
  if (found) return found
  return keep(newPurse(randomHex(SEED_BYTES)))
}

export function keep(after: Purse): Purse {
  inMemory = after
  writeKept(KEY, after)
  return after
}

/** Takes a step, unless it is refused, and answers as the service does. */
export function step<Answer>(
  take: (before: Purse) => PurseTransition<Answer> | Refusal,
  say: (answer: Answer) => object | null,
): object {
  const taken = take(purse())
  if (isRefusal(taken)) return taken
  keep(taken.purse)
  return { ok: true, ...say(taken.answer), me: meOf(taken.purse) }
}

/** Grants more chips. */
export function refill(): void {
  keep(refilled(purse()))
}

export function chance(): Chance {
  return { at: Date.now(), seed: randomHex(SEED_BYTES) }
}

/** Returns the view for the player with a purse. */
export function meOf({ chipsWei, bet }: Purse): Me {
  return {
    chips: { ETH: '0', USDG: '0', FUN: chipsWei },
    quarantine: { ETH: '0', USDG: '0' },
    openBet: bet && {
      roundId: bet.roundId,
      token: FUN,
      amountWei: bet.amountWei,
      autoCashout: bet.autoCashout === null ? null : toMultiplier(bet.autoCashout),
      placedAt: bet.placedAt,
    },
    nonce: 0,
  }
}
