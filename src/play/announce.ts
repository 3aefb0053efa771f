import { Store } from './store.ts'

/** The next announcement for screen readers. Announce changes that matter, not every frame. */
export const announcement = new Store('')

export function announce(text: string): void {
  announcement.set(text)
}
