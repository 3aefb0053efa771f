import type { ActName } from '../../operator/act.ts'
import { authorityOf, includesRole } from '../../operator/roles.ts'
import type { Wish } from './act-dialog.tsx'
import { modeLabel } from './verbs.ts'
import type { ViewProps } from './views.ts'

const LABELS: Record<Exclude<ActName, 'mode'>, string> = {
  freeze: 'Freeze',
  unfreeze: 'End the freeze',
  'write-off': 'Write off',
  'confirm-withdrawal': 'It was paid',
  'release-withdrawal': 'Refund it',
  restore: 'Restore',
  reproject: 'Rebuild',
  terms: 'Set',
}

interface Props extends Pick<ViewProps, 'state' | 'onWish'> {
  wish: Wish
}

/** A button that has the operator sign an act; nothing for a role that may not sign it. */
export function ActButton({ wish, state, onWish }: Props) {
  if (!includesRole(state.operator.role, authorityOf(wish).role)) return null
  return (
    <button type="button" onClick={() => onWish(wish)}>
      {labelOf(wish)}
      <span class="visually-hidden"> {wish.target}</span>
    </button>
  )
}

function labelOf({ act, target }: Wish): string {
  return act === 'mode' ? modeLabel(target) : LABELS[act]
}
