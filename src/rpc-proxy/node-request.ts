/**
 * Returns what `fetch` takes to send JSON to a node. Credentials in its URL go into a header: `fetch` takes none.
 * @param body the request as JSON text
 * @throws TypeError or URIError if the URL or its credentials aren't valid
 */
export function nodeRequest(
  nodeUrl: string,
  body: string,
  signal: AbortSignal,
): [string, RequestInit] {
  const url = new URL(nodeUrl)
  const credentials = [url.username, url.password].map(decodeURIComponent).join(':')
  const authorization = url.username && `Basic ${btoa(credentials)}`
  url.username = url.password = ''
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body,
    // A redirect could lead anywhere; the runtime doesn't support 'error'.
    redirect: 'manual',
    signal,
  } as const
  return [url.href, init]
}
