import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { OPERATOR_SIGN_IN_MS } from '../../src/auth/operator-message.ts'
import { control } from '../../src/calls/objects.ts'
import { actScope } from '../../src/chain/operator-act.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Act } from '../../src/operator/act.ts'
import { isNextEntry } from '../../src/operator/journal.ts'
import { LAST_KNOWN_MS } from '../../src/operator/modes.ts'
import { ROLES, type Role } from '../../src/operator/roles.ts'
import { Control, Ledger } from '../../src/worker.ts'
import { changeObjectConfig } from './configuration.ts'
import { actOf, look, OPERATORS, order, setModes, signAct, signInHeader } from './operator.ts'
import { call, codeOf, get, outcomeOf, pass, Player, post, restart, useStories } from './support.ts'

useStories()

const { admin, treasurer, support } = OPERATORS
const STRANGER = new Player(0).account
const WALLET = new Player(1).wallet
const OTHER_WALLET = new Player(2).wallet

const propose = async (fields: Partial<Act>, signer = admin) =>
  post('/api/operate', await signAct(fields, signer))

const unfreeze = () => actOf({ act: 'unfreeze', target: WALLET })

describe('each act is taken from the roles that may order it, and from no lower one', () => {
  const acts: [Act['act'], string, Role, 1 | 2][] = [
    ['freeze', WALLET, 'support', 1],
    ['mode', 'crash=closed', 'support', 1],
    ['mode', 'withdrawals=closed', 'treasurer', 1],
    ['mode', 'withdrawals=draining', 'treasurer', 2],
    ['mode', 'withdrawals=open', 'treasurer', 2],
    ['mode', `wallet:${WALLET}=closed`, 'support', 1],
    ['mode', `wallet:${WALLET}=open`, 'treasurer', 2],
    ['unfreeze', WALLET, 'treasurer', 2],
    ['write-off', WALLET, 'treasurer', 2],
    ['confirm-withdrawal', `${WALLET}:0`, 'treasurer', 2],
    ['release-withdrawal', `${WALLET}:0`, 'treasurer', 2],
    ['mode', 'all=draining', 'admin', 1],
    ['mode', 'crash=open', 'admin', 1],
    ['reproject', 'positions', 'admin', 1],
    ['terms', '{"crash.edgeBps":150}', 'treasurer', 2],
  ]
  const each = acts.flatMap(([act, target, needed, operators]) =>
    ROLES.map(
      (role) =>
        [act, target, role, ROLES.indexOf(role) >= ROLES.indexOf(needed), operators] as const,
    ),
  )

  it.each(each)('%s %s by %s: %s, with %i operators', async (act, target, role, may, operators) => {
    const answer = await propose({ act, target }, OPERATORS[role])
    if (!may) {
      expect(outcomeOf(answer)).toEqual([403, 'role_required'])
      expect((await look()).body.acts).toEqual({ waiting: [], decided: [] })
      return
    }
    expect(answer.status).toBe(200)
    expect(answer.body.act.decidedAt === null).toBe(operators === 2)
    expect(answer.body.act.approvals).toMatchObject([{ operator: OPERATORS[role].address, role }])
  })

  it.each([
    ['viewer', [403, 'role_required']],
    ['support', [403, 'role_required']],
    ['treasurer', [200, undefined]],
    ['admin', [200, undefined]],
  ] as const)('restore by %s: %s, with 2 operators', async (role, outcome) => {
    await setModes(`wallet:${WALLET}=closed`)
    pass(LAST_KNOWN_MS)
    const answer = await propose({ act: 'restore', target: WALLET }, OPERATORS[role])
    expect(outcomeOf(answer)).toEqual(outcome)
    expect(answer.body.act?.decidedAt ?? null).toBeNull()
  })

  it.each(['viewer', 'support'] as const)(
    'an act on money that waits is not confirmed by %s',
    async (role) => {
      const act = unfreeze()
      await propose(act, treasurer)
      expect(codeOf(await propose(act, OPERATORS[role]))).toBe('role_required')
      expect((await look()).body.acts.waiting).toHaveLength(1)
    },
  )

  it('a wallet that is no operator orders nothing, and Control does not hear of it', async () => {
    const approve = vi.spyOn(Control.prototype, 'approve')
    expect(outcomeOf(await propose({}, STRANGER))).toEqual([403, 'role_required'])
    expect(approve).not.toHaveBeenCalled()
    expect((await get('/api/operate?action=modes')).body.version).toBeNull()
  })
})

