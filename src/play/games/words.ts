import { toMultiplier } from '../../money/multiplier.ts'
import type { Meta, Selection, SettledPlay } from '../../games/play.ts'
import { exactAmount } from '../amounts.ts'

/** A multiplier for people: 2.00x, 1.1379x. */
export function showMultiplier(multiplier: number): string {
  return `${multiplier.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 })}x`
}

/** A probability for people: 49.5 %, 0.0001871 %. */
export function showChance(chance: number): string {
  return `${(chance * 100).toLocaleString('en', { maximumSignificantDigits: 4 })} %`
}

/** How a play went, for who does not see its picture. */
export function sayPlay(play: SettledPlay & { nonce: number }): string {
  const { nonce, win, payout, amount, token, multiplier, meta } = play
  const outcome = win
    ? `pays ${exactAmount(payout, token)} ${token} at ${showMultiplier(multiplier)}`
    : `lost ${exactAmount(amount, token)} ${token}`
  return `Play ${nonce}: ${outcome}. ${sayMeta(meta)}.`
}

/** What came out, in a few words. */
export function sayMeta(meta: Meta): string {
  if ('result' in meta) {
    return `Rolled ${showMultiplier(meta.result)}, target ${showMultiplier(meta.target)}`
  }
  if ('path' in meta) return `Bucket ${meta.bucket} of 0–${meta.rows}`
  if ('draws' in meta) return `${meta.hits} of ${meta.picks.length} picks hit`
  const hit = meta.picked.filter((tile) => meta.mines.includes(tile))
  if (hit.length > 1) return `Mines under tiles ${hit.join(', ')}`
  if (hit.length === 1) return `Mine under tile ${hit[0]}`
  return `No mine under your ${meta.picked.length === 1 ? 'tile' : `${meta.picked.length} tiles`}`
}

/** What was chosen before a play, in a few words. */
export function sayChoice(meta: Meta): string {
  if ('result' in meta) return `Target ${showMultiplier(meta.target)}`
  if ('path' in meta) return `${meta.rows} rows, ${meta.risk} risk`
  if ('draws' in meta) return `Numbers ${meta.picks.join(', ')}, ${meta.risk} risk`
  const tiles = `${meta.picked.length === 1 ? 'tile' : 'tiles'} ${meta.picked.join(', ')}`
  return `${meta.mines.length === 1 ? '1 mine' : `${meta.mines.length} mines`}, ${tiles}`
}

/** A selection as the service takes it. */
export function wireParams(selection: Selection): object {
  switch (selection.game) {
    case 'mines':
      return { mines: selection.params.mines, pick: selection.params.picked }
    case 'limbo':
      return { target: toMultiplier(selection.params.target) }
    case 'plinko':
    case 'keno':
      return selection.params
  }
}
