const URL_LIKE = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi
const REDACTED = '[removed]'

/** Parts of a URL shorter than this are words (`v3`, `mainnet`), not keys. */
const SHORTEST_KEY = 8

/**
 * A copy of a value without anything in its texts that looks like a URL, or that is the host or may be
 * a key of the upstream it came from. Names of fields stay.
 */
export function redact<T>(value: T, upstreamUrl: string): T {
  const secrets = secretsOf(upstreamUrl)
  const clean = (text: string) =>
    secrets.reduce(
      (rest, secret) => rest.replaceAll(secret, REDACTED),
      text.replaceAll(URL_LIKE, REDACTED),
    )
  const text = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? clean(member) : member,
  )
  return JSON.parse(text) as T
}

function secretsOf(upstreamUrl: string): string[] {
  const { host, hostname, pathname, searchParams, username, password } = new URL(upstreamUrl)
  const keys = [...pathname.split('/'), ...searchParams.values(), username, password]
  return [host, hostname, ...keys.filter((key) => key.length >= SHORTEST_KEY)]
}
