/**
 * Returns the arguments of `fetch` that send JSON to a node. Credentials in its URL go into a header: `fetch` takes
 * none.
 * @param body the request as JSON text
 * @throws TypeError or URIError if the URL or its credentials aren't valid
 */
export function nodeRequest(
  nodeUrl: string,
  body: string,
  signal: AbortSignal,
): [string, RequestInit] {
  const url = new URL(nodeUrl)
  const credentials = credentialsOf(url)
  url.username = url.password = ''
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credentials !== null && { authorization: `Basic ${credentials}` }),
    },
    body,
    // A redirect could lead anywhere; the runtime doesn't support 'error'.
    redirect: 'manual',
    signal,
  } as const
  return [url.href, init]
}

/**
 * Returns a URL's name and password as the header of HTTP's basic authentication has them (RFC 7617); null without any.
 */
export function credentialsOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  return btoa([username, password].map(decodeURIComponent).join(':'))
}
