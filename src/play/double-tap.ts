/** How long a button that has just been one that stakes nothing can't stake. */
export const DOUBLE_TAP_MS = 500

let pressedAt = -Infinity

/**
 * Notes a press that stakes nothing, such as a cash-out, or the end of what such a press is for. The button may stake
 * by the second tap of a double tap, or by a press that comes too late.
 */
export function pressedWithoutStake(): void {
  pressedAt = performance.now()
}

/** Returns whether a press may stake, because the button hasn't just been one that stakes nothing. */
export function mayStake(): boolean {
  return performance.now() - pressedAt >= DOUBLE_TAP_MS
}