describe('an act on money', () => {
  it('is carried out once a second operator has signed the very same act', async () => {
    await order('freeze', WALLET)
    const act = unfreeze()
    const proposed = await propose(act, treasurer)
    expect(proposed.body.act).toMatchObject({ decidedAt: null, result: null })
    expect((await call(`/api/operate?action=modes`)).status).toBe(200)
    const confirmed = await propose(act, admin)
    expect(confirmed.body.act.result).toMatchObject({ isDone: true })
    expect(confirmed.body.act.hash).toBe(proposed.body.act.hash)
    expect(confirmed.body.act.approvals.map(({ operator }: never) => operator)).toEqual([
      treasurer.address,
      admin.address,
    ])
  })

  it('waits as long as only one operator signs it, however often and in whatever letter case', async () => {
    await order('freeze', WALLET)
    const signed = await signAct(unfreeze(), treasurer)
    const first = await post('/api/operate', signed)
    expect((await post('/api/operate', signed)).text).toBe(first.text)
    const operator = signed.operator.toLowerCase()
    expect((await post('/api/operate', { ...signed, operator })).text).toBe(first.text)
    await restart()
    expect((await post('/api/operate', signed)).text).toBe(first.text)
    expect(codeOf(await new Player(1).play())).toBe('wallet_frozen')
  })

  it.each<[string, Partial<Act>]>([
    ['target', { target: OTHER_WALLET }],
    ['reason', { reason: 'another story' }],
    ['kind', { act: 'freeze' }],
    ['expiry', { expiresAt: actOf().expiresAt + 86_400 * 3 }],
  ])('is not confirmed by a signature of another %s', async (_what, change) => {
    await order('freeze', WALLET)
    const act = unfreeze()
    await propose(act, treasurer)
    // The confirmation was signed for the proposal, and changed on its way.
    const signed = await signAct(act, admin)
    expect(codeOf(await post('/api/operate', { ...signed, ...change }))).toBe('signature_invalid')
    // Or it was signed for another act: that is another proposal.
    await propose({ ...act, ...change }, admin)
    const { waiting } = (await look()).body.acts
    expect(waiting.map(({ approvals }: { approvals: [] }) => approvals.length)).not.toContain(2)
    expect(codeOf(await new Player(1).play())).toBe('wallet_frozen')
  })

  it('is not confirmed by the first operator’s signature in the name of a second', async () => {
    const signed = await signAct(unfreeze(), treasurer)
    await post('/api/operate', signed)
    const copied = { ...signed, operator: admin.address }
    expect(codeOf(await post('/api/operate', copied))).toBe('signature_invalid')
  })

  it('can’t be confirmed once it has expired, and waits no more', async () => {
    const act = unfreeze()
    await propose(act, treasurer)
    pass(600_000)
    expect(codeOf(await propose(act, admin))).toBe('signature_invalid')
    expect((await look()).body.acts.waiting).toEqual([])
  })

  it('waits no more once its operator has been removed, whose other acts hid none before', async () => {
    const act = unfreeze()
    await propose(act, treasurer)
    // The most that a key can sign within an hour.
    for (let n = 1; n <= 100; n++) await propose({ ...act, reason: `leaked ${n}` }, admin)
    const waiting = async () =>
      (await look()).body.acts.waiting as { reason: string; approvals: object[] }[]
    expect(await waiting()).toHaveLength(101)
    expect((await waiting()).at(-1)?.reason).toBe(act.reason)
    await changeObjectConfig(control(env), ({ operators }) => ({
      operators: new Map([...operators].filter(([wallet]) => wallet !== admin.address)),
    }))
    expect((await waiting()).map(({ reason }) => reason)).toEqual([act.reason])
  })

  it('is done once: a replay of both signatures answers with the first result', async () => {
    await order('freeze', WALLET)
    const signed = [await signAct(unfreeze(), treasurer), await signAct(unfreeze(), admin)]
    for (const each of signed) await post('/api/operate', each)
    await order('freeze', WALLET)
    for (const each of signed) {
      expect((await post('/api/operate', each)).body.act.result).toMatchObject({ isDone: true })
    }
    expect(codeOf(await new Player(1).play())).toBe('wallet_frozen')
  })
})

