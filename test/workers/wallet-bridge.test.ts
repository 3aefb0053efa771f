import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { ledger } from '../../src/calls/objects.ts'
import { CrashRound, Ledger, PartnerIds, PartnerLimit } from '../../src/worker.ts'
import { creditAll, DAY_USDG, loseAnswer, loseCall, Platform } from './partner.ts'
import {
  audit,
  fundedPlayer,
  openRound,
  pass,
  Player,
  restart,
  useStories,
  outcomeOf,
  codeOf,
  passFlight,
} from './support.ts'

useStories()

const platform = new Platform()
const alice = new Player(0)
const bob = new Player(1)

const chipsOf = async (player: Player) => (await platform.balance(player)).body.balanceWei

describe('after an interruption', () => {
  it('a debit whose answer was lost is answered by the next call, and moved once', async () => {
    await platform.transact(alice, '10')
    loseAnswer(Ledger.prototype, 'transact')
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    expect((await call()).status).toBe(500)
    await restart()
    expect((await call()).body).toMatchObject({ balance: 7, balanceBefore: 10 })
    expect(await chipsOf(alice)).toBe('7000000')
  })

  it('an id that was reserved without a movement is carried out by the next call', async () => {
    await platform.transact(alice, '10')
    loseCall(Ledger.prototype, 'transact')
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    expect((await call()).status).toBe(500)
    expect(await chipsOf(alice)).toBe('10000000')
    await restart()
    expect(codeOf(await platform.transact(bob, '-3', { partnerTransactionId: 'spin-1' }))).toBe(
      'idempotency_conflict',
    )
    expect((await call()).body).toMatchObject({ balanceBefore: 10, balance: 7 })
  })

  it('a reserved id that never reached its ledger is permanently rolled back', async () => {
    await platform.transact(alice, '10')
    loseCall(Ledger.prototype, 'transact')
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    await call()
    expect((await platform.rollBack(alice, 'spin-1')).body).toMatchObject({ balance: 10 })
    await restart()
    const late = await call()
    expect(late.status).toBe(409)
    expect(late.body.error.code).toBe('transaction_rolled_back')
    expect((await call()).text).toBe(late.text)
    expect(await chipsOf(alice)).toBe('10000000')
  })

  it('a rollback that was lost after it buried its original is carried out by the next call', async () => {
    await platform.transact(alice, '10')
    loseCall(Ledger.prototype, 'rollback')
    const call = () => platform.rollBack(alice, 'spin-1', { partnerTransactionId: 'undo-1' })
    expect((await call()).status).toBe(500)
    await restart()
    expect((await call()).body).toMatchObject({ balance: 10, balanceBefore: 10 })
    expect(codeOf(await platform.transact(bob, '-3', { partnerTransactionId: 'spin-1' }))).toBe(
      'transaction_rolled_back',
    )
  })

  it('a rollback whose answer was lost returns the amount once', async () => {
    await platform.transact(alice, '10')
    await platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    loseAnswer(Ledger.prototype, 'rollback')
    const call = () => platform.rollBack(alice, 'spin-1', { partnerTransactionId: 'undo-1' })
    expect((await call()).status).toBe(500)
    await restart()
    expect((await call()).body).toMatchObject({ balance: 10, balanceBefore: 7 })
    expect(await chipsOf(alice)).toBe('10000000')
  })

  it('a credit that was counted but not carried out is counted once', async () => {
    loseAnswer(PartnerLimit.prototype, 'reserve')
    const call = () => platform.transact(alice, '10000', { partnerTransactionId: 'win-1' })
    expect((await call()).status).toBe(500)
    await restart()
    expect((await call()).body).toMatchObject({ balance: 10_000 })
    for (let more = 10_000; more < DAY_USDG; more += 10_000) {
      expect((await platform.transact(alice, '10000')).status).toBe(200)
    }
    expect((await platform.transact(alice, '1')).body.error.code).toBe('payout_limit')
  })

  it('a credit that is rolled back while it waits for its limit is never carried out', async () => {
    const reserve = Reflect.get(PartnerLimit.prototype, 'reserve')
    vi.spyOn(PartnerLimit.prototype, 'reserve').mockImplementationOnce(async function (
      this: PartnerLimit,
      request,
    ) {
      const answer = await reserve.call(this, request)
      expect((await platform.rollBack(bob, 'win-1')).status).toBe(200)
      return answer
    })
    expect(codeOf(await platform.transact(bob, '1', { partnerTransactionId: 'win-1' }))).toBe(
      'transaction_rolled_back',
    )
    expect(await chipsOf(bob)).toBe('0')
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('chips in transit that cannot be counted yet do not cause a permanent refusal', async () => {
    await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 300 })
    await alice.bet('100000000', { autoCashout: 2 })
    await passFlight(plan)
    vi.spyOn(CrashRound.prototype, 'outcome').mockRejectedValueOnce(new Error('overloaded'))
    const call = () => platform.transact(alice, '-1100', { partnerTransactionId: 'spin-1' })
    expect((await call()).status).toBe(503)
    expect((await call()).body).toMatchObject({ balance: 0 })
  })

  it('a transaction that fails half-way leaves nothing behind', async () => {
    await platform.transact(alice, '10')
    await runInDurableObject(ledger(env, alice.wallet), (_: unknown, { storage }) => {
      storage.sql.exec(
        `CREATE TRIGGER broken BEFORE INSERT ON debits BEGIN SELECT raise(ABORT, 'disk'); END`,
      )
    })
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    expect((await call()).status).toBe(500)
    expect(await chipsOf(alice)).toBe('10000000')
    await runInDurableObject(ledger(env, alice.wallet), (_: unknown, { storage }) => {
      storage.sql.exec('DROP TRIGGER broken')
    })
    expect((await call()).body).toMatchObject({ balance: 7, balanceBefore: 10 })
  })

  it('an object that is full asks for a retry, and consumes neither token nor id', async () => {
    await platform.transact(alice, '10')
    vi.spyOn(PartnerIds.prototype, 'claim').mockResolvedValueOnce({
      ok: false,
      error: { code: 'rate_limited', message: 'later' },
    })
    const call = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
    expect((await call()).status).toBe(429)
    expect((await call()).status).toBe(200)
  })
})

