/** Adds an entry as the newest of a map, which drops its oldest beyond `limit` entries. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key)
  const [oldest] = map.keys()
  if (map.size >= limit && oldest !== undefined) map.delete(oldest)
  map.set(key, value)
}
