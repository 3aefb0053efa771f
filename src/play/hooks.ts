import { useEffect as useEffectOfHono } from 'hono/jsx/dom'

/**
 * Runs an effect once for each change of its dependencies. Hono's own hook runs again if the component is
 * redrawn before the next frame, and loses the first run's clean-up function.
 */
export function useEffect(effect: () => void | (() => void), deps?: readonly unknown[]): void {
  let run: { cleanUp: void | (() => void) } | null = null
  useEffectOfHono(() => {
    run ??= { cleanUp: effect() }
    return run.cleanUp
  }, deps)
}
