import { SignJWT, type JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { checkTimes, verifyPartnerToken } from '../../../../src/api/auth/partner-token.ts'
import type { PartnerConfig } from '../../../../src/config/config.ts'
import { isRefusal } from '../../../../src/core/refusal.ts'

const NOW_S = 1_800_000_000
const SECRET = 'a key of at least thirty-two bytes'

const partner: PartnerConfig = {
  id: 'acme',
  keys: [{ kid: 'one', secret: SECRET }],
  requireBodyHash: false,
  consent: 'implied',
  debits: {
    ETH: { isOpen: true, needsPermission: false, hourWei: 1n },
    USDG: { isOpen: true, needsPermission: false, hourWei: 1n },
  },
  newPlayersPerDay: 1,
  settled: { ETH: 0n, USDG: 0n },
  limits: {
    ETH: { transactionWei: 1n, dayWei: 1n, totalWei: null },
    USDG: { transactionWei: 1n, dayWei: 1n, totalWei: null },
  },
}
const partners = new Map([['acme', partner]])

describe('a token’s times', () => {
  it.each([
    ['a token of thirty seconds', { iat: NOW_S, exp: NOW_S + 30 }, null],
    ['its last moment', { iat: NOW_S - 29.999, exp: NOW_S + 0.001 }, null],
    ['its end', { iat: NOW_S - 20, exp: NOW_S }, 'token_expired'],
    ['slightly more than thirty seconds', { iat: NOW_S, exp: NOW_S + 30.001 }, 'token_lifetime'],
    ['too long a lifetime that has ended', { iat: NOW_S - 90, exp: NOW_S - 1 }, 'token_expired'],
    ['a zero lifetime', { iat: NOW_S, exp: NOW_S }, 'token_lifetime'],
    ['a clock five seconds ahead', { iat: NOW_S + 5, exp: NOW_S + 20 }, null],
    ['a clock more than that ahead', { iat: NOW_S + 5.001, exp: NOW_S + 20 }, 'token_invalid'],
    ['a future not-before time', { iat: NOW_S, exp: NOW_S + 20, nbf: NOW_S + 6 }, 'token_invalid'],
    ['a not-before time of now', { iat: NOW_S, exp: NOW_S + 20, nbf: NOW_S }, null],
  ])('%s', (_what, times, code) => {
    expect(checkTimes(times, NOW_S)?.error.code ?? null).toBe(code)
  })
})

describe('a token signed by an independent library', () => {
  const signed = (alg: string, secret = SECRET, claims: JWTPayload = {}) =>
    new SignJWT({ aud: 'wallet-bridge', ...claims })
      .setProtectedHeader({ alg })
      .setIssuer('acme')
      .setIssuedAt(NOW_S)
      .setExpirationTime(NOW_S + 30)
      .sign(new TextEncoder().encode(secret))
  const verify = (token: string) => verifyPartnerToken(partners, `Bearer ${token}`, NOW_S * 1000)

  it('belongs to its partner', async () => {
    expect(await verify(await signed('HS256'))).toMatchObject({ partner: { id: 'acme' } })
  })

  it.each([
    ['HS384', SECRET],
    ['HS512', SECRET],
    ['HS256', 'another key of at least thirty-two bytes'],
  ])('belongs to nobody with %s and %s', async (alg, secret) => {
    const answer = await verify(await signed(alg, secret.padEnd(64)))
    expect(isRefusal(answer) && answer.error.code).toBe('token_invalid')
  })

  it('may have its audience in a list of one', async () => {
    const answer = await verify(await signed('HS256', SECRET, { aud: ['wallet-bridge'] }))
    expect(answer).toMatchObject({ partner: { id: 'acme' } })
    for (const aud of [[], ['wallet'], ['wallet-bridge', 'wallet']]) {
      expect(isRefusal(await verify(await signed('HS256', SECRET, { aud })))).toBe(true)
    }
  })

  it('may have its body hash in upper case', async () => {
    const answer = await verify(await signed('HS256', SECRET, { bodyHash: 'AB'.repeat(32) }))
    expect(answer).toMatchObject({ claims: { bodyHash: 'ab'.repeat(32) } })
  })

  it('is accepted with the scheme in any letter case', async () => {
    const answer = await verifyPartnerToken(
      partners,
      `bearer ${await signed('HS256')}`,
      NOW_S * 1000,
    )
    expect(isRefusal(answer)).toBe(false)
  })
})
