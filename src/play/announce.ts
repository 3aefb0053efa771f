import { Store } from './store.ts'

/** What a screen reader says next. For changes that matter, not for every frame. */
export const announcement = new Store('')

export function announce(text: string): void {
  announcement.set(text)
}
