import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { DEV_PARTNER, OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/utc-day.ts'
import { entriesOf } from './journals.ts'
import {
  debitTermsOf,
  grant,
  permissionOf,
  permissionsOf,
  Platform,
  revoke,
  send,
  signPermission,
  type Wish,
} from './partner.ts'
import {
  audit,
  now,
  pass,
  Player,
  restart,
  useStories,
  ringLedger,
  rowsOf,
  isBlankObject,
  outcomeOf,
} from './support.ts'

useStories()

/** A partner that needs its players' permission; the other one does not. */
const platform = new Platform(OTHER_DEV_PARTNER)
const implied = new Platform(DEV_PARTNER)
const alice = new Player(0)
const bob = new Player(1)

let log: MockInstance

beforeEach(() => {
  log = vi.spyOn(console, 'log').mockImplementation(() => {})
})

const logged = () => log.mock.calls.map(([line]) => JSON.parse(String(line)) as object)
const chipsOf = async (player: Player) => (await implied.balance(player)).body.balanceWei
const inAMonth = () => Math.floor(now() / 1000) + 30 * 86_400
const wishFor = (maxPerDayWei: string): Wish => ({
  partner: 'demo-two',
  token: 'USDG',
  maxPerDayWei,
  expiresAt: inAMonth(),
  nonce: 0,
})

describe('the house', () => {
  it.each([
    ['raise', `UPDATE permissions SET max_per_day_wei = '999000000000'`],
    ['extend', 'UPDATE permissions SET expires_at = expires_at + 1'],
    ['take back', 'DELETE FROM permissions'],
    ['renew', 'UPDATE permissions SET nonce = 1'],
    ['forge', `INSERT INTO permissions VALUES ('demo', 'ETH', 1, '5', 4000000000)`],
  ])('cannot %s a permission without a word: the ledger no longer verifies', async (_what, sql) => {
    await alice.fund('10000000')
    await grant(alice)
    await grant(alice, { maxPerDayWei: '7000000', nonce: 1 })
    const stub = ledger(env, alice.wallet)
    const rows = await rowsOf<Record<string, string | number>>(stub, 'SELECT * FROM permissions')
    const write = async (...[query, ...bindings]: [query: string, ...bindings: unknown[]]) =>
      runInDurableObject(stub, (_, { storage }) => void storage.sql.exec(query, ...bindings))
    await write(sql)
    expect(await stub.verify()).toEqual({
      ok: false,
      problem: "the player's permissions are not what the journal says",
    })
    await write('DELETE FROM permissions')
    for (const row of rows) {
      await write('INSERT INTO permissions VALUES (?, ?, ?, ?, ?)', ...Object.values(row))
    }
    await audit(alice)
    await revoke(alice)
    expect(await stub.verify()).toMatchObject({ ok: true })
    await write(`UPDATE permissions SET max_per_day_wei = '5', expires_at = 4000000000`)
    expect(await stub.verify()).toMatchObject({ ok: false })
    await write('UPDATE permissions SET max_per_day_wei = NULL, expires_at = NULL')
  })
})

describe('a partner that needs its players’ permission', () => {
  it('cannot debit a player who never agreed, with or without chips', async () => {
    await alice.fund('10000000')
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(await call())).toEqual([403, 'permission_required'])
    expect(outcomeOf(await platform.transact(bob, '-3'))).toEqual([403, 'permission_required'])
    expect(await chipsOf(alice)).toBe('10000000')
    expect(logged()).toContainEqual({
      level: 'info',
      event: 'partner_debit_refused',
      object: `Ledger ${alice.wallet}`,
      wallet: alice.wallet,
      partner: 'demo-two',
      token: 'USDG',
      amountWei: '3000000',
      code: 'permission_required',
    })
    const other = await platform.transact(alice, '-4', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(other)).toEqual([409, 'idempotency_conflict'])
    await grant(alice)
    expect((await call()).body).toMatchObject({ balance: 7 })
  })

  it('opens no books with a refused debit', async () => {
    await platform.transact(bob, '-3')
    expect(await isBlankObject(ledger(env, bob.wallet))).toBe(true)
  })

  it('credits and rolls back without permission', async () => {
    expect((await platform.transact(alice, '5', { partnerTransactionId: 'win' })).status).toBe(200)
    expect((await platform.transact(alice, '0')).status).toBe(200)
    expect((await platform.rollBack(alice, 'win')).body).toMatchObject({ balance: 0 })
  })

  it('rolls back a refused debit, and the late debit stays refused', async () => {
    await alice.fund('10000000')
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    expect(outcomeOf(await call())).toEqual([403, 'permission_required'])
    expect((await platform.rollBack(alice, 'spin-1')).status).toBe(200)
    await grant(alice)
    expect(outcomeOf(await call())).toEqual([409, 'transaction_rolled_back'])
  })

  it('debits up to the daily limit; one unit more is refused and stays refused', async () => {
    await alice.fund('1000000000')
    await grant(alice)
    expect((await platform.transact(alice, '-60')).status).toBe(200)
    const above = () => platform.transact(alice, '-40.000001', { partnerTransactionId: 'above' })
    const refused = await above()
    expect(outcomeOf(refused)).toEqual([422, 'payout_limit'])
    expect(refused.body.error.details).toEqual({ maxPayout: '40000000' })
    expect((await platform.transact(alice, '-40')).status).toBe(200)
    expect(outcomeOf(await platform.transact(alice, '-0.000001'))).toEqual([422, 'payout_limit'])
    expect(await permissionOf(alice)).toMatchObject({ usedWei: '100000000' })
    await grant(alice, { maxPerDayWei: '900000000' })
    expect((await above()).text).toBe(refused.text)
    expect((await platform.transact(alice, '-40.000001')).status).toBe(200)
  })

  it('stays within the limit, however many debits arrive at the same time', async () => {
    await alice.fund('1000000000')
    await grant(alice)
    const debits = Array.from({ length: 12 }, () => platform.transact(alice, '-10'))
    const statuses = (await Promise.all(debits)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(await chipsOf(alice)).toBe('900000000')
  })

  it('may debit again 24 hours after a debit, and no earlier', async () => {
    await alice.fund('1000000000')
    await grant(alice, { expiresAt: inAMonth() })
    expect((await platform.transact(alice, '-70')).status).toBe(200)
    pass(12 * HOUR_MS)
    expect((await platform.transact(alice, '-30')).status).toBe(200)
    pass(12 * HOUR_MS - 1)
    expect((await platform.transact(alice, '-1')).status).toBe(422)
    pass(MINUTE_MS + 1)
    expect(outcomeOf(await platform.transact(alice, '-70.000001'))).toEqual([422, 'payout_limit'])
    expect((await platform.transact(alice, '-70')).status).toBe(200)
    expect((await platform.transact(alice, '-1')).status).toBe(422)
  })

  it('regains room when it rolls back a debit, once, even after a restart', async () => {
    await alice.fund('1000000000')
    await grant(alice)
    await platform.transact(alice, '-20')
    await platform.transact(alice, '-80', { partnerTransactionId: 'spin-1' })
    pass(30 * MINUTE_MS)
    await restart()
    expect(outcomeOf(await platform.transact(alice, '-1'))).toEqual([422, 'payout_limit'])
    await platform.rollBack(alice, 'spin-1')
    await platform.rollBack(alice, 'spin-1')
    expect(await permissionOf(alice)).toMatchObject({ usedWei: '20000000' })
    expect((await platform.transact(alice, '-80')).status).toBe(200)
    expect((await platform.transact(alice, '-1')).status).toBe(422)
  })

  it('gains no room by rolling back a debit of the day before', async () => {
    await alice.fund('1000000000')
    await grant(alice, { expiresAt: inAMonth() })
    await platform.transact(alice, '-80', { partnerTransactionId: 'spin-1' })
    pass(DAY_MS + MINUTE_MS)
    await platform.transact(alice, '-80')
    await platform.rollBack(alice, 'spin-1')
    expect(await permissionOf(alice)).toMatchObject({ usedWei: '80000000' })
  })

  it('gains no room by reversing a credit', async () => {
    await alice.fund('1000000000')
    await grant(alice)
    await platform.transact(alice, '50', { partnerTransactionId: 'win-1' })
    await platform.transact(alice, '-80')
    await platform.rollBack(alice, 'win-1')
    expect(await permissionOf(alice)).toMatchObject({ usedWei: '80000000' })
  })

  it('is restricted to the permitted token', async () => {
    await alice.fund('1000000000')
    await alice.fund('1000000000', 'ETH')
    await grant(alice)
    const inEth = await platform.transact(alice, '-0.000000001', { currency: 'ETH' })
    expect(outcomeOf(inEth)).toEqual([403, 'permission_required'])
    await grant(alice, { token: 'ETH', maxPerDayWei: '1000000000' })
    const again = await platform.transact(alice, '-0.000000001', { currency: 'ETH' })
    expect(again.status).toBe(200)
    expect(await permissionOf(alice)).toMatchObject({ usedWei: '0' })
  })

  it('cannot debit once the permission has expired, to the second', async () => {
    await alice.fund('1000000000')
    await grant(alice, { expiresAt: Math.floor(now() / 1000) + 60 })
    pass(59_999)
    expect((await platform.transact(alice, '-1')).status).toBe(200)
    pass(1)
    const late = await platform.transact(alice, '-1')
    expect(outcomeOf(late)).toEqual([403, 'permission_required'])
    expect(late.body.error.message).toContain('expired')
  })

  it('cannot debit once it is revoked, while other partners still can', async () => {
    await alice.fund('1000000000')
    await grant(alice)
    expect((await platform.transact(alice, '-1')).status).toBe(200)
    expect((await revoke(alice)).body.permission).toMatchObject({
      nonce: 2,
      maxPerDayWei: '0',
      expiresAt: null,
      usedWei: '1000000',
    })
    await restart()
    expect(outcomeOf(await platform.transact(alice, '-1'))).toEqual([403, 'permission_required'])
    expect((await implied.transact(alice, '-1')).status).toBe(200)
  })
})

describe('a permission', () => {
  it('is listed for every partner and token, with the data needed to sign one', async () => {
    const { body } = await permissionsOf(alice)
    expect(body).toMatchObject({
      ok: true,
      domain: {
        name: 'FairhouseVault',
        version: '1',
        chainId: 31_337,
        verifyingContract: `0x${'0'.repeat(40)}`,
      },
      tokens: { ETH: `0x${'0'.repeat(40)}`, USDG: `0x${'0'.repeat(39)}1` },
    })
    const none = { nonce: 0, maxPerDayWei: '0', expiresAt: null, usedWei: '0', debits: true }
    const [inEth, inUsdg] = [
      { token: 'ETH', maxPerHourWei: '100000000000000000000' },
      { token: 'USDG', maxPerHourWei: '100000000000' },
    ]
    expect(body.permissions).toEqual(
      [
        { partner: 'demo', consent: 'implied' },
        { partner: 'demo-two', consent: 'required' },
      ].flatMap((partner) => [inEth, inUsdg].map((token) => ({ ...none, ...partner, ...token }))),
    )
    expect(await isBlankObject(ledger(env, alice.wallet))).toBe(true)
  })

  it('is granted only with the nonce shown', async () => {
    const early = await grant(alice, { nonce: 1 })
    expect(outcomeOf(early)).toEqual([409, 'nonce_mismatch'])
    expect(early.body.error.details).toEqual({ expected: 0 })
    expect((await grant(alice, { nonce: 0 })).body.permission).toMatchObject({ nonce: 1 })
    expect((await grant(alice, { nonce: 0 })).body.error.details).toEqual({ expected: 1 })
    expect((await revoke(alice)).body.permission).toMatchObject({ nonce: 2 })
    expect(outcomeOf(await grant(alice, { nonce: 1 }))).toEqual([409, 'nonce_mismatch'])
    expect((await grant(alice, { nonce: 2 })).status).toBe(200)
  })

  it('is granted with a signature that ends in 0 or 1', async () => {
    const wish = wishFor('1')
    const signature = await signPermission(alice, wish)
    const end = signature.endsWith('1b') ? '00' : '01'
    const short = `${signature.slice(0, -2)}${end}`
    expect((await send(alice, 'grant', { ...wish, signature: short })).status).toBe(200)
  })

  it('that is revoked after signing and before it is sent is refused', async () => {
    const wish = wishFor('1')
    const signature = await signPermission(alice, wish)
    await revoke(alice)
    const late = await send(alice, 'grant', { ...wish, signature })
    expect(outcomeOf(late)).toEqual([409, 'nonce_mismatch'])
  })

  it.each([
    ['another limit', { maxPerDayWei: '999999999' }],
    ['another partner', { partner: 'demo' }],
    ['another token', { token: 'ETH' }],
    ['another expiry', { expiresAt: 99_999_999_999 }],
  ])('is not granted for %s than the signed one', async (_what, change) => {
    const wish = wishFor('100000000')
    const signature = await signPermission(alice, wish)
    const answer = await send(alice, 'grant', { ...wish, ...change, signature })
    expect(outcomeOf(answer)).toEqual([422, 'signature_invalid'])
    const byBob = await signPermission(bob, wish)
    const foreign = await send(alice, 'grant', { ...wish, signature: byBob })
    expect(outcomeOf(foreign)).toEqual([422, 'signature_invalid'])
  })

  it("is refused for another's signature, and counts as no contract's, if there is no chain to ask", async () => {
    const wish = wishFor('100000000')
    const signature = await signPermission(bob, wish)
    const keys: string[] = []
    vi.spyOn(env.MONEY_CALLS, 'limit').mockImplementation(async ({ key }) => {
      keys.push(key)
      return { success: !key.startsWith('contracts ') }
    })
    const foreign = await send(alice, 'grant', { ...wish, signature })
    expect(outcomeOf(foreign)).toEqual([422, 'signature_invalid'])
    expect(keys.filter((key) => key.startsWith('contracts '))).toEqual([])
  })

  it.each([
    ['a limit of zero', { maxPerDayWei: '0' }],
    ['a limit that is a number', { maxPerDayWei: 5 }],
    ['an expiry that is a string', { expiresAt: '99999999999' }],
    ['a fractional expiry', { expiresAt: 99_999_999_999.5 }],
    ['a misspelled name', { max_per_day_wei: '5' }],
    ['another misspelled name', { ExpiresAt: 5 }],
    ['no signature', { signature: undefined }],
  ])('is invalid_request with %s', async (_what, change) => {
    const wish = {
      partner: 'demo-two',
      token: 'USDG',
      maxPerDayWei: '1',
      nonce: 0,
      expiresAt: inAMonth(),
      signature: '0x',
      note: 'ignored',
    }
    expect(outcomeOf(await send(alice, 'grant', { ...wish, ...change }))).toEqual([
      400,
      'invalid_request',
    ])
  })

  it('is accepted only for existing partners, and from the wallet that signed in', async () => {
    const { partner: _partner, ...wish } = { partner: '', token: 'USDG' }
    const nobody = { ...wish, partner: 'nobody' }
    expect(outcomeOf(await send(alice, 'revoke', nobody))).toEqual([404, 'not_found'])
    const unsigned = await send(alice, 'revoke', { ...nobody, authSig: undefined })
    expect(outcomeOf(unsigned)).toEqual([401, 'auth_required'])
    const stolen = await send(alice, 'revoke', { ...nobody, authSig: await bob.authSig() })
    expect(outcomeOf(stolen)).toEqual([401, 'auth_invalid'])
    expect(outcomeOf(await send(alice, 'extend', nobody))).toEqual([400, 'unknown_action'])
  })

  it('takes a small entry, whatever the signature of a contract wallet takes', async () => {
    const contract = `0x${'1f'.repeat(4_095)}`
    const digest = bytesToHex(sha256(hexToBytes(contract.slice(2))))
    const wish = { ...wishFor(''), maxPerDayWei: 1n, isSigned: true } as const
    const stub = ledger(env, alice.wallet)
    await stub.grant({ ...wish, signature: contract })
    const signature = `0x${'1f'.repeat(65)}`
    await stub.grant({ ...wish, nonce: 1, signature })
    const kept = await entriesOf(stub)
    expect(kept.map(({ request }) => JSON.parse(request)[3])).toEqual([
      `sha256:${digest}`,
      signature,
    ])
  })

  it('is recorded in the journal and in the log, and so is its end', async () => {
    await grant(alice, { expiresAt: 3_000_000_000 })
    await revoke(alice)
    const kept = await entriesOf(ledger(env, alice.wallet))
    expect(kept).toMatchObject([
      { operationId: 'permission:demo-two:USDG:0' },
      { operationId: 'permission:demo-two:USDG:1', request: '["revoke"]' },
    ])
    expect(kept[0]?.request).toContain('["grant","100000000",3000000000,"0x')
    expect(await audit(alice)).toMatchObject({ ok: true, entries: 2 })
    const object = `Ledger ${alice.wallet}`
    const who = { level: 'info', object, wallet: alice.wallet, partner: 'demo-two', token: 'USDG' }
    expect(logged()).toEqual([
      {
        ...who,
        event: 'permission_granted',
        nonce: 0,
        maxPerDayWei: '100000000',
        expiresAt: 3_000_000_000,
      },
      { ...who, event: 'permission_revoked', nonce: 1 },
    ])
  })
})

describe('a partner’s debit of one player', () => {
  it('is limited per hour, before the answer', async () => {
    await alice.fund('300000000000')
    await bob.fund('1000000000')
    expect((await implied.transact(alice, '-99999')).status).toBe(200)
    const above = await implied.transact(alice, '-1.000001')
    expect(outcomeOf(above)).toEqual([422, 'payout_limit'])
    expect(above.body.error.details).toEqual({ maxPayout: '1000000' })
    expect((await implied.transact(alice, '-1')).status).toBe(200)
    expect((await implied.transact(bob, '-1000')).status).toBe(200)
    pass(HOUR_MS - 1)
    expect(outcomeOf(await implied.transact(alice, '-1'))).toEqual([422, 'payout_limit'])
    pass(MINUTE_MS + 1)
    expect((await implied.transact(alice, '-100000')).status).toBe(200)
  })

  it('is limited for a whole hour after one that was made at the end of a minute', async () => {
    await alice.fund('200000000000')
    pass(MINUTE_MS - 1 - (now() % MINUTE_MS))
    expect((await implied.transact(alice, '-100000')).status).toBe(200)
    pass(HOUR_MS - 1)
    expect(outcomeOf(await implied.transact(alice, '-1'))).toEqual([422, 'payout_limit'])
    pass(2)
    expect((await implied.transact(alice, '-1')).status).toBe(200)
  })

  it('lacks chips before it exceeds the hourly limit, and stays refused for that', async () => {
    await alice.fund('3000000')
    const call = () => implied.transact(alice, '-100001', { partnerTransactionId: 'spin-1' })
    const refused = await call()
    expect(outcomeOf(refused)).toEqual([402, 'insufficient_chips'])
    expect(refused.body.error.details).toEqual({ available: '3000000', required: '100001000000' })
    await alice.fund('300000000000')
    expect((await call()).text).toBe(refused.text)
    expect(outcomeOf(await implied.transact(alice, '-100001'))).toEqual([422, 'payout_limit'])
  })

  it('exceeds the permission before it lacks chips, and lacks them before the hourly limit', async () => {
    await alice.fund('3000000')
    await grant(alice)
    const above = await platform.transact(alice, '-100001')
    expect(outcomeOf(above)).toEqual([422, 'payout_limit'])
    expect(above.body.error.details).toEqual({ maxPayout: '100000000' })
    await grant(alice, { maxPerDayWei: '300000000000' })
    const poor = await platform.transact(alice, '-100001')
    expect(outcomeOf(poor)).toEqual([402, 'insufficient_chips'])
  })

  it('is limited by the operator even if the player permits more', async () => {
    await alice.fund('300000000000')
    await grant(alice, { maxPerDayWei: '300000000000' })
    const above = await platform.transact(alice, '-100000.000001')
    expect(above.body.error.details).toEqual({ maxPayout: '100000000000' })
  })

  it('is counted with a bounded number of rows, however many debits there are', async () => {
    await alice.fund('1000000000')
    for (let debit = 0; debit < 20; debit++) await implied.transact(alice, '-1')
    const rows = () => rowsOf(ledger(env, alice.wallet), 'SELECT amount_wei FROM debits')
    expect(await rows()).toEqual([{ amount_wei: '20000000' }])
    pass(3 * DAY_MS)
    await implied.transact(alice, '-1')
    pass(5 * MINUTE_MS)
    await ringLedger(alice)
    expect(await rows()).toEqual([{ amount_wei: '1000000' }])
  })

  it('is refused while debits are disabled, and carried out once they are enabled', async () => {
    await alice.fund('10000000')
    const terms = debitTermsOf(DEV_PARTNER)
    const call = () => implied.transact(alice, '-1', { partnerTransactionId: 'spin-1' })
    terms.isOpen = false
    expect(outcomeOf(await call())).toEqual([503, 'closed'])
    expect(outcomeOf(await implied.transact(bob, '-1'))).toEqual([503, 'closed'])
    expect((await implied.transact(alice, '1')).body).toMatchObject({ balance: 11 })
    expect((await permissionsOf(alice)).body.permissions[1]).toMatchObject({ debits: false })
    terms.isOpen = true
    expect((await call()).body).toMatchObject({ balance: 10 })
  })

  it('is answered as before when repeated, even while debits are disabled', async () => {
    await alice.fund('10000000')
    const terms = debitTermsOf(DEV_PARTNER)
    const call = () => implied.transact(alice, '-1', { partnerTransactionId: 'spin-1' })
    const first = await call()
    terms.isOpen = false
    expect((await call()).text).toBe(first.text)
    terms.isOpen = true
  })
})
