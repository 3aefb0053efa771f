import { createHash, createHmac, randomUUID } from 'node:crypto'

/** Credentials of a partner at the service that is certified. */
export interface Partner {
  id: string
  secret: string
}

type Json = string | number | null

/** A token before it is signed, as somebody may get it wrong. */
export interface TokenParts {
  header: Record<string, Json>
  claims: Record<string, Json | undefined>
  secret: string
}

/** How long a token of ours lives, in seconds. */
const LIFETIME_S = 20

/** A token that is in order: for one call, with its body's hash; one that reads needs no jti. */
export function soundToken({ id, secret }: Partner, body: string | null): TokenParts {
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

/** RFC 7515, compact: what `alg` says is not asked, so that it can lie. */
export function sign({ header, claims, secret }: TokenParts): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
