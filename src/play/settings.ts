import { readKept, writeKept } from './storage.ts'
import { Store } from './store.ts'

interface Settings {
  /** Whether single keys bet. Off by default: a stray key must not stake anything. */
  hotkeys: boolean
  /** Whether keys that stake nothing work all the same. Speech input may press keys by mistake: WCAG 2.1.4. */
  safeHotkeys: boolean
  /** Whether plays show their result without an animation. */
  instant: boolean
  /** Whether results are heard. */
  sound: boolean
}

const KEY = 'fairhouse.settings'

const DEFAULTS: Settings = { hotkeys: false, safeHotkeys: true, instant: false, sound: false }

/** The preferences of this browser's player. */
export const settings = new Store<Settings>({ ...DEFAULTS, ...readKept<Partial<Settings>>(KEY) })

export function change(fields: Partial<Settings>): void {
  settings.patch(fields)
  writeKept(KEY, settings.value)
}

/** Returns whether pictures must not move: in instant mode, and for players who prefer reduced motion. */
export function isStill(): boolean {
  return settings.value.instant || matchMedia('(prefers-reduced-motion: reduce)').matches
}
