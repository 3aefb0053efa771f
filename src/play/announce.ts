import { Store } from './store.ts'

/** What a screen reader says next. Announce changes that matter, not every frame. */
export const announcement = new Store('')

export function announce(text: string): void {
  announcement.set(text)
}