describe('an act that was signed for', () => {
  it.each([
    ['site', { site: 'https://elsewhere.example' }],
    ['chain', { chainId: 1 }],
    ['vault', { verifyingContract: '0x000000000000000000000000000000000000dEaD' }],
  ] as const)('another %s is worth nothing here', async (_what, other) => {
    const scope = { ...actScope(loadConfig(env)), ...other }
    const answer = await post('/api/operate', await signAct({}, admin, scope))
    expect(outcomeOf(answer)).toEqual([422, 'signature_invalid'])
  })

  it('more than a day from now is refused', async () => {
    const { expiresAt } = actOf()
    expect(codeOf(await propose({ expiresAt: expiresAt + 86_400 }))).toBe('signature_invalid')
  })
})

describe('an act on a wallet', () => {
  it('is refused if the wallet has a wrong checksum, as a mistyped one has', async () => {
    const typed = WALLET.slice(0, -1) + (WALLET.endsWith('1') ? '2' : '1')
    const { status, body } = await propose({ act: 'freeze', target: typed }, support)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(body.error.details).toMatchObject([
      { path: 'target', message: expect.stringContaining('a wrong checksum') },
    ])
    expect(await control(env).journal(0)).toEqual([])
  })
})

describe('what operators read before they sign', () => {
  it.each([
    ['clears its line', '\u001B[2K\r  freeze 0xabc: stolen key'],
    ['breaks the line', 'a mistake\u2028freeze 0xabc'],
    ['reorders text', '\u202Eyek nelots'],
  ])('is refused as a reason that %s', async (_what, reason) => {
    const { status, body } = await propose({ ...unfreeze(), reason }, treasurer)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(body.error.details).toMatchObject([
      { path: 'reason', message: expect.stringContaining('control characters') },
    ])
    expect(await control(env).journal(0)).toEqual([])
  })

  it('is refused as a target, too', async () => {
    const answer = await propose({ act: 'terms', target: '{"crash.edgeBps":\u009B150}' })
    expect(answer.body.error.details).toMatchObject([{ path: 'target' }])
  })
})

describe('the journal', () => {
  it('has each signature, once, chained to the one before it', async () => {
    const act = unfreeze()
    for (const signer of [treasurer, treasurer, admin, admin]) await propose(act, signer)
    await propose({ act: 'freeze', target: WALLET }, support)
    const { entries } = (await look('?action=journal')).body
    expect(entries.map(({ operator, role }: never) => [operator, role])).toEqual([
      [treasurer.address, 'treasurer'],
      [admin.address, 'admin'],
      [support.address, 'support'],
    ])
    for (const [index, entry] of entries.entries()) {
      expect(isNextEntry(entries[index - 1] ?? null, entry)).toBe(true)
    }
    expect((await look('?action=journal&after=2')).body.entries).toEqual(entries.slice(2))
  })

  it('has nothing of an operator whose role does not allow the act', async () => {
    await propose(unfreeze(), support)
    expect(await control(env).journal(0)).toEqual([])
  })
})

