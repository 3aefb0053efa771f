import { useEffect as useEffectOfHono } from 'hono/jsx/dom'

/**
 * useEffect that runs once for each change of its dependencies. Hono's runs again where a component is drawn
 * anew before the next frame, and forgets what the first run would have had cleaned up.
 */
export function useEffect(effect: () => void | (() => void), deps?: readonly unknown[]): void {
  let run: { cleanUp: void | (() => void) } | null = null
  useEffectOfHono(() => {
    run ??= { cleanUp: effect() }
    return run.cleanUp
  }, deps)
}
