/** How long a browser may keep what OPTIONS told it. */
const MAX_AGE_SECONDS = '7200'

/**
 * The one origin that may read an answer: the request's own if it is allowlisted, otherwise the
 * site's. What differs by origin says so to whoever caches.
 */
export function corsHeaders(
  requestOrigin: string | null,
  { origins, siteOrigin }: { origins: readonly string[]; siteOrigin: string },
): Record<string, string> {
  const isAllowed = requestOrigin !== null && origins.includes(requestOrigin)
  return {
    'access-control-allow-origin': isAllowed ? requestOrigin : siteOrigin,
    vary: 'Origin',
  }
}

/** What OPTIONS answers besides. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': MAX_AGE_SECONDS,
}
