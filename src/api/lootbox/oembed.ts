import { readText } from '../../core/read-text.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { postUnverified, type Post, type PostEmbed } from '../../lootbox/share.ts'

const TIMEOUT_MS = 3_000
const MAX_BYTES = 65_536
const MAX_REDIRECTS = 2

/** The statuses of a deleted or private post. */
const HIDDEN = [401, 403, 404, 410]

/**
 * Fetches a post's text and author from its provider (https://oembed.com, section 2.2). Follows redirects
 * only within the provider's own host.
 */
export async function fetchEmbed({ provider, url }: Post): Promise<PostEmbed | Refusal> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const query = new URL(provider.endpoint)
  query.searchParams.set('url', url)
  query.searchParams.set('format', 'json')
  try {
    const response = await follow(query, signal)
    if (!response?.ok || !response.body) {
      await response?.body?.cancel()
      return HIDDEN.includes(response?.status ?? 0) ? postUnverified('not_found') : OEMBED_FAILED
    }
    let bytes = 0
    const text = await readText(response.body, signal, (more) => (bytes += more) <= MAX_BYTES)
    const embed: unknown = text === null ? null : JSON.parse(text)
    return typeof embed === 'object' && embed !== null ? embed : OEMBED_FAILED
  } catch {
    return OEMBED_FAILED
  }
}

/** @returns null if a redirect leads to another host, or after too many redirects */
async function follow(start: URL, signal: AbortSignal): Promise<Response | null> {
  let url = start
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const headers = { accept: 'application/json' }
    const response = await fetch(url, { headers, redirect: 'manual', signal })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) return response
    await response.body?.cancel()
    url = new URL(location, url)
    if (url.origin !== start.origin) return null
  }
  return null
}

const OEMBED_FAILED = refuse('upstream_failed', "The post's site did not answer. Try again.")
