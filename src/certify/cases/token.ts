import { randomUUID } from 'node:crypto'
import type { Answer, Bridge, Call } from '../bridge.ts'
import {
  expectBalance,
  expectMoved,
  expectRefused,
  expectSame,
  refusedCall,
  usdg,
  type Case,
  type Group,
} from '../case.ts'
import { sign, soundToken, type TokenParts } from '../token.ts'

const HEADER = 'Authorization: Bearer <JWT>, HS256 only.'
const CLAIMS = 'iss, aud = "wallet-bridge", iat (at most 5 s ahead), exp with 0 < exp − iat ≤ 30.'
const JTI = 'A call that moves money has its own jti of 8 to 64 characters.'
const KEYS = 'iss selects the partner; two of its keys may be valid during a change of keys.'

type Spoil = (token: TokenParts) => TokenParts

const now = () => Math.floor(Date.now() / 1000)
const claims =
  (changed: (now: number) => TokenParts['claims']): Spoil =>
  (token) => ({ ...token, claims: { ...token.claims, ...changed(now()) } })
const header =
  (changed: TokenParts['header']): Spoil =>
  (token) => ({ ...token, header: { ...token.header, ...changed } })
const secret =
  (text: string): Spoil =>
  (token) => ({ ...token, secret: text })

const INVALID: [title: string, rule: string, spoil: Spoil][] = [
  ['signed with another secret', KEYS, secret('x'.repeat(48))],
  ['signed with an empty secret', KEYS, secret('')],
  ['with alg RS256', HEADER, header({ alg: 'RS256' })],
  ['with alg HS512', HEADER, header({ alg: 'HS512' })],
  ['from an unknown partner', KEYS, claims(() => ({ iss: 'nobody' }))],
  ['without iss', CLAIMS, claims(() => ({ iss: undefined }))],
  ['without aud', CLAIMS, claims(() => ({ aud: undefined }))],
  ['without iat', CLAIMS, claims(() => ({ iat: undefined }))],
  ['without exp', CLAIMS, claims(() => ({ exp: undefined }))],
  ['for another audience', CLAIMS, claims(() => ({ aud: 'wallet' }))],
  ['with its times as strings', CLAIMS, claims((at) => ({ iat: `${at}`, exp: `${at + 20}` }))],
  ['issued in the future', CLAIMS, claims((at) => ({ iat: at + 60, exp: at + 80 }))],
  ['issued ten seconds ahead', CLAIMS, claims((at) => ({ iat: at + 10, exp: at + 30 }))],
]

const LIFETIMES: [title: string, spoil: Spoil][] = [
  ['with a lifetime of 31 seconds', claims((at) => ({ iat: at, exp: at + 31 }))],
  ['with a lifetime of a day', claims((at) => ({ iat: at, exp: at + 86_400 }))],
  ['that expires before it is issued', claims((at) => ({ iat: at, exp: at - 1 }))],
]

const JTIS: [title: string, spoil: Spoil][] = [
  ['without a jti', claims(() => ({ jti: undefined }))],
  ['with a jti of 7 characters', claims(() => ({ jti: 'x'.repeat(7) }))],
  ['with a jti of 65 characters', claims(() => ({ jti: 'x'.repeat(65) }))],
  ['with a jti that is a number', claims(() => ({ jti: 123_456_789 }))],
  ['with the hash of another body', claims(() => ({ bodyHash: '0'.repeat(64) }))],
]

