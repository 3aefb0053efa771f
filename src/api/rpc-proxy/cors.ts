/** How long a browser may cache the answer to OPTIONS. */
const MAX_AGE_SECONDS = '7200'

/**
 * Allows one origin to read an answer: the request's own if it is allowlisted, otherwise the site's.
 * `vary` tells caches that answers differ by origin.
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

/** The additional headers of an answer to OPTIONS. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': MAX_AGE_SECONDS,
}
