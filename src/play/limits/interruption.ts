import { Store } from '../store.ts'

/** Whether the reality check waits for the player's answer. Until then the page stakes nothing automatically. */
export const interruption = new Store(false)

/** The automatic bets, which can be stopped. */
export const automatic = new Set<{ stop: () => void }>()
