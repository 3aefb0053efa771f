import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type JWTPayload } from 'jose'
import { z } from 'zod'
import type { Partner } from '../../config/config.ts'
import { refuse, type Refusal } from '../../core/refusal.ts'

/** What a partner's token is for. */
export const AUDIENCE = 'wallet-bridge'

/** The longest that a token lives, in seconds. */
export const MAX_LIFETIME_S = 30

/** How far a partner's clock may be ahead of ours, in seconds. */
const MAX_AHEAD_S = 5

const Claims = z.object({
  iss: z.string(),
  aud: z.literal(AUDIENCE),
  iat: z.number(),
  exp: z.number(),
  nbf: z.number().optional(),
  jti: z.string().min(8).max(64).optional(),
  bodyHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

export type PartnerClaims = z.infer<typeof Claims>

/**
 * The signature of a token in the one way to write its 32 bytes: with any other last character a
 * changed token would still verify.
 */
const SIGNED = /\.[\w-]{42}[AEIMQUYcgkosw048]$/

const INVALID = refuse(
  'token_invalid',
  'The token does not verify: check key, HS256, iss, aud, iat, exp and jti; see the partner guide.',
)

/**
 * Verifies a partner's token. The signature is checked first, in constant time, and a token that does
 * not verify costs as much whether its partner or key is known or not.
 * @param authorization the request's header: `Bearer` and a JWT
 * @param now unix milliseconds
 */
export async function verifyPartnerToken(
  partners: ReadonlyMap<string, Partner>,
  authorization: string | null,
  now: number,
): Promise<{ partner: Partner; claims: PartnerClaims } | Refusal> {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) {
    return refuse('token_missing', 'Send your token: Authorization: Bearer <JWT>.')
  }
  const told = SIGNED.test(token) ? read(token) : null
  if (!told) return INVALID
  const partner = partners.get(told.claims.iss ?? '')
  const isSigned = await isSignedByOne(await keysFor(partner, told.kid), token)
  const claims = Claims.safeParse(told.claims)
  if (!partner || !isSigned || !claims.success) return INVALID
  return checkTimes(claims.data, now / 1000) ?? { partner, claims: claims.data }
}

/** Checks a token's times, in seconds: not made ahead of our clock, of short life, not over. */
export function checkTimes(
  { iat, exp, nbf }: Pick<PartnerClaims, 'iat' | 'exp' | 'nbf'>,
  nowS: number,
): Refusal | null {
  if (Math.max(iat, nbf ?? iat) > nowS + MAX_AHEAD_S) return INVALID
  if (exp <= iat || exp - iat > MAX_LIFETIME_S) {
    const details = { maxSeconds: MAX_LIFETIME_S }
    return refuse('token_lifetime', 'A token may live for 30 seconds: exp - iat.', details)
  }
  if (exp <= nowS) return refuse('token_expired', 'The token is over: sign a new one.')
  return null
}

/** What a token says of itself, before anything of it is believed. */
function read(token: string): { kid: string | undefined; claims: JWTPayload } | null {
  try {
    return { kid: decodeProtectedHeader(token).kid, claims: decodeJwt(token) }
  } catch {
    return null
  }
}

/** Whether one of some keys has signed. Where none has, every one was tried. */
async function isSignedByOne(keys: CryptoKey[], token: string): Promise<boolean> {
  for (const key of keys) {
    if (await isSignedBy(key, token)) return true
  }
  return false
}

async function isSignedBy(key: CryptoKey, token: string): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['HS256'] })
    return true
  } catch (fault) {
    if (fault instanceof errors.JOSEError) return false
    throw fault
  }
}

/** A token may be signed with either of two keys while they are changed. */
const LIVE_KEYS = 2

const imported = new Map<string, Promise<CryptoKey>>()

/** The keys that a token may be signed with: as many as ever for a partner or a key that is not known. */
async function keysFor(
  partner: Partner | undefined,
  kid: string | undefined,
): Promise<CryptoKey[]> {
  const named = partner?.keys.filter((key) => kid === undefined || key.kid === kid) ?? []
  const wanted = kid === undefined ? LIVE_KEYS : 1
  const secrets = named.map(({ secret }) => secret)
  while (secrets.length < wanted) secrets.push(NOBODYS)
  return Promise.all(secrets.map(keyOf))
}

/** Signs nothing: it exists in this isolate only. */
const NOBODYS = ''

function keyOf(secret: string): Promise<CryptoKey> {
  const known = imported.get(secret)
  if (known) return known
  const bytes =
    secret === NOBODYS
      ? crypto.getRandomValues(new Uint8Array(32))
      : new TextEncoder().encode(secret)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  imported.set(secret, key)
  return key
}
