import type { FC } from 'hono/jsx/dom'
import type { Role } from '../../operator/roles.ts'
import type { Wish } from './act-dialog.tsx'
import type { ServiceState } from './operator.ts'

/** The properties of each view. */
export interface ViewProps {
  state: ServiceState
  /** The parts of the address after the view's own. */
  rest: string[]
  /** Asks the operator to sign an act. */
  onWish: (wish: Wish) => void
}

/** A view of the operators' page, loaded on its first visit. Its address is `#/<path>/<rest>`. */
export interface View {
  path: string
  label: string
  /** The lowest role that may look at it; any role if absent. */
  least?: Role
  load: () => Promise<{ default: FC<ViewProps> }>
}

/** In the order of the navigation. The first is shown at the start. */
export const VIEWS: [View, ...View[]] = [
  { path: 'state', label: 'State', load: () => import('./state/view.tsx') },
  { path: 'stuck', label: 'Stuck', load: () => import('./stuck/view.tsx') },
  { path: 'money', label: 'Money', load: () => import('./money/view.tsx') },
  {
    path: 'players',
    label: 'Players',
    least: 'support',
    load: () => import('./players/view.tsx'),
  },
  { path: 'partners', label: 'Partners', load: () => import('./partners/view.tsx') },
  { path: 'rounds', label: 'Rounds', load: () => import('./rounds/view.tsx') },
]

/** Returns the view for a location's hash; the first for an unknown one. */
export function viewOf(hash: string): { view: View; rest: string[] } {
  const [path = '', ...rest] = hash.replace(/^#\/?/, '').split('/')
  return { view: VIEWS.find((view) => view.path === path) ?? VIEWS[0], rest }
}
