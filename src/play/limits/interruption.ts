import { Store } from '../store.ts'

/** Whether the reality check waits for the player's answer. Until then the page stakes nothing by itself. */
export const interruption = new Store(false)

/** What stakes by itself, and can be told to stop. */
export const automatic = new Set<{ stop: () => void }>()
