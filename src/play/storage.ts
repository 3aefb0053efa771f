/** Returns a stored value, or null if nothing is stored or the browser blocks storage. */
export function readKept<T>(key: string): T | null {
  try {
    return JSON.parse(readText(key) ?? 'null') as T | null
  } catch {
    return null
  }
}

/**
 * Keeps a value in the browser, or forgets it. Without storage the page works, but keeps nothing.
 * @returns false if the browser didn't take it; an earlier value stays
 */
export function writeKept(key: string, value: unknown): boolean {
  return writeText(key, value === null ? null : JSON.stringify(value))
}

/** As {@link readKept}, for text that is stored as it is. */
export function readText(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** As {@link writeKept}, for text that is stored as it is. */
export function writeText(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    return true
  } catch {
    // A browser that keeps nothing can still play, but its player can verify less.
    return false
  }
}