export const token: Group = {
  name: 'Token',
  cases: [
    ...INVALID.map(([title, rule, spoil]) =>
      refusedToken(`a token ${title}`, rule, 'token_invalid', { spoil }),
    ),
    ...LIFETIMES.map(([title, spoil]) =>
      refusedToken(`a token ${title}`, CLAIMS, 'token_lifetime', { spoil }),
    ),
    refusedToken('an expired token', CLAIMS, 'token_expired', {
      spoil: claims((at) => ({ iat: at - 25, exp: at - 5 })),
    }),
    refusedToken('a token that expired two seconds ago', CLAIMS, 'token_expired', {
      spoil: claims((at) => ({ iat: at - 22, exp: at - 2 })),
    }),
    refusedToken('no token', HEADER, 'token_missing', { authorization: null }),
    refusedToken('another scheme', HEADER, 'token_missing', {
      authorization: 'Basic ZGVtbzpkZW1v',
    }),
    refusedToken('a word that is not a token', HEADER, 'token_invalid', {
      authorization: 'Bearer word',
    }),
    {
      title: 'a token in the query is not read',
      rule: HEADER,
      run: async ({ bridge, partner }) => {
        const { address } = await bridge.player()
        const jwt = sign(soundToken(partner, null))
        for (const name of ['token', 'access_token', 'authorization']) {
          const query = `playerId=${address}&currency=USDG&${name}=${jwt}`
          const path = `/api/wallet/balance?${query}`
          const answer = await bridge.call({ path, authorization: null })
          expectRefused(answer, 401, 'token_missing')
        }
      },
    },
    {
      title: 'a token without a signature is refused',
      rule: HEADER,
      run: async ({ bridge, partner }) => {
        const { header: sound, ...rest } = soundToken(partner, null)
        const none = sign({ ...rest, header: { ...sound, alg: 'none' } })
        for (const jwt of [none, none.replace(/[^.]*$/, '')]) {
          await expectTokenRefused(bridge, { authorization: `Bearer ${jwt}` })
        }
      },
    },
    {
      title: 'a token with any one character changed is refused',
      rule: HEADER,
      run: async ({ bridge, partner }) => {
        const jwt = sign(soundToken(partner, null))
        const last = jwt.length - 1
        for (const at of [5, jwt.indexOf('.') + 9, jwt.lastIndexOf('.') + 1, last - 1, last]) {
          const changed = jwt[at] === 'A' ? 'B' : 'A'
          const spoiled = `${jwt.slice(0, at)}${changed}${jwt.slice(at + 1)}`
          await expectTokenRefused(bridge, { authorization: `Bearer ${spoiled}` })
        }
      },
    },
    {
      title: 'another encoding of the signature is refused',
      rule: 'A signature has exactly one valid encoding.',
      run: async ({ bridge, partner }) => {
        const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
        const jwt = sign(soundToken(partner, null))
        const alias = letters[letters.indexOf(jwt.at(-1) ?? '') + 1] ?? ''
        await expectTokenRefused(bridge, { authorization: `Bearer ${jwt.slice(0, -1)}${alias}` })
        await expectTokenRefused(bridge, { authorization: `Bearer ${jwt}=` })
      },
    },
    ...JTIS.map(([title, spoil]) =>
      refusedCall(
        `a transaction ${title} is refused`,
        JTI,
        (bridge, player) => bridge.transaction(player, '-1', { spoil }),
        [401, 'token_invalid'],
      ),
    ),
    {
      title: 'a balance needs no jti',
      rule: JTI,
      run: async ({ bridge }) => {
        const spoil = claims(() => ({ jti: undefined }))
        expectBalance(await bridge.balance(await bridge.player(), { spoil }), '0')
      },
    },
    {
      title: 'a jti is accepted again for the same call',
      rule: 'Until it expires, a jti is accepted again for the identical method, path and body.',
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        const same = { id: randomUUID(), spoil: withJti(randomUUID()) }
        const first = await bridge.transaction(player, '-1', same)
        expectMoved(first, usdg(3), usdg(2))
        expectSame(first, await bridge.transaction(player, '-1', same))
      },
    },
    {
      title: 'a jti is not accepted for another body',
      rule: 'A jti is valid for one method, path and body; any other call is token_replayed.',
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        const spoil = withJti(randomUUID())
        await bridge.transaction(player, '-1', { spoil })
        for (let other = 0; other < 3; other++) {
          const replayed = await bridge.transaction(player, '-1', { spoil })
          expectRefused(replayed, 401, 'token_replayed')
        }
        expectBalance(await bridge.balance(player), usdg(2))
      },
    },
    {
      title: 'a jti is not accepted for another path',
      rule: 'A jti is valid for one method, path and body; any other call is token_replayed.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('3')
        const spoil = withJti(randomUUID())
        await bridge.transaction(player, '-1', { id, spoil })
        expectRefused(await bridge.rollback(player, id, { spoil }), 401, 'token_replayed')
        expectBalance(await bridge.balance(player), usdg(2))
      },
    },
    {
      title: 'a jti is not accepted for another path with the same body',
      rule: 'A jti is valid for one method, path and body; any other call is token_replayed.',
      run: async ({ bridge }) => {
        const { address } = await bridge.player('3')
        const ids = { partnerTransactionId: randomUUID(), originalTransactionId: randomUUID() }
        const body = JSON.stringify({ playerId: address, currency: 'USDG', amount: -1, ...ids })
        const both = { method: 'POST', body, spoil: withJti(randomUUID()) } as const
        const first = await bridge.call({ path: '/api/wallet/transaction', ...both })
        expectMoved(first, usdg(3), usdg(2))
        const replayed = await bridge.call({ path: '/api/wallet/rollback', ...both })
        expectRefused(replayed, 401, 'token_replayed')
      },
    },
    {
      title: 'a jti used to read is not accepted to move money',
      rule: 'A jti is valid for one method, path and body; any other call is token_replayed.',
      run: async ({ bridge }) => {
        const player = await bridge.player('3')
        const spoil = withJti(randomUUID())
        expectBalance(await bridge.balance(player, { spoil }), usdg(3))
        expectRefused(await bridge.transaction(player, '-1', { spoil }), 401, 'token_replayed')
        expectBalance(await bridge.balance(player), usdg(3))
      },
    },
    {
      title: 'a call refused for its token leaves its id free',
      rule: '401 does not use up the id: sign a new token and send the call again under the same id.',
      run: async ({ bridge, id }) => {
        const player = await bridge.player('3')
        const spoil = withJti(randomUUID())
        await bridge.transaction(player, '1', { spoil })
        const replayed = await bridge.transaction(player, '-1', { id, spoil })
        expectRefused(replayed, 401, 'token_replayed')
        expectMoved(await bridge.transaction(player, '-2', { id }), usdg(4), usdg(2))
      },
    },
    {
      title: 'the next key is already valid',
      rule: KEYS,
      needs: 'nextSecret',
      run: async ({ bridge, nextSecret }) => {
        const player = await bridge.player('3')
        const spoil = secret(nextSecret ?? '')
        expectMoved(await bridge.transaction(player, '-1', { spoil }), usdg(3), usdg(2))
        expectMoved(await bridge.transaction(player, '-1'), usdg(2), usdg(1))
      },
    },
    {
      title: 'a kid that names no key is ignored',
      rule: KEYS,
      run: async ({ bridge }) => {
        const spoil = header({ kid: 'nobody-has-this-one' })
        expectBalance(await bridge.balance(await bridge.player(), { spoil }), '0')
      },
    },
    {
      title: "one partner's key does not sign for another",
      rule: KEYS,
      needs: 'other',
      run: async ({ bridge, other }) => {
        await expectTokenRefused(bridge, { spoil: secret(other?.secret ?? '') })
      },
    },
  ],
}

function withJti(jti: string): Spoil {
  return claims(() => ({ jti }))
}

/** Builds a case: calls with this token are refused, whether they read or move money. */
function refusedToken(what: string, rule: string, code: string, spoiled: Partial<Call>): Case {
  return {
    title: `${what} is refused`,
    rule,
    run: async ({ bridge, unmovedPlayer }) => {
      const player = await unmovedPlayer()
      expectRefused(await bridge.balance(player, spoiled), 401, code)
      expectRefused(await bridge.transaction(player, '-1', spoiled), 401, code)
      expectBalance(await bridge.balance(player), usdg(3))
    },
  }
}

async function expectTokenRefused(bridge: Bridge, spoiled: Partial<Call>): Promise<void> {
  const player = await bridge.player()
  const answer: Answer = await bridge.balance(player, spoiled)
  expectRefused(answer, 401, 'token_invalid')
}
