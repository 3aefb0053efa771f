import { checkSeen, type Check } from '../fairness/check.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import { isPaidByTables, selectionOf, specOf, type GameName, type Result } from '../games/games.ts'
import { settle, type SettledPlay } from '../games/play.ts'
import type { Unit } from '../money/token.ts'

/** What the player saw and sent before the play, to hold the house to it. */
export interface SeenPlay {
  seedHash?: string
  /** The one the player sent. */
  clientSeed?: string
}

/**
 * Checks everything a disclosed play claims: the house's commitment, the outcome that follows from
 * both seeds, and the payout. Stake and choice are taken from the play itself. Only the player can tell
 * whether they are what the player requested.
 */
export function verifyPlay(play: SettledPlay<GameName, Unit>, seen: SeenPlay = {}): Check[] {
  const { token, amount, tables, seed, seedHash, clientSeed, nonce } = play
  const settled = settle(selectionOf(play), { token, amountWei: BigInt(amount) }, play, play)
  const by = isPaidByTables(play.game) ? ` by pay tables ${tables}` : ''
  return [
    { claim: `the seed matches its seed hash ${seedHash}`, holds: commits(seedHash, seed) },
    {
      claim: `seed, client seed and nonce ${nonce} give ${drawOf(settled)}`,
      holds: isSecret(seed) && isSameMeta(settled.meta, play.meta),
    },
    {
      claim: `it pays ${settled.multiplier}x${by}, or ${settled.payout} in smallest units, from the exact multiplier and rounded down`,
      holds:
        settled.multiplier === play.multiplier &&
        settled.payout === play.payout &&
        settled.win === play.win,
    },
    ...checkSeen('its seed hash is the one you saw before you played', seedHash, seen.seedHash),
    ...checkSeen('its client seed is the one you sent', clientSeed, seen.clientSeed),
  ]
}

function isSameMeta(a: object, b: object): boolean {
  const canonical = (meta: object) => JSON.stringify(meta, Object.keys(a).toSorted())
  return canonical(a) === canonical(b)
}

function drawOf<G extends GameName>({ game, meta }: Result<G>): string {
  return specOf(game).words.draw(meta)
}
