import { isRefusal, type Refusal } from '../../core/refusal.ts'
import type { ApiCall } from './call.ts'

/** Larger answers are read each time: their copy for the cache would wait in memory for a slow reader. */
const MAX_BYTES = 16_000_000

/**
 * Answers from the cache of this data centre, or reads the answer and keeps it there. Only for answers that never
 * change and are the same for everybody: the cache keeps it as long as the answer's `cache-control` says, and nothing
 * here removes it.
 * @param version distinguishes answers that have had the same path
 */
export async function answeredOnce(
  { request, waitUntil }: Pick<ApiCall<unknown>, 'request' | 'waitUntil'>,
  version: string,
  read: () => Promise<Response | Refusal>,
): Promise<Response | Refusal> {
  const { origin, pathname } = new URL(request.url)
  // Without the request's headers: a key with a range would match a part.
  const key = `${origin}${pathname}?version=${encodeURIComponent(version)}`
  const cache = edgeCache()
  // A cache that fails costs a read and nothing else.
  const kept = await cache?.match(key).catch(() => undefined)
  if (kept) return repeated(kept)
  const answer = await read()
  if (cache && !isRefusal(answer) && isKept(answer)) {
    waitUntil(cache.put(key, answer.clone()).catch(() => {}))
  }
  return answer
}

function isKept({ status, headers }: Response): boolean {
  return status === 200 && Number(headers.get('content-length') ?? 0) <= MAX_BYTES
}

/** Returns the cache of this data centre; null in a runtime without one. */
function edgeCache(): Cache | null {
  const { caches: all } = globalThis as { caches?: CacheStorage }
  return all?.default ?? null
}

/** Returns an answer from the cache as the answer to another request. */
function repeated(kept: Response): Response {
  const answer = new Response(kept.body, kept)
  if (answer.headers.has('x-request-id')) answer.headers.set('x-request-id', crypto.randomUUID())
  return answer
}
