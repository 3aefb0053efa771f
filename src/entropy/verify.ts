import type { Check } from '../fairness/check.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import type { Token } from '../money/token.ts'
import { settle, type Meta, type Selection } from './play.ts'
import type { Draw } from './stream.ts'

/** A settled play as it is disclosed: everything that its outcome follows from, and the outcome. */
export interface DisclosedPlay extends Draw {
  selection: Selection
  token: Token
  amountWei: bigint
  edgeBps: number
  seedHash: string
  multiplier: number
  payout: string
  win: boolean
  meta: Meta
}

/**
 * Checks everything a disclosed play claims: the house's commitment, the outcome that follows from
 * both seeds, and the payout.
 * @param seenSeedHash what the player was shown before the play: with it the house is held to it
 */
export function verifyPlay(play: DisclosedPlay, seenSeedHash?: string): Check[] {
  const { selection, token, amountWei, edgeBps, seed, seedHash, clientSeed, nonce } = play
  const draw = { seed, seedHash, clientSeed, nonce }
  const settled = settle(selection, { token, amountWei }, draw, edgeBps)
  const checks: Check[] = [
    { claim: `the seed belongs to its seed hash ${seedHash}`, holds: commits(seedHash, seed) },
    {
      claim: `seed, client seed and nonce ${nonce} give ${describe(selection.game, settled.meta)}`,
      holds: isSecret(seed) && isSameMeta(settled.meta, play.meta),
    },
    {
      claim: `it pays ${settled.multiplier}x, rounded down: ${settled.payout}`,
      holds:
        settled.multiplier === play.multiplier &&
        settled.payout === play.payout &&
        settled.win === play.win,
    },
  ]
  if (seenSeedHash !== undefined) {
    const claim = 'its seed hash is the one you saw before you played'
    checks.push({ claim, holds: seedHash === seenSeedHash })
  }
  return checks
}

function isSameMeta(a: Meta, b: Meta): boolean {
  const canonical = (meta: Meta) => JSON.stringify(meta, Object.keys(a).toSorted())
  return canonical(a) === canonical(b)
}

function describe(game: Selection['game'], meta: Meta): string {
  if ('result' in meta) return `${game} ${meta.result.toFixed(2)}x`
  if ('path' in meta) return `the path ${meta.path} into bucket ${meta.bucket}`
  if ('draws' in meta) return `the draws ${meta.draws.join(' ')}, ${meta.hits} of them picked`
  return `mines at ${meta.mines.join(' ')}`
}
