import { useState } from 'hono/jsx/dom'
import { fail, type Failure } from '../api.ts'
import { useEffect } from '../hooks.ts'

/** Returns what a view shows once it has loaded, or why it did not; null until then. */
export function useLoaded<T extends object>(load: () => Promise<T | Failure>): T | Failure | null {
  const [loaded, setLoaded] = useState<T | Failure | null>(null)
  useEffect(() => {
    load().then(setLoaded, () =>
      setLoaded(fail('unreachable', 'This page did not load. Reload it to try again.')),
    )
  }, [])
  return loaded
}

/** A link may have been mistyped: the service's own refusal is for programs. */
export function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}
