import { createHash } from 'node:crypto'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { CommitQueue } from '../../durable-objects/kernel/commit-queue.ts'
import { partnerIds } from '../../src/calls/objects.ts'
import { sign, soundToken } from '../../src/certify/token.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { utf8 } from '../../src/core/utf8.ts'
import { SOON } from '../shared/soon.ts'
import { setModes } from './operator.ts'
import { Platform } from './partner.ts'
import {
  answerOf,
  now,
  outcomeOf,
  pass,
  Player,
  restart,
  rowsOf,
  useStories,
  type Answer,
} from './support.ts'

useStories()

const platform = new Platform()
const alice = new Player(0)
const bob = new Player(1)

type Spoil = NonNullable<Parameters<Platform['post']>[2]>

function withClaims(claims: object): Spoil {
  return (token) => ({ ...token, claims: { ...token.claims, ...claims } })
}

/** Credits some dollars under an id, with a token of a certain jti. */
function transactWith(jti: string, id: string, amount = 1, claims: object = {}) {
  const fields = { playerId: alice.wallet, currency: 'USDG', partnerTransactionId: id, amount }
  return platform.post('transaction', JSON.stringify(fields), withClaims({ jti, ...claims }))
}

/** Credits a dollar with a token that lives for 20 seconds, and `waits` within the body. */
async function transactSlowly(jti: string, id: string, waits: () => void): Promise<Answer> {
  const fields = { playerId: alice.wallet, currency: 'USDG', partnerTransactionId: id, amount: 1 }
  const body = JSON.stringify(fields)
  const { header, claims, secret } = soundToken(DEV_PARTNER, null)
  const headers = {
    authorization: `Bearer ${sign({ header, claims: { ...claims, jti }, secret })}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const isReading = vi.spyOn(Request.prototype, 'arrayBuffer')
  const { readable, writable } = new FixedLengthStream(body.length)
  const path = '/api/wallet/transaction'
  const init = { method: 'POST', headers }
  const answer = exports.default.fetch(`http://fairhouse.test${path}`, { ...init, body: readable })
  const writer = writable.getWriter()
  await writer.write(utf8(body.slice(0, 1)))
  await vi.waitFor(() => expect(isReading).toHaveBeenCalled(), SOON)
  waits()
  await writer.write(utf8(body.slice(1)))
  await writer.close()
  return answerOf(path, { ...init, body }, await answer)
}

describe('a partner’s token', () => {
  it('must carry the hash of the body if that is required', async () => {
    const strict = new Platform(OTHER_DEV_PARTNER)
    const fields = {
      playerId: alice.wallet,
      currency: 'USDG',
      partnerTransactionId: 'x',
      amount: 1,
    }
    const body = JSON.stringify(fields)
    const without = await strict.post('transaction', body, (token) => ({
      ...token,
      claims: { ...token.claims, bodyHash: undefined },
    }))
    expect(without.body.error.code).toBe('token_invalid')
    expect((await strict.post('transaction', body)).status).toBe(200)
    const lax = await platform.post('transaction', body, (token) => ({
      ...token,
      claims: { ...token.claims, bodyHash: undefined },
    }))
    expect(lax.status).toBe(200)
  })

  it('is refused in a read with the hash of a body that the read does not have', async () => {
    const path = `/api/wallet/balance?playerId=${alice.wallet}&currency=USDG`
    const hashed = (body: string) => createHash('sha256').update(body).digest('hex')
    const read = async (bodyHash: string) =>
      outcomeOf(await platform.get(path, withClaims({ bodyHash })))
    expect(await read(hashed('{}'))).toEqual([401, 'token_invalid'])
    expect(await read(hashed(''))).toEqual([200, undefined])
  })

  it('is compared by the platform, as often for a stranger as for a partner', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const verifications = async (change: object, header: object = {}, secret?: string) => {
      verify.mockClear()
      await platform.get(`/api/wallet/balance?playerId=${alice.wallet}&currency=USDG`, (token) => ({
        header: { ...token.header, ...header },
        claims: { ...token.claims, ...change },
        secret: secret ?? token.secret,
      }))
      return verify.mock.calls.length
    }
    expect(await verifications({})).toBe(1)
    expect(await verifications({}, {}, 'wrong')).toBe(2)
    expect(await verifications({ iss: 'nobody' })).toBe(2)
    expect(await verifications({ iss: 'demo-two' })).toBe(2)
    expect(await verifications({ iss: undefined })).toBe(2)
    expect(await verifications({}, { kid: 'first' }, 'wrong')).toBe(2)
    expect(await verifications({ iss: 'nobody' }, { kid: 'first' })).toBe(2)
    expect(await verifications({}, { kid: 'nobody' })).toBe(1)
    expect(await verifications({}, { kid: 'nobody' }, 'wrong')).toBe(2)
  })

  it.each(['first', 'second', 'nobody'])(
    'is valid only for a key that it names: %s',
    async (kid) => {
      const { status } = await platform.get(
        `/api/wallet/balance?playerId=${alice.wallet}&currency=USDG`,
        (token) => ({ ...token, header: { ...token.header, kid } }),
      )
      expect(status).toBe(kid === 'second' ? 401 : 200)
    },
  )

  it('is deleted after it expires, and its jti can be used again', async () => {
    const jti = 'the same again'
    const send = (id: string) => transactWith(jti, id)
    expect((await send('one')).status).toBe(200)
    expect((await send('two')).body.error.code).toBe('token_replayed')
    await restart()
    expect((await send('two')).body.error.code).toBe('token_replayed')
    pass(200_000)
    expect((await send('two')).status).toBe(200)
    const kept = await rowsOf(partnerIds(env, 'demo', jti), 'SELECT * FROM token_uses')
    expect(kept).toHaveLength(1)
  })

  it.each([1, 65_000, 200_000])(
    'moves nothing if the body arrives %d ms after it has expired',
    async (lateMs) => {
      const jti = 'seen elsewhere'
      expect((await transactWith(jti, 'one')).status).toBe(200)
      const late = await transactSlowly(jti, 'two', () => pass(20_000 + lateMs))
      expect(outcomeOf(late)).toEqual([401, 'token_expired'])
      expect((await platform.balance(alice)).body.balance).toBe(1)
    },
  )

  it('moves money if the body arrives in time', async () => {
    const late = await transactSlowly('a slow line', 'one', () => pass(19_000))
    expect(late.body.balance).toBe(1)
  })

  it('is not used up by a call that comes while too many are waiting', async () => {
    expect((await transactWith('spin-0001', 'spin-0001', 2)).status).toBe(200)
    vi.spyOn(CommitQueue.prototype, 'isFull').mockReturnValueOnce(true)
    const debit = () => transactWith('spin-0002', 'spin-0002', -1)
    expect(outcomeOf(await debit())).toEqual([429, 'rate_limited'])
    expect((await debit()).body.balance).toBe(1)
  })

  it('is not accepted once its use may have been forgotten', async () => {
    const use = { jti: 'a late call', callHash: 'a', expiresAt: now() - 60_000 }
    const claim = () => partnerIds(env, 'demo', use.jti).claim(use, null)
    expect(await claim()).toBeNull()
    pass(1)
    expect((await claim())?.error.code).toBe('token_expired')
  })

  it('is used once without a row of its own if its jti is the id', async () => {
    const id = 'spin-0001'
    const first = await transactWith(id, id)
    expect((await transactWith(id, id)).text).toBe(first.text)
    await restart()
    expect((await transactWith(id, 'spin-0002')).body.error.code).toBe('token_replayed')
    expect((await transactWith(id, id, 2)).body.error.code).toBe('token_replayed')
    const path = `/api/wallet/balance?playerId=${alice.wallet}&currency=USDG`
    const read = await platform.get(path, withClaims({ jti: id }))
    expect(read.body.error.code).toBe('token_replayed')
    expect(await rowsOf(partnerIds(env, 'demo', id), 'SELECT * FROM token_uses')).toEqual([])
    pass(200_000)
    expect((await transactWith(id, id, 2)).body.error.code).toBe('idempotency_conflict')
    expect((await transactWith(id, id)).body.error.code).toBe('token_replayed')
  })

  it('reads of several players, since their paths are the same', async () => {
    const token = withClaims({ jti: 'a cached token' })
    const read = ({ wallet }: Player) =>
      platform.get(`/api/wallet/balance?playerId=${wallet}&currency=USDG`, token)
    expect([(await read(alice)).status, (await read(bob)).status]).toEqual([200, 200])
    const statement = `/api/wallet/statement?playerId=${alice.wallet}&currency=USDG`
    expect(outcomeOf(await platform.get(statement, token))).toEqual([401, 'token_replayed'])
  })

  it('is used up by a call that is refused for its body', async () => {
    const token = withClaims({ jti: 'a mistaken call' })
    const fields = { playerId: alice.wallet, currency: 'USDG', amountWei: '-1' }
    const mistaken = JSON.stringify({ ...fields, partnerTransactionId: 7 })
    expect((await platform.post('transaction', mistaken, token)).body.error.code).toBe(
      'invalid_request',
    )
    expect((await platform.post('transaction', mistaken, token)).body.error.code).toBe(
      'invalid_request',
    )
    const right = JSON.stringify({ ...fields, partnerTransactionId: 'spin-0001' })
    expect((await platform.post('transaction', right, token)).body.error.code).toBe(
      'token_replayed',
    )
  })

  it.each([
    ['not an object', '{', 'application/json', [400, 'invalid_request']],
    ['not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'application/json', [400, 'invalid_request']],
    ['not JSON', '{}', 'text/plain', [415, 'unsupported_media_type']],
  ])('is used up by a call whose body is %s', async (_, body, contentType, refused) => {
    const jti = 'a broken call'
    const { header, claims, secret } = soundToken(DEV_PARTNER, null)
    const authorization = `Bearer ${sign({ header, claims: { ...claims, jti }, secret })}`
    const headers = { authorization, 'content-type': contentType }
    const init = { method: 'POST', headers, body }
    const broken = async () => {
      const answer = await exports.default.fetch(
        'http://fairhouse.test/api/wallet/transaction',
        init,
      )
      const { error } = await answer.json<{ error: { code: string } }>()
      return [answer.status, error.code]
    }
    expect(await broken()).toEqual(refused)
    expect(await broken()).toEqual(refused)
    const other = await transactWith(jti, 'spin-0001')
    expect(outcomeOf(other)).toEqual([401, 'token_replayed'])
    expect((await platform.balance(alice)).body.balance).toBe(0)
  })

  it.each([
    ['transaction', { amount: 1 }],
    ['rollback', { originalTransactionId: 'spin-0000' }],
  ])('is used up by a %s while the wallet is closed', async (path, more) => {
    const jti = 'a closed wallet'
    const fields = { playerId: alice.wallet, currency: 'USDG', partnerTransactionId: 'spin-0001' }
    const closed = `wallet:${alice.wallet}=closed`
    await setModes(closed)
    const call = () =>
      platform.post(path, JSON.stringify({ ...fields, ...more }), withClaims({ jti }))
    expect(outcomeOf(await call())).toEqual([503, 'closed'])
    expect(outcomeOf(await call())).toEqual([503, 'closed'])
    const other = JSON.stringify({ ...fields, playerId: bob.wallet, amount: 5 })
    const replayed = await platform.post('transaction', other, withClaims({ jti }))
    expect(outcomeOf(replayed)).toEqual([401, 'token_replayed'])
    // The same call may use it again once the wallet is open.
    await setModes(closed.replace('closed', 'open'))
    expect((await call()).status).toBe(200)
  })

  it('is refused without a word on which part of it is wrong', async () => {
    const { body } = await transactWith('spin-0001', 'one', 1, { aud: 'another' })
    for (const claims of [{ jti: undefined }, { bodyHash: '0'.repeat(64) }]) {
      expect((await transactWith('spin-0001', 'one', 1, claims)).body).toEqual(body)
    }
  })

  it('stays used as long as the latest token with its jti', async () => {
    const id = 'spin-0001'
    await transactWith(id, id)
    pass(75_000)
    const second = { iat: Math.floor(now() / 1000), exp: Math.floor(now() / 1000) + 20 }
    expect((await transactWith(id, id, 1, second)).status).toBe(200)
    pass(10_000)
    const other = await transactWith(id, 'spin-0002', 1, second)
    expect(other.body.error.code).toBe('token_replayed')
  })

  it('counts only against its own partner’s limit', async () => {
    // More than two windows allow, because a new window may begin at any time.
    const other = new Platform(OTHER_DEV_PARTNER)
    const statuses = await Promise.all(
      Array.from({ length: 605 }, async () => (await other.balance(alice)).status),
    )
    expect(statuses).toContain(429)
    expect((await platform.balance(alice)).status).toBe(200)
  })
})
