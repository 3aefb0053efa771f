import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ledger, partnerIds, partnerLimit } from '../../src/calls/objects.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { loadConfig } from '../../src/config/load.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { LEAD_MS, READ_AGE_MS } from '../../src/operator/modes.ts'
import { PartnerIds, PartnerLimit } from '../../src/worker.ts'
import { SOON } from '../shared/soon.ts'
import { order, setModes } from './operator.ts'
import { creditAll, DAY_USDG, loseAnswer, loseCall, Platform } from './partner.ts'
import {
  codeOf,
  fundedPlayer,
  isBlankObject,
  now,
  pass,
  Player,
  restart,
  ringLedger,
  useStories,
  rowsOf,
} from './support.ts'

useStories()

const platform = new Platform()
const alice = new Player(0)
const bob = new Player(1)

/** The demo partner's limit for a single credit, in whole dollars: see wrangler.toml. */
const ONCE_USDG = 10_000

const partner = loadConfig(env).partners.get('demo')!
const limits = partner.limits.USDG

const chipsOf = async (player: Player) => (await platform.balance(player)).body.balanceWei

describe('a partner’s credit', () => {
  it('is limited per transaction, and the refusal names the limit', async () => {
    const { status, body } = await platform.transact(alice, `${ONCE_USDG}.000001`)
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: 'payout_limit',
      details: { maxPayout: `${ONCE_USDG}000000` },
    })
    expect((await platform.transact(alice, `${ONCE_USDG}`)).status).toBe(200)
  })

  it('is limited daily across all players, however many calls arrive at the same time', async () => {
    // Any addresses work, since these players sign nothing.
    const players = Array.from({ length: 15 }, (_, index) => ({
      wallet: `0x${String(index).padStart(40, '0')}`,
    }))
    const answers = await Promise.all(players.map((player) => platform.transact(player, '10000')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = answers.filter(({ status }) => status === 422)
    expect(refused).toHaveLength(5)
    expect(refused[0]?.body.error.details).toEqual({ maxPayout: '0' })
  })

  it('may increase by the amount debited, immediately for the same player', async () => {
    await alice.fund('60000000000')
    for (let credit = 0; credit < 10; credit++) await platform.transact(bob, '10000')
    expect((await platform.transact(alice, '100')).status).toBe(422)
    await platform.transact(alice, '-100')
    expect((await platform.transact(alice, '100.000001')).status).toBe(422)
    expect((await platform.transact(alice, '100')).status).toBe(200)
    expect((await platform.transact(alice, '0.000001')).status).toBe(422)
  })

  it('may increase by the amount debited, with a delay for other players', async () => {
    await alice.fund('60000000000')
    for (let credit = 0; credit < 10; credit++) await platform.transact(bob, '10000')
    await platform.transact(alice, '-100')
    expect((await platform.transact(bob, '100')).status).toBe(422)
    pass(300_000)
    await ringLedger(alice)
    expect((await platform.transact(bob, '100')).status).toBe(200)
    await ringLedger(alice)
    expect((await platform.transact(bob, '0.000001')).status).toBe(422)
  })

  it('does not increase after debits that are rolled back', async () => {
    await alice.fund('60000000000')
    await platform.transact(alice, '-500', { partnerTransactionId: 'spin-1' })
    pass(300_000)
    await ringLedger(alice)
    await platform.rollBack(alice, 'spin-1')
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
    expect((await platform.transact(bob, '0.000001')).status).toBe(422)
  })

  it('stays within the limit when a debit that made room is rolled back', async () => {
    await alice.fund('60000000000')
    await platform.transact(alice, '-60000', { partnerTransactionId: 'loan' })
    pass(300_000)
    await ringLedger(alice)
    expect(await creditAll(platform, bob)).toBe(DAY_USDG + 60_000)
    const refused = await platform.rollBack(alice, 'loan', { partnerTransactionId: 'undo-1' })
    expect(refused.body.error.code).toBe('payout_limit')
    pass(86_400_000)
    const again = await platform.rollBack(alice, 'loan', { partnerTransactionId: 'undo-1' })
    expect(again.text).toBe(refused.text)
    expect((await platform.rollBack(alice, 'loan')).body).toMatchObject({ balance: 60_000 })
    expect(await creditAll(platform, bob)).toBe(DAY_USDG - 60_000)
  })

  it('refunds debits from before midnight out of the room that they made, however many', async () => {
    for (const player of [alice, bob]) await player.fund('90000000000')
    pass(DAY_MS - (now() % DAY_MS) - 120_000)
    await platform.transact(alice, '-90000', { partnerTransactionId: 'voided' })
    await platform.transact(bob, '-90000', { partnerTransactionId: 'voided-too' })
    pass(180_000)
    expect((await platform.rollBack(alice, 'voided')).status).toBe(200)
    expect((await platform.rollBack(bob, 'voided-too')).status).toBe(200)
    // The new day's limit is as large as ever, and refunds made no more of it.
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
    expect((await platform.transact(bob, '0.000001')).status).toBe(422)
  })

  it('refunds a debit of yesterday out of today’s limit if yesterday’s is used up', async () => {
    await alice.fund('90000000000')
    await platform.transact(alice, '-50', { partnerTransactionId: 'voided' })
    expect(await creditAll(platform, alice)).toBe(DAY_USDG)
    expect((await platform.transact(alice, '50')).status).toBe(200)
    pass(DAY_MS - 3_600_000)
    expect((await platform.rollBack(alice, 'voided')).status).toBe(200)
    expect((await platform.transact(bob, '10000')).status).toBe(200)
    expect(await creditAll(platform, bob)).toBe(DAY_USDG - 20_000)
  })

  it('regains the room reserved for a credit that is rolled back', async () => {
    loseAnswer(PartnerLimit.prototype, 'reserve')
    const lost = await platform.transact(bob, '10000', { partnerTransactionId: 'win-1' })
    expect(lost.status).toBe(500)
    await restart()
    expect((await platform.rollBack(bob, 'win-1')).status).toBe(200)
    expect((await platform.rollBack(bob, 'win-1')).status).toBe(200)
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('regains the room by repeating a rollback that could not release it', async () => {
    loseAnswer(PartnerLimit.prototype, 'reserve')
    expect((await platform.transact(bob, '10000', { partnerTransactionId: 'win-1' })).status).toBe(
      500,
    )
    loseCall(PartnerLimit.prototype, 'release')
    const undo = () => platform.rollBack(bob, 'win-1', { partnerTransactionId: 'undo-1' })
    expect((await undo()).status).toBe(500)
    expect((await undo()).status).toBe(200)
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('regains the room by repeating a credit that was rolled back while it waited', async () => {
    const reserve = Reflect.get(PartnerLimit.prototype, 'reserve')
    vi.spyOn(PartnerLimit.prototype, 'reserve').mockImplementationOnce(async function (
      this: PartnerLimit,
      ...credit
    ) {
      // The rollback finds nothing to release yet.
      expect((await platform.rollBack(bob, 'win-1')).status).toBe(200)
      loseCall(PartnerLimit.prototype, 'release')
      return reserve.apply(this, credit)
    })
    const win = () => platform.transact(bob, '10000', { partnerTransactionId: 'win-1' })
    expect((await win()).status).toBe(500)
    expect(codeOf(await win())).toBe('transaction_rolled_back')
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('regains the room that a repetition reserved while the first call was refused', async () => {
    expect(await creditAll(platform, alice)).toBe(DAY_USDG)
    const reserve = Reflect.get(PartnerLimit.prototype, 'reserve')
    const win = () => platform.transact(bob, '10000', { partnerTransactionId: 'win-1' })
    // Each call waits by itself: the runtime may crash if a call is resumed by another one that ends.
    let stage: 'asked' | 'refused' | 'reserved' | 'answered' = 'asked'
    const reach = (awaited: typeof stage) => vi.waitFor(() => expect(stage).toBe(awaited), SOON)
    vi.spyOn(PartnerLimit.prototype, 'reserve')
      .mockImplementationOnce(async function (this: PartnerLimit, credit) {
        const refused = await reserve.call(this, credit)
        const { wallet, token, day } = credit
        await this.debited({ wallet, token, day, debitedWei: 10_000_000_000n })
        stage = 'refused'
        await reach('reserved')
        return refused
      })
      .mockImplementationOnce(async function (this: PartnerLimit, credit) {
        const reserved = await reserve.call(this, credit)
        stage = 'reserved'
        await reach('answered')
        return reserved
      })
    const answering = win()
    await reach('refused')
    const repeating = win()
    const first = await answering
    stage = 'answered'
    expect(codeOf(first)).toBe('payout_limit')
    expect((await repeating).text).toBe(first.text)
    expect(await creditAll(platform, alice)).toBe(10_000)
  })

  it('regains the room of a credit that the limit per transaction refuses when it is repeated', async () => {
    loseAnswer(PartnerLimit.prototype, 'reserve')
    const win = () => platform.transact(bob, '10000', { partnerTransactionId: 'win-1' })
    expect((await win()).status).toBe(500)
    const { transactionWei } = limits
    limits.transactionWei = 1n
    expect(codeOf(await win())).toBe('payout_limit')
    limits.transactionWei = transactionWei
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('keeps the room of a credit that is refused as closed, until it is made or rolled back', async () => {
    const reserve = Reflect.get(PartnerLimit.prototype, 'reserve')
    await order('mode', 'partner:demo=closed')
    pass(READ_AGE_MS)
    // The switch takes effect while the ledger waits for the limit.
    vi.spyOn(PartnerLimit.prototype, 'reserve').mockImplementationOnce(async function (
      this: PartnerLimit,
      ...credit
    ) {
      const reserved = await reserve.apply(this, credit)
      pass(LEAD_MS)
      return reserved
    })
    const win = { partnerTransactionId: 'win-1' }
    expect(codeOf(await platform.transact(bob, '10000', win))).toBe('closed')
    await setModes('partner:demo=open')
    expect(await creditAll(platform, alice)).toBe(DAY_USDG - 10_000)
    expect((await platform.transact(bob, '10000', win)).status).toBe(200)
  })

  it('regains the room of a credit that is reversed, once', async () => {
    await platform.transact(bob, '10000', { partnerTransactionId: 'win-1' })
    expect((await platform.rollBack(bob, 'win-1')).status).toBe(200)
    expect((await platform.rollBack(bob, 'win-1')).status).toBe(200)
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('regains room once for several simultaneous rollbacks of one debit', async () => {
    await alice.fund('10000000000')
    await platform.transact(alice, '-10000', { partnerTransactionId: 'spin-1' })
    await Promise.all(Array.from({ length: 6 }, () => platform.rollBack(alice, 'spin-1')))
    expect(await chipsOf(alice)).toBe('10000000000')
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('is counted by token, and a late report reverses nothing', async () => {
    await alice.fund('60000000000')
    await alice.fund('60000000000', 'ETH')
    await platform.transact(alice, '-50')
    await platform.transact(alice, '-0.00000001', { currency: 'ETH' })
    const limit = partnerLimit(env, 'demo')
    const day = Math.floor(Date.now() / 86_400_000)
    const report = { wallet: alice.wallet, token: 'USDG' as const, day }
    await limit.debited({ ...report, debitedWei: 50_000_000n })
    await limit.debited({ ...report, debitedWei: 20_000_000n })
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
    expect((await platform.transact(bob, '50')).status).toBe(200)
    expect((await platform.transact(bob, '0.000001')).status).toBe(422)
    const eth = { currency: 'ETH' }
    for (let credit = 0; credit < 10; credit++) await platform.transact(bob, '10', eth)
    const { body } = await platform.transact(bob, '1', eth)
    expect(body.error.details.maxPayout).toBe('0')
  })

  it('does not wait while a whole day’s ids are deleted', async () => {
    await platform.transact(bob, '1')
    await runInDurableObject(partnerLimit(env, 'demo'), (_: unknown, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         INSERT INTO credits SELECT (SELECT day FROM totals LIMIT 1), 'old ' || i, 'USDG', '1' FROM n`,
      )
    })
    pass(2 * 86_400_000)
    const old = () =>
      runInDurableObject(
        partnerLimit(env, 'demo'),
        (_: unknown, { storage }) =>
          storage.sql.exec(`SELECT count(*) AS count FROM credits WHERE id LIKE 'old %'`).one()[
            'count'
          ],
      )
    await platform.transact(bob, '1')
    expect(await old()).toBeGreaterThan(3_900)
    for (let call = 0; call < 5; call++) await platform.transact(bob, '1')
    expect(await old()).toBe(0)
  })

  it('has a fresh limit each day', async () => {
    for (let credit = 0; credit < 10; credit++) await platform.transact(bob, '10000')
    const last = await platform.transact(bob, '1', { partnerTransactionId: 'win-1' })
    expect(last.status).toBe(422)
    pass(86_400_000)
    const again = await platform.transact(bob, '1', { partnerTransactionId: 'win-1' })
    expect(again.text).toBe(last.text)
    expect((await platform.transact(bob, '1')).status).toBe(200)
    const rows = await rowsOf(partnerLimit(env, 'demo'), 'SELECT DISTINCT day FROM credits')
    expect(rows).toHaveLength(2)
    pass(86_400_000)
    await platform.transact(bob, '1')
    const kept = await rowsOf(partnerLimit(env, 'demo'), 'SELECT DISTINCT day FROM credits')
    expect(kept).toHaveLength(2)
  })

  it('regains the room of a reserved credit that was made before midnight', async () => {
    const day = Math.floor(Date.now() / 86_400_000)
    const limit = partnerLimit(env, 'demo')
    const request = { id: 'win-1', wallet: bob.wallet, token: 'USDG', day, amountWei: 5n } as const
    const most = { limitWei: 10n, totalLimitWei: null, newPlayers: null }
    const amounts = { debitedWei: 0n, debitedBeforeWei: 0n, ...most }
    const left = async (id: string) => (await limit.reserve({ ...request, ...amounts, id })).leftWei
    for (const ahead of [0, 1]) {
      const ledgersDay = { ...request, ...amounts, id: `ahead-${ahead}`, day: day + ahead }
      expect(await limit.reserve(ledgersDay)).toEqual({ isGranted: true, leftWei: 10n })
      // Repeated, it is counted once.
      expect(await limit.reserve(ledgersDay)).toEqual({ isGranted: true, leftWei: 5n })
    }
    pass(86_400_000)
    await limit.release('ahead-0')
    expect(await left('win-2')).toBe(10n)
    // A ledger whose clock is far ahead is answered too, every time.
    const far = { ...request, ...amounts, id: 'far', day: day + 9 }
    for (let call = 0; call < 2; call++) expect((await limit.reserve(far)).isGranted).toBe(true)
  })

  it('is limited separately for each partner', async () => {
    for (let credit = 0; credit < 10; credit++) await platform.transact(bob, '10000')
    expect((await new Platform(OTHER_DEV_PARTNER).transact(bob, '10000')).status).toBe(200)
  })
})

describe('the number of a partner’s new players', () => {
  const { newPlayersPerDay } = partner
  const invented = (index: number) => ({ wallet: `0x${String(index).padStart(40, '0')}` })

  afterEach(() => {
    partner.newPlayersPerDay = newPlayersPerDay
  })

  it('is limited per day, and a refused credit can be sent again the next day', async () => {
    partner.newPlayersPerDay = 2
    await alice.fund('1000000')
    for (const index of [1, 2])
      expect((await platform.transact(invented(index), '0.000001')).status).toBe(200)
    const third = () =>
      platform.transact(invented(3), '0.000001', { partnerTransactionId: 'third-player' })
    const refused = await third()
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(await isBlankObject(ledger(env, invented(3).wallet))).toBe(true)
    // Players whose chips have moved are not new, however they came by them.
    for (const player of [invented(1), alice])
      expect((await platform.transact(player, '0.000001')).status).toBe(200)
    pass(DAY_MS)
    expect((await third()).status).toBe(200)
  })

  it('counts a credit once whose answer was lost, and no player who cannot be credited', async () => {
    partner.newPlayersPerDay = 1
    const tooMuch = await platform.transact(invented(1), `${ONCE_USDG}.000001`)
    expect(tooMuch.status).toBe(422)
    loseAnswer(PartnerLimit.prototype, 'reserve')
    const credit = () => platform.transact(bob, '1', { partnerTransactionId: 'win-1' })
    expect((await credit()).status).toBe(500)
    await restart()
    expect((await credit()).status).toBe(200)
    expect((await partnerLimit(env, 'demo').today()).newPlayers).toBe(1)
    expect((await platform.transact(alice, '1')).status).toBe(429)
  })

  it('counts a player once whose first credits come together, or are rolled back', async () => {
    partner.newPlayersPerDay = 1
    const bonus = (id: string, currency: string) =>
      platform.transact(bob, '0.000001', { partnerTransactionId: id, currency })
    const answers = await Promise.all([bonus('bonus-1', 'USDG'), bonus('bonus-2', 'ETH')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    for (const id of ['bonus-1', 'bonus-2']) {
      const currency = id === 'bonus-1' ? 'USDG' : 'ETH'
      expect((await platform.rollBack(bob, id, { currency })).status).toBe(200)
    }
    expect((await bonus('bonus-3', 'USDG')).status).toBe(200)
    expect((await partnerLimit(env, 'demo').today()).newPlayers).toBe(1)
  })
})

describe('the list of a partner’s players', () => {
  const { newPlayersPerDay } = partner
  const credit = (id: string, amount = '1', player = bob) =>
    platform.transact(player, amount, { partnerTransactionId: id })
  const listed = (id: string) => partnerIds(env, 'demo', id).players(null, 10)

  afterEach(() => {
    partner.newPlayersPerDay = newPlayersPerDay
  })

  it('has a wallet before it gets its first chips, and nobody who already has some', async () => {
    await alice.fund('1000000')
    expect((await credit('alice-1', '1', alice)).status).toBe(200)
    expect(await listed('alice-1')).toEqual([])
    loseCall(PartnerIds.prototype, 'addPlayer')
    expect((await credit('win-1')).status).toBe(500)
    expect(await chipsOf(bob)).toBe('0')
    expect((await credit('win-1')).status).toBe(200)
    expect(await listed('win-1')).toEqual([bob.wallet])
  })

  it('has no wallet whose credit was refused, and the log has each refusal', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const tooMuch = await credit('above-limit', `${ONCE_USDG}.000001`)
    expect(codeOf(tooMuch)).toBe('payout_limit')
    partner.newPlayersPerDay = 0
    expect(codeOf(await credit('too-many', '1', alice))).toBe('rate_limited')
    partner.newPlayersPerDay = newPlayersPerDay
    await creditAll(platform, await fundedPlayer(2))
    expect(codeOf(await credit('above-day'))).toBe('payout_limit')
    await setModes('partner:demo=closed')
    expect(codeOf(await credit('closed', '1', alice))).toBe('closed')
    for (const id of ['above-limit', 'too-many', 'above-day', 'closed'])
      expect(await listed(id)).toEqual([])
    const logged = log.mock.calls.map(([line]) => JSON.parse(line))
    expect(logged).toContainEqual({
      level: 'info',
      event: 'partner_credit_refused',
      object: `Ledger ${alice.wallet}`,
      wallet: alice.wallet,
      partner: 'demo',
      token: 'USDG',
      amountWei: '1000000',
      code: 'closed',
    })
    const codes = logged.filter(({ event }) => event === 'partner_credit_refused')
    const ofPlayers = codes.filter(({ wallet }) => [alice.wallet, bob.wallet].includes(wallet))
    expect(ofPlayers.map(({ code }) => code)).toEqual([
      'payout_limit',
      'rate_limited',
      'payout_limit',
      'closed',
    ])
  })
})

describe('what a partner owes over all days', () => {
  afterEach(() => {
    limits.totalWei = null
  })

  it('stays within its limit, also after a day’s totals are added up', async () => {
    limits.totalWei = 120_000_000_000n
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
    pass(DAY_MS)
    expect(await creditAll(platform, bob)).toBe(20_000)
    for (const laterMs of [DAY_MS, 40 * DAY_MS]) {
      pass(laterMs)
      const { status, body } = await platform.transact(bob, '0.000001')
      expect([status, body.error.details]).toEqual([422, { maxPayout: '0' }])
    }
    const kept = await rowsOf(partnerLimit(env, 'demo'), 'SELECT DISTINCT day FROM totals')
    expect(kept.length).toBeLessThanOrEqual(2)
    // The house is paid, or a player loses.
    limits.totalWei = 121_000_000_000n
    expect((await platform.transact(bob, '1000')).status).toBe(200)
    await platform.transact(bob, '-500')
    expect((await platform.transact(bob, '500.000001')).status).toBe(422)
    expect((await platform.transact(bob, '500')).status).toBe(200)
  })

  it('counts a player’s debit from before midnight immediately, once', async () => {
    limits.totalWei = 0n
    await alice.fund('10000000')
    pass(DAY_MS - (now() % DAY_MS) - 60_000)
    await platform.transact(alice, '-5')
    pass(120_000)
    expect((await platform.transact(alice, '3')).status).toBe(200)
    pass(300_000)
    await ringLedger(alice)
    expect((await platform.transact(alice, '2.000001')).status).toBe(422)
    expect((await platform.transact(alice, '2')).status).toBe(200)
    expect((await platform.transact(alice, '0.000001')).status).toBe(422)
  })

  it('never makes more of a day’s limit', async () => {
    limits.totalWei = 500_000_000_000n
    expect(await creditAll(platform, bob)).toBe(DAY_USDG)
  })

  it('leaves no room if the partner has been paid more than it may owe', async () => {
    limits.totalWei = -1_000_000n
    expect((await platform.transact(bob, '0.000001')).status).toBe(422)
    await alice.fund('10000000')
    await platform.transact(alice, '-2')
    expect((await platform.transact(alice, '1.000001')).status).toBe(422)
    expect((await platform.transact(alice, '1')).status).toBe(200)
  })
})
