import { fail, type Failure } from '../api.ts'
import { useEffect, useState } from '../hooks.ts'

/**
 * Returns a view's data once it has loaded, or why it did not; null until then.
 * @param failed the message to show if loading fails
 */
export function useLoaded<T extends object>(
  load: () => Promise<T | Failure>,
  failed = 'This page did not load. Reload it to try again.',
): T | Failure | null {
  const [loaded, setLoaded] = useState<T | Failure | null>(null)
  useEffect(() => {
    load().then(setLoaded, () => setLoaded(fail('unreachable', failed)))
  }, [])
  return loaded
}

/** A link may have been mistyped: the service's own refusal is for programs. */
export function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}
