import {
  useCallback,
  useEffect as useEffectOfHono,
  useLayoutEffect,
  useRef,
  useState as useStateOfHono,
} from 'hono/jsx/dom'

/** Runs an effect with the drawing itself. Hono's own hook needs no help: it runs once, and is always cleaned up. */
export { useLayoutEffect }

type Next<T> = T | ((current: T) => T)

/** Returns a reference that is true once the component is gone. */
export function useIsGone(): { readonly current: boolean | null } {
  const isGone = useRef(false)
  // Unlike an effect, a layout effect has run before the component can go.
  useLayoutEffect(() => () => void (isGone.current = true), [])
  return isGone
}

/**
 * Returns a value of the component and a function that sets it while the component is shown. Hono's own hook puts a
 * component that is gone back into the page at the second set.
 */
export function useState<T>(initial: T | (() => T)): [T, (next: Next<T>) => void] {
  const [value, set] = useStateOfHono(initial)
  const isGone = useIsGone()
  const setIfShown = useCallback((next: Next<T>) => {
    if (!isGone.current) set(next)
  }, [])
  return [value, setIfShown]
}

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
