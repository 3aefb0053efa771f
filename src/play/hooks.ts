import { useEffect as useEffectOfHono, useLayoutEffect } from 'hono/jsx/dom'

/**
 * Runs an effect once for each change of its dependencies, and not at all if the component is gone before the next
 * frame. Hono's own hook runs it all the same, runs it again if the component is redrawn before then, and loses the
 * clean-up function either way.
 */
export function useEffect(effect: () => void | (() => void), deps?: readonly unknown[]): void {
  let isCancelled = false
  let run: { cleanUp: void | (() => void) } | null = null
  // Cleaned up at once when the dependencies change or the component goes, even before the effect has run.
  useLayoutEffect(() => () => void (isCancelled = true), deps)
  useEffectOfHono(() => {
    if (isCancelled) return
    run ??= { cleanUp: effect() }
    return run.cleanUp
  }, deps)
}
