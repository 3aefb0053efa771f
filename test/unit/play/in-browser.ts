import { vi } from 'vitest'

/** Stands in for a browser before the page's modules are loaded. Returns what it stores. */
export function inBrowser(hostname = 'play.test'): Map<string, string> {
  vi.resetModules()
  const stored = new Map<string, string>()
  vi.stubGlobal('location', { hostname, origin: `https://${hostname}` })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
  return stored
}
