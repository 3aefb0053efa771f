/** Returns a stored value, or null if nothing is stored or the browser blocks storage. */
export function readKept<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null
  } catch {
    return null
  }
}

/** Keeps a value in the browser, or forgets it. Without storage the page works, but keeps nothing. */
export function writeKept(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // A browser that keeps nothing can still play, but its player can verify less.
  }
}