describe('with chips shared by the bridge and the games', () => {
  it('a debit can take the winnings of a recent bet', async () => {
    await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 300 })
    await alice.bet('100000000', { autoCashout: 2 })
    await passFlight(plan)
    expect((await platform.transact(alice, '-1100')).body).toMatchObject({ balance: 0 })
  })

  it('a bet can stake a partner’s credit, and a rollback does not take chips in play', async () => {
    await platform.transact(alice, '10', { partnerTransactionId: 'win-1' })
    await openRound()
    expect((await alice.bet('10000000')).status).toBe(200)
    const { status, body } = await platform.rollBack(alice, 'win-1')
    expect(status).toBe(402)
    expect(body.error.details).toEqual({ available: '0', required: '10000000' })
    expect(await audit(alice)).toMatchObject({ ok: true })
  })
})

describe('the amount of a transaction', () => {
  /** A transaction in ETH with these amount fields. */
  const send = (fields: string, id: string = crypto.randomUUID()) =>
    platform.post(
      'transaction',
      `{"playerId":"${alice.wallet}","currency":"ETH","partnerTransactionId":"${id}",${fields}}`,
    )
  const weiOf = async () => (await platform.balance(alice, 'ETH')).body.balanceWei

  it('is amountWei, alone or beside an amount with floating-point noise', async () => {
    await alice.fund('1000000000000000000', 'ETH')
    const noisy = '"amount":-0.30000000000000004,"amountWei":"-300000000000000000"'
    expect((await send(noisy)).body.balanceWei).toBe('700000000000000000')
    expect((await send('"amountWei":"300000000000000000"')).status).toBe(200)
    expect(await weiOf()).toBe('1000000000000000000')
  })

  it('is exactly the value of amount if that is the only field', async () => {
    await alice.fund('1000000000000000000', 'ETH')
    expect((await send('"amount":-0.30000000000000004')).body.balanceWei).toBe('699999999999999960')
  })

  it.each([
    '"amount":0,"amountWei":"-1000"',
    '"amount":-0.3,"amountWei":"300000000000000000"',
    '"amount":0.30000000001,"amountWei":"300000000000000000"',
    '"amount":"0.3","amountWei":"300000000000000000"',
    '"amountWei":-1000',
    '"amountWei":"-0"',
    '"amountWei":"01"',
    '"amountWei":"+1"',
    '"amountWei":"1.0"',
    '"amountWei":"1e3"',
    '"amountWei":""',
    '"amountWei":null',
    '"amount":null',
    '"amount":null,"amountWei":null',
    `"amountWei":"${2n ** 256n}"`,
    '"amount_wei":"-1000"',
    '"amount":0,"amount_wei":"-1000"',
    '"amount":0,"amountwei":"-1000"',
    '"amount":0,"AmountWei":"-1000"',
    '"amount":0,"amount-wei":"-1000"',
    '"amountWei":"0","Amount":-1',
    '"amountWei":"0","partner_transaction_id":"x"',
    '"amountWei":"0","player-id":"x"',
  ])('is refused without consuming its id with %s', async (fields) => {
    const id = crypto.randomUUID()
    expect(outcomeOf(await send(fields, id))).toEqual([400, 'invalid_request'])
    expect((await send('"amountWei":"1"', id)).status).toBe(200)
  })

  it('matches in any spelling, and differs for any other value', async () => {
    await alice.fund('1000000000000000000', 'ETH')
    const first = await send('"amount":-0.25', 'spin-1')
    for (const fields of [
      '"amountWei":"-250000000000000000"',
      '"amount":-2.5e-1',
      '"amount":-0.2500000000000001,"amountWei":"-250000000000000000"',
    ]) {
      expect((await send(fields, 'spin-1')).text).toBe(first.text)
    }
    expect(codeOf(await send('"amount":-0.25,"amountWei":"-250000000000000001"', 'spin-1'))).toBe(
      'idempotency_conflict',
    )
    expect(await weiOf()).toBe('750000000000000000')
  })

  it('is null where it is not sent', async () => {
    expect((await send('"amount":1e-18,"amountWei":null')).body.balanceWei).toBe('1')
    expect((await send('"amount":null,"amountWei":"5"')).body.balanceWei).toBe('6')
  })

  it('allows unknown keys beside it', async () => {
    expect((await send('"amountWei":"5","note":"bonus","wei":"7"')).body.balanceWei).toBe('5')
  })

  it.each(['original_transaction_id', 'OriginalTransactionId', 'partner-transaction-id'])(
    'does not excuse a misspelled key in a rollback: %s',
    async (name) => {
      const { status, body } = await platform.rollBack(alice, 'spin-1', { [name]: 'spin-2' })
      expect([status, body.error.details[0].path]).toEqual([400, name])
    },
  )
})

