import { credentialsOf } from './node-request.ts'

/** An error of JSON-RPC. */
export interface RpcError {
  code: number
  message: string
  data?: unknown
}

export function isRpcError(error: unknown): error is RpcError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    Number.isSafeInteger(error.code) &&
    'message' in error &&
    typeof error.message === 'string'
  )
}

/** A contract chooses its revert reason. The bound on the scheme keeps the search linear in its length. */
const URL_LIKE = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi
const REDACTED = '[removed]'

/** A longer message isn't worth searching. */
const LONGEST_MESSAGE = 8_192
const TOO_LONG = 'The error message is too long to be shown.'

const HEX = /^0x[0-9a-f]*$/i

/** Parts of a URL shorter than this count as words (`v3`, `mainnet`), not keys. */
const SHORTEST_KEY = 8

/**
 * Makes an upstream's error safe to publish and to log. Removes anything like a URL, the upstream's host and
 * possible keys from its message, replaces one that is too long, and keeps its data only if that is a
 * contract's revert data.
 */
export function redact({ code, message, data }: RpcError, upstreamUrl: string): RpcError {
  const clean = message.length > LONGEST_MESSAGE ? TOO_LONG : withoutSecrets(message, upstreamUrl)
  const isRevert = typeof data === 'string' && HEX.test(data)
  return isRevert ? { code, message: clean, data } : { code, message: clean }
}

function withoutSecrets(message: string, upstreamUrl: string): string {
  return secretsOf(upstreamUrl).reduce(
    (rest, secret) => rest.replaceAll(secret, REDACTED),
    message.replaceAll(URL_LIKE, REDACTED),
  )
}

/** Returns patterns for the secrets in a URL, as written and decoded, in any letter case, longest first. */
function secretsOf(upstreamUrl: string): RegExp[] {
  const url = new URL(upstreamUrl)
  const { host, hostname, pathname } = url
  const segments = pathname.split('/').map(decoded)
  const parts = [upstreamUrl, decoded(upstreamUrl)]
    .flatMap((text) => text.split(/[^\w-]+/))
    .concat(segments, credentialsOf(url) ?? [])
    .filter((part) => part.length >= SHORTEST_KEY)
  return [host, hostname, ...parts]
    .toSorted((a, b) => b.length - a.length)
    .map((text) => new RegExp(text.replaceAll(/[^\w]/g, '\\$&'), 'gi'))
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}
