import type { FC } from 'hono/jsx/dom'
import { capital } from '../core/words.ts'
import { PICTURES } from './games/registry.ts'

/** A view of the page, loaded on its first visit. Its address is `#/<path>/<rest>`. */
export interface View {
  path: string
  label: string
  /** Not in the navigation: linked from elsewhere on the page. */
  isUnlisted?: true
  load: () => Promise<{ default: ViewComponent }>
}

export type ViewComponent = FC<{ rest: string[] }>

/** In the order of the navigation. The first is shown at `/`. */
export const VIEWS: [View, ...View[]] = [
  { path: 'crash', label: 'Crash', load: () => import('./crash/view.tsx') },
  ...Object.entries(PICTURES).map(([game, load]) => ({ path: game, label: capital(game), load })),
  { path: 'lootbox', label: 'Lootbox', load: () => import('./lootbox/view.tsx') },
  { path: 'boxes', label: 'Boxes', load: () => import('./boxes/view.tsx') },
  { path: 'cashier', label: 'Cashier', load: () => import('./cashier/view.tsx') },
  {
    path: 'advertise',
    label: 'Advertise',
    isUnlisted: true,
    load: () => import('./ads/view.tsx'),
  },
  {
    path: 'permissions',
    label: 'Partner permissions',
    isUnlisted: true,
    load: () => import('./permissions/view.tsx'),
  },
  { path: 'limits', label: 'Limits', isUnlisted: true, load: () => import('./limits/view.tsx') },
  { path: 'verify', label: 'Verify', load: () => import('./verify/view.tsx') },
  { path: 'round', label: 'Round', isUnlisted: true, load: () => import('./slips/round.tsx') },
  { path: 'bet', label: 'Bet', isUnlisted: true, load: () => import('./slips/bet.tsx') },
  { path: 'play', label: 'Play', isUnlisted: true, load: () => import('./slips/play.tsx') },
  { path: 'help', label: 'Help', isUnlisted: true, load: () => import('./help/view.tsx') },
  { path: 'status', label: 'Status', isUnlisted: true, load: () => import('./status/view.tsx') },
  {
    path: 'activity',
    label: 'Activity',
    isUnlisted: true,
    load: () => import('./activity/view.tsx'),
  },
  {
    path: 'strategies',
    label: 'Strategies',
    isUnlisted: true,
    load: () => import('./strategies/view.tsx'),
  },
]

const NOT_FOUND: View = {
  path: 'not-found',
  label: 'Page not found',
  isUnlisted: true,
  load: () => import('./not-found.tsx'),
}

/** Returns the view for a location's hash: the first if the hash is empty, {@link NOT_FOUND} if it is unknown. */
export function viewOf(hash: string): { view: View; rest: string[] } {
  const [path = '', ...rest] = hash.replace(/^#\/?/, '').split('/')
  if (path === '') return { view: VIEWS[0], rest }
  return { view: VIEWS.find((view) => view.path === path) ?? NOT_FOUND, rest }
}