describe('an operator’s sign-in', () => {
  it('shows the service, the operator and their role, and lets nobody act', async () => {
    const { status, body } = await look()
    expect(status).toBe(200)
    expect(body.operator).toEqual({ wallet: OPERATORS.viewer.address, role: 'viewer' })
    expect(body.health.parts.table.status).toBe('up')
    expect(body.switches).toContain('withdrawals')
    const headers = { authorization: await signInHeader(admin), 'content-type': 'application/json' }
    const unsigned = JSON.stringify({ ...actOf(), operator: admin.address, signature: '0x' })
    const answer = await call('/api/operate', { method: 'POST', headers, body: unsigned })
    expect(codeOf(answer)).toBe('signature_invalid')
  })

  it('expires after fifteen minutes', async () => {
    const authorization = await signInHeader()
    pass(OPERATOR_SIGN_IN_MS - 1)
    expect((await look('', authorization)).status).toBe(200)
    pass(1)
    expect(outcomeOf(await look('', authorization))).toEqual([401, 'auth_invalid'])
  })

  it('is of no use with another time, wallet or signature', async () => {
    const authorization = await signInHeader()
    const [wallet = '', time = '', signature = ''] = authorization
      .slice('Wallet '.length)
      .split('.')
    for (const changed of [
      `Wallet ${wallet}.${Number(time) + 1}.${signature}`,
      `Wallet ${admin.address}.${time}.${signature}`,
      `Wallet ${wallet}.${time}.${signature.slice(0, -2)}1d`,
    ]) {
      expect(outcomeOf(await look('', changed))).toEqual([401, 'auth_invalid'])
    }
    for (const broken of [
      '',
      `Bearer ${signature}`,
      `Wallet ${wallet}.${time}.0x`,
      'Wallet a.b.c',
    ]) {
      expect(outcomeOf(await look('', broken))).toEqual([401, 'auth_required'])
    }
  })

  it.each([
    ['domain', 'localhost:8787 wants', 'elsewhere.example wants'],
    ['URI', 'URI: http://localhost:8787', 'URI: https://elsewhere.example'],
    ['chain', 'Chain ID: 31337', 'Chain ID: 1'],
  ])('for another %s is worth nothing here', async (_what, ours, theirs) => {
    const { viewer } = OPERATORS
    const { body } = await get(`/api/operate?action=sign-in&wallet=${viewer.address}`)
    expect(body.message).toContain(ours)
    const message = String(body.message).replace(ours, theirs)
    const signature = await viewer.signMessage({ message })
    const header = `Wallet ${viewer.address}.${body.issuedAt}.${signature}`
    expect(codeOf(await look('', header))).toBe('auth_invalid')
  })

  it('is not a player’s, nor the other way round', async () => {
    const player = await get(`/api/auth/message?wallet=${admin.address}`)
    const theirs = await admin.signMessage({ message: player.body.message })
    const { body } = await get(`/api/operate?action=sign-in&wallet=${admin.address}`)
    const header = `Wallet ${admin.address}.${body.issuedAt}.${theirs}`
    expect(codeOf(await look('', header))).toBe('auth_invalid')
    const ours = await admin.signMessage({ message: body.message })
    const state = await get(`/api/crash?wallet=${admin.address}&authSig=${ours}`)
    expect(codeOf(state)).toBe('auth_invalid')
  })

  it('of a wallet without a role shows nothing', async () => {
    const answer = await look('', await signInHeader(STRANGER))
    expect(outcomeOf(answer)).toEqual([403, 'role_required'])
    expect(answer.body.error.message).toContain(`${STRANGER.address} is not an operator.`)
  })
})

it('limits an operator’s calls before it reads their bodies', async () => {
  vi.spyOn(env.MONEY_CALLS, 'limit').mockResolvedValue({ success: false })
  expect(codeOf(await post('/api/operate', { act: 'unfreeze' }))).toBe('rate_limited')
  const unread = new Request('https://fairhouse.test/api/operate', {
    method: 'POST',
    body: 'no JSON',
  })
  const answer = await exports.default.fetch(unread)
  expect(answer.status).toBe(429)
})

it('takes a hundred acts of one operator within an hour, and those of others', async () => {
  const freezeBy = (operator: string, wallet: number) => {
    const target = `0x${wallet.toString(16).padStart(40, '0')}`
    const hash = `0x${wallet.toString(16).padStart(64, '0')}`
    return control(env).approve(hash, actOf({ act: 'freeze', target }), {
      operator,
      signature: '0x',
    })
  }
  vi.spyOn(Ledger.prototype, 'setFrozen').mockResolvedValue('done')
  for (let wallet = 1; wallet <= 100; wallet++) await freezeBy(support.address, wallet)
  expect(await freezeBy(support.address, 101)).toMatchObject({ error: { code: 'rate_limited' } })
  expect(await freezeBy(support.address, 100)).toMatchObject({ result: { isDone: true } })
  expect(await freezeBy(treasurer.address, 101)).toMatchObject({ result: { isDone: true } })
  pass(3_600_000)
  expect(await freezeBy(support.address, 102)).toMatchObject({ result: { isDone: true } })
})
