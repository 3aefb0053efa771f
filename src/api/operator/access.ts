import { createRemoteJWKSet, errors, jwtVerify, type RemoteJWKSet } from 'jose'
import type { AccessConfig } from '../../config/config.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { logFault } from '../../log.ts'

/** The header with Cloudflare Access's token. A cookie has it too, but not always. */
const HEADER = 'cf-access-jwt-assertion'

/** Access signs with RSA and SHA-256, and with nothing else. */
const ALGORITHMS = ['RS256']

/** The key sets by team. Each caches its keys for ten minutes, and asks for unknown keys at most twice a minute. */
const keySets = new Map<string, RemoteJWKSet>()

const INVALID = refuse(
  'token_invalid',
  "Cloudflare Access' token is not valid for this application. Sign in to Access again.",
)

/**
 * Checks the token of Cloudflare Access: its signature by a key of the team, its issuer, audience and expiry. A
 * request that reached the service past Access has none.
 * @param access null if it isn't configured: then nothing is checked
 */
export async function checkAccess(
  access: AccessConfig | null,
  request: Request,
): Promise<Refusal | null> {
  if (access === null) return null
  const token = request.headers.get(HEADER)
  if (token === null) {
    return refuse(
      'token_missing',
      'Operators reach this service through Cloudflare Access only. Sign in there first.',
    )
  }
  const { issuer, audience } = access
  try {
    await jwtVerify(token, keysOf(issuer), {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
    })
    return null
  } catch (fault) {
    if (fault instanceof errors.JWTExpired) {
      return refuse('token_expired', "Cloudflare Access' token has expired. Sign in to it again.")
    }
    if (isTokensFault(fault)) return INVALID
    logFault('access_keys_read_failed', fault)
    return refuse(
      'upstream_failed',
      'The keys of Cloudflare Access could not be read, so your token could not be checked. Try again.',
    )
  }
}

/** Returns whether the token is at fault, and not the reading of the keys. */
function isTokensFault(fault: unknown): boolean {
  return (
    fault instanceof errors.JOSEError &&
    !(fault instanceof errors.JWKSTimeout) &&
    !(fault instanceof errors.JWKSInvalid) &&
    // If the answer is not a key set, jose throws an error without a class of its own.
    fault.code !== 'ERR_JOSE_GENERIC'
  )
}

function keysOf(issuer: string): RemoteJWKSet {
  const known = keySets.get(issuer)
  if (known) return known
  const keys = createRemoteJWKSet(new URL('/cdn-cgi/access/certs', issuer))
  keySets.set(issuer, keys)
  return keys
}