it('a rollback of itself is a conflict, and leaves an unused id free', async () => {
  await platform.transact(alice, '10')
  const itself = () => platform.rollBack(alice, 'spin-1', { partnerTransactionId: 'spin-1' })
  expect(outcomeOf(await itself())).toEqual([409, 'idempotency_conflict'])
  const spin = () => platform.transact(alice, '-3', { partnerTransactionId: 'spin-1' })
  expect((await spin()).body).toMatchObject({ balance: 7, balanceBefore: 10 })
  expect(outcomeOf(await itself())).toEqual([409, 'idempotency_conflict'])
  expect(await chipsOf(alice)).toBe('7000000')
})

describe('a statement', () => {
  const ids = (answer: { body: { entries: { partnerTransactionId: string }[] } }) =>
    answer.body.entries.map((entry) => entry.partnerTransactionId)

  it('covers the requested time, from the first moment up to but excluding the last', async () => {
    const times: number[] = []
    for (const id of ['one', 'two', 'three']) {
      times.push(Date.now())
      await platform.transact(alice, '1', { partnerTransactionId: id })
      pass(1_000)
    }
    const [first, second, third] = times
    expect(ids(await platform.statement(alice, `&from=${second}`))).toEqual(['two', 'three'])
    expect(ids(await platform.statement(alice, `&from=${first}&to=${third}`))).toEqual([
      'one',
      'two',
    ])
    expect(ids(await platform.statement(alice, `&to=${first}`))).toEqual([])
    expect(ids(await platform.statement(alice, `&from=${(third ?? 0) + 1}`))).toEqual([])
  })

  it('resumes where it ended, even if the player makes other transactions in between', async () => {
    await fundedPlayer(0)
    const due: string[] = []
    for (let turn = 0; turn < 30; turn++) {
      await platform.transact(alice, '-1', { partnerTransactionId: `spin-${turn}` })
      due.push(`spin-${turn}`)
      await runInDurableObject(ledger(env, alice.wallet), (instance: Ledger) => {
        for (let other = 0; other < 50; other++) {
          void instance.faucet(`${turn}:${other}`, 'USDG', 1n)
        }
      })
    }
    const found: string[] = []
    let pages = 0
    for (let next: number | null = 0; next !== null; pages++) {
      const { body } = await platform.statement(alice, `&limit=7&cursor=${next}`)
      found.push(...ids({ body }))
      next = body.next
    }
    expect(found).toEqual(due)
    expect(pages).toBeGreaterThan(4)
  })

  it('for an unknown player is empty, and opens no books', async () => {
    expect((await platform.statement(bob)).body).toEqual({ entries: [], next: null })
    expect(await ledger(env, bob.wallet).balance('USDG')).toBe(0n)
  })

  it.each([
    '&from=x',
    '&from=-1',
    '&limit=0',
    '&limit=501',
    '&cursor=1.5',
    '&to=99999999999999999',
  ])('is refused with %s', async (query) => {
    expect((await platform.statement(alice, query)).status).toBe(400)
  })
})

describe('a service without partners', () => {
  it('has no wallet bridge', async () => {
    const nobody = { ...env, PARTNERS: {}, PARTNER_KEYS: '' }
    const response = await app.fetch(
      new Request('http://fairhouse.test/api/wallet/balance'),
      nobody,
    )
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'not_configured' } })
  })
})
