const DOUBLE_TAP_MS = 500

let pressedAt = -Infinity

/** Notes a press that stakes nothing, such as a cash-out. The button may stake by the second tap of a double tap. */
export function pressedWithoutStake(): void {
  pressedAt = performance.now()
}

/** Returns whether a press may stake, because it isn't the second tap on a button that staked nothing. */
export function mayStake(): boolean {
  return performance.now() - pressedAt >= DOUBLE_TAP_MS
}
