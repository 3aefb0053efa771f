import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type JWTPayload } from 'jose'
import { z } from 'zod'
import type { PartnerConfig } from '../../config/config.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'
import { utf8 } from '../../core/utf8.ts'
import { TOKEN_EXPIRED } from '../../wallet-bridge/ids.ts'

/** The audience of a partner's token. */
export const AUDIENCE = 'wallet-bridge'

/** The maximum lifetime of a token, in seconds. */
export const MAX_LIFETIME_S = 30

/** How far a partner's clock may be ahead of ours, in seconds. */
const MAX_AHEAD_S = 5

const Claims = z.object({
  iss: z.string(),
  aud: z.literal(AUDIENCE).or(z.tuple([z.literal(AUDIENCE)])),
  iat: z.number(),
  exp: z.number(),
  nbf: z.number().optional(),
  jti: z.string().min(8).max(64).optional(),
  bodyHash: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .transform((hex) => hex.toLowerCase())
    .optional(),
})

export type PartnerClaims = z.infer<typeof Claims>

/**
 * A token's signature in its canonical encoding. Without this check a token altered in its last
 * character could still verify.
 */
const SIGNED = /\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** Refuses any invalid token. It never says which part is wrong. */
export const INVALID = refuse(
  'token_invalid',
  'The token is not valid. Check its key, HS256, iss, aud, iat, exp, jti and bodyHash against the partner guide.',
)

/**
 * Verifies a partner's token. Checks the signature first, in constant time; an invalid token takes the
 * same time whether its partner and key are known or not.
 * @param authorization the request's header: `Bearer` and a JWT
 * @param now unix milliseconds
 */
export async function verifyPartnerToken(
  partners: ReadonlyMap<string, PartnerConfig>,
  authorization: string | null,
  now: number,
): Promise<{ partner: PartnerConfig; claims: PartnerClaims } | Refusal> {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) {
    return refuse('token_missing', 'The token is missing. Send it as Authorization: Bearer <JWT>.')
  }
  const decoded = SIGNED.test(token) ? read(token) : null
  if (!decoded) return INVALID
  const partner = partners.get(decoded.claims.iss ?? '')
  const isSigned = await isSignedByOne(await keysFor(partner, decoded.kid), token)
  const claims = Claims.safeParse(decoded.claims)
  if (!partner || !isSigned || !claims.success) return INVALID
  return checkTimes(claims.data, now / 1000) ?? { partner, claims: claims.data }
}

/**
 * Refuses a token from the future, expired, or with a lifetime that is too long or not positive. Times are in seconds.
 */
export function checkTimes(
  { iat, exp, nbf }: Pick<PartnerClaims, 'iat' | 'exp' | 'nbf'>,
  nowS: number,
): Refusal | null {
  if (Math.max(iat, nbf ?? iat) > nowS + MAX_AHEAD_S) return INVALID
  if (exp > iat && exp <= nowS) return TOKEN_EXPIRED
  if (exp <= iat || exp - iat > MAX_LIFETIME_S) {
    const details = { maxSeconds: MAX_LIFETIME_S }
    return refuse(
      'token_lifetime',
      'The token has a wrong lifetime. Set exp after iat, by at most 30 seconds.',
      details,
    )
  }
  return null
}

/** Reads a token's header and claims without verifying them. */
function read(token: string): { kid: string | undefined; claims: JWTPayload } | null {
  try {
    return { kid: decodeProtectedHeader(token).kid, claims: decodeJwt(token) }
  } catch {
    return null
  }
}

/** Returns whether one of the keys signed the token. Tries every key before it returns false. */
async function isSignedByOne(keys: CryptoKey[], token: string): Promise<boolean> {
  for (const key of keys) {
    if (await isMacOf(key, token)) return true
  }
  return false
}

async function isMacOf(key: CryptoKey, token: string): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['HS256'] })
    return true
  } catch (fault) {
    if (fault instanceof errors.JOSEError) return false
    throw fault
  }
}

/** The number of valid keys during a change of keys. */
const LIVE_KEYS = 2

const imported = new Map<string, Promise<CryptoKey>>()

/**
 * Returns the keys to try for a token: the one that it names, or all if it names none of them (a `kid` is a hint: RFC
 * 7515, 4.1.4). Always the same number, also for unknown partners.
 */
async function keysFor(
  partner: PartnerConfig | undefined,
  kid: string | undefined,
): Promise<CryptoKey[]> {
  const live = partner?.keys ?? []
  const named = live.filter((key) => key.kid === kid)
  const secrets = (named.length > 0 ? named : live).map(({ secret }) => secret)
  while (secrets.length < LIVE_KEYS) secrets.push(NOBODYS)
  return Promise.all(secrets.map(keyOf))
}

/** Stands for a random key that never signs anything. */
const NOBODYS = ''

function keyOf(secret: string): Promise<CryptoKey> {
  const known = imported.get(secret)
  if (known) return known
  const bytes = secret === NOBODYS ? crypto.getRandomValues(new Uint8Array(32)) : utf8(secret)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  imported.set(secret, key)
  return key
}
