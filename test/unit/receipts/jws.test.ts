import { calculateJwkThumbprint, CompactSign, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { isSignedWith, parseJws, thumbprintOf, type Jws } from '../../../src/receipts/jws.ts'
import { RECEIPT_KEYS } from '../../shared/receipt-keys.ts'

/** RFC 7515, appendix A.3. */
const RFC_7515 = {
  jws: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
}

const [signer, other] = (
  JSON.parse(RECEIPT_KEYS) as { keys: { kty: string; crv: string; x: string; y: string }[] }
).keys

const parsed = (text: string) => parseJws(text) as Jws

describe('a compact JWS', () => {
  it('of RFC 7515 verifies with its key only', () => {
    const jws = parsed(RFC_7515.jws)
    expect(jws.header).toEqual({ alg: 'ES256' })
    expect(jws.payload).toMatchObject({ iss: 'joe' })
    expect(isSignedWith(jws, RFC_7515.key)).toBe(true)
    expect(isSignedWith(jws, other!)).toBe(false)
  })

  it('verifies as the platform signs it, whatever the signature', async () => {
    const key = await importJWK(signer!, 'ES256')
    // Half of all signatures have a high s.
    for (let n = 0; n < 16; n++) {
      const text = await new CompactSign(new TextEncoder().encode(JSON.stringify({ n })))
        .setProtectedHeader({ alg: 'ES256' })
        .sign(key)
      expect(isSignedWith(parsed(text), signer!)).toBe(true)
    }
  })

  it('does not verify if a part was changed', () => {
    const [header, payload, signature] = RFC_7515.jws.split('.')
    const changed = [
      `eyJhbGciOiJFUzI1NiIgfQ.${payload}.${signature}`,
      `${header}.eyJpc3MiOiJib2IifQ.${signature}`,
      `${header}.${payload}.${signature?.replace('Dt', 'Du')}`,
      `${header}.${payload}.AAAA`,
    ]
    for (const text of changed) expect(isSignedWith(parsed(text), RFC_7515.key)).toBe(false)
  })

  it('does not verify with a key that is no point of the curve', () => {
    const { key, jws } = RFC_7515
    expect(isSignedWith(parsed(jws), { ...key, y: key.x })).toBe(false)
    expect(isSignedWith(parsed(jws), { ...key, y: '!' })).toBe(false)
  })

  it.each(['', 'a.b', 'eyJ9.eyJ9.AAAA', 'e30.e30', 'e30.e30.e30.e30', 'e30=.e30.AAAA', 'e30.e3.A'])(
    'is not %j',
    (text) => expect(parseJws(text)).toBeNull(),
  )
})

describe('the thumbprint of a key', () => {
  it('is that of RFC 7638', async () => {
    expect(thumbprintOf(RFC_7515.key)).toBe(await calculateJwkThumbprint(RFC_7515.key))
  })
})
