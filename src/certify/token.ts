import { createHash, createHmac, randomUUID } from 'node:crypto'

/** A partner's credentials at the service being certified. */
export interface PartnerCredentials {
  id: string
  secret: string
}

type Json = string | number | null

/** The parts of a token before it is signed, which cases can alter. */
export interface TokenParts {
  header: Record<string, Json>
  claims: Record<string, Json | undefined>
  secret: string
}

/** The lifetime of a token, in seconds. */
const LIFETIME_S = 20

/** Builds a correct token for one call. @param body the body to hash; null for a call that reads */
export function soundToken({ id, secret }: PartnerCredentials, body: string | null): TokenParts {
  const iat = Math.floor(Date.now() / 1000)
  return {
    header: { alg: 'HS256', typ: 'JWT' },
    claims: {
      iss: id,
      aud: 'wallet-bridge',
      iat,
      exp: iat + LIFETIME_S,
      ...(body !== null && {
        jti: randomUUID(),
        bodyHash: createHash('sha256').update(body).digest('hex'),
      }),
    },
    secret,
  }
}

/** Signs a token (RFC 7515, compact) with HS256, whatever `alg` claims, so that cases can forge it. */
export function sign({ header, claims, secret }: TokenParts): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
