/** How long a button can't stake after it did something else, such as cash out. */
export const DOUBLE_TAP_MS = 500

let pressedAt = -Infinity

/**
 * Records a press that stakes nothing, such as a cash-out, or the moment the button stops offering it. Neither a second
 * tap nor a late press may then stake.
 */
export function pressedWithoutStake(): void {
  pressedAt = performance.now()
}

/** Returns whether a press may stake: not right after the button did something else. */
export function mayStake(): boolean {
  return performance.now() - pressedAt >= DOUBLE_TAP_MS
}
