import type { Check } from '../fairness/check.ts'
import { commits, isSecret } from '../fairness/seed.ts'
import type { Token } from '../money/token.ts'
import { settle, type Meta, type PayTerms, type Selection } from '../games/play.ts'
import type { Draw } from '../games/stream.ts'

/** A settled play as it is disclosed: everything that its outcome follows from, and the outcome. */
export interface DisclosedPlay extends Draw, PayTerms {
  selection: Selection
  token: Token
  amountWei: bigint
  seedHash: string
  multiplier: number
  payout: string
  win: boolean
  meta: Meta
}

/** What the player saw and sent before the play: the house is held to it. */
export interface SeenPlay {
  seedHash?: string
  /** The one the player sent. */
  clientSeed?: string
}

/**
 * Checks everything a disclosed play claims: the house's commitment, the outcome that follows from
 * both seeds, and the payout. What was staked and chosen is taken from the play itself: whether it
 * is what the player asked for only the player can tell.
 */
export function verifyPlay(play: DisclosedPlay, seen: SeenPlay = {}): Check[] {
  const { selection, token, amountWei, tables, seed, seedHash, clientSeed, nonce } = play
  const draw = { seed, seedHash, clientSeed, nonce }
  const settled = settle(selection, { token, amountWei }, draw, play)
  const by = isPaidByTable(selection) ? ` by pay tables ${tables}` : ''
  const checks: Check[] = [
    { claim: `the seed belongs to its seed hash ${seedHash}`, holds: commits(seedHash, seed) },
    {
      claim: `seed, client seed and nonce ${nonce} give ${describe(selection.game, settled.meta)}`,
      holds: isSecret(seed) && isSameMeta(settled.meta, play.meta),
    },
    {
      claim: `it pays ${settled.multiplier}x${by}, rounded down: ${settled.payout}`,
      holds:
        settled.multiplier === play.multiplier &&
        settled.payout === play.payout &&
        settled.win === play.win,
    },
  ]
  if (seen.seedHash !== undefined) {
    const claim = 'its seed hash is the one you saw before you played'
    checks.push({ claim, holds: seedHash === seen.seedHash })
  }
  if (seen.clientSeed !== undefined) {
    const claim = 'its client seed is the one you sent'
    checks.push({ claim, holds: clientSeed === seen.clientSeed })
  }
  return checks
}

function isPaidByTable({ game }: Selection): boolean {
  return game === 'plinko' || game === 'keno'
}

function isSameMeta(a: Meta, b: Meta): boolean {
  const canonical = (meta: Meta) => JSON.stringify(meta, Object.keys(a).toSorted())
  return canonical(a) === canonical(b)
}

function describe(game: Selection['game'], meta: Meta): string {
  if ('result' in meta) return `${game} ${meta.result.toFixed(2)}x`
  if ('path' in meta) return `the path ${meta.path} into bucket ${meta.bucket}`
  if ('draws' in meta) return `the draws ${meta.draws.join(' ')}, ${meta.hits} of them picked`
  return `mines at ${meta.mines.join(' ')}, with ${meta.picked.join(' ')} picked`
}
