import { env } from 'cloudflare:workers'
import { compactVerify, createLocalJWKSet, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { sign, soundToken } from '../../src/certify/token.ts'
import { DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import type { WholeRound } from '../../src/crash/disclosure.ts'
import type { Check } from '../../src/fairness/check.ts'
import { playerPosition } from '../../src/history/positions.ts'
import { perToken } from '../../src/money/token.ts'
import type { Receipt } from '../../src/receipts/claims.ts'
import { parseJws, type Jws } from '../../src/receipts/jws.ts'
import type { PublishedKey } from '../../src/receipts/key.ts'
import { contradictionsOf } from '../../src/verify/contradictions.ts'
import { verifySignature } from '../../src/verify/receipt-signature.ts'
import {
  verifyBetReceipt,
  verifyCashoutReceipt,
  verifyPlayReceipt,
} from '../../src/verify/receipt.ts'
import { RECEIPT_KEYS } from '../shared/receipt-keys.ts'
import { startIsolate } from './isolate.ts'
import { Platform } from './partner.ts'
import { SELECTIONS } from './plays.ts'
import {
  audit,
  endRound,
  fundedPlayer,
  get,
  now,
  openRound,
  post,
  restart,
  setTime,
  useStories,
  type Answer,
  type Player,
} from './support.ts'

useStories()

const JSON_TYPE = { 'content-type': 'application/json' }
const SPIN = { partnerTransactionId: 'spin-00001' }

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/)

/** The claims of a receipt, whose signature is checked with the published keys. */
async function claimsOf(receipt: unknown): Promise<Receipt> {
  const { body } = await get('/.well-known/jwks.json')
  const keys = createLocalJWKSet(body)
  const { payload, protectedHeader } = await compactVerify(String(receipt), keys)
  const { keys: published } = body as unknown as { keys: { kid: string }[] }
  expect(protectedHeader).toEqual({
    alg: 'ES256',
    typ: 'fairhouse-receipt+jwt',
    kid: published[0]?.kid,
  })
  return JSON.parse(new TextDecoder().decode(payload)) as Receipt
}

const receiptIn = ({ status, receipt }: Answer) => {
  expect(status).toBe(200)
  return claimsOf(receipt)
}

/** What a player with these USDG units is owed. */
const owing = (USDG: number) => ({ owed: { ETH: '0', USDG: String(USDG) } })

/** What every receipt of a player says. */
const issuedTo = (player: Player, at = now()) => ({
  iss: 'http://localhost:8787',
  sub: player.wallet.toLowerCase(),
  iat: Math.floor(at / 1_000),
  chainId: 31_337,
  entry: HASH,
  terms: HASH,
})

describe('a receipt', () => {
  it('of a bet says what was taken, and under which commitment', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound()
    const receipt = await receiptIn(await alice.bet('1000000', { autoCashout: 1.5 }))
    expect(receipt).toEqual({
      ...issuedTo(alice),
      kind: 'bet',
      roundId: plan.roundId,
      seedHash: plan.seedHash,
      pepperSource: plan.pepperSource,
      token: 'USDG',
      amountWei: '1000000',
      autoCashout: 1.5,
      ...owing(1_000_000_000),
      seq: 2,
    })
    const { body } = await alice.state()
    expect(body.config.terms.hash).toBe(receipt.terms)
  })

  it('of a cash-out says its multiplier, payout and time', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 300 })
    await alice.bet('1000000')
    setTime(plan.flightAt + 11_553)
    const answer = await alice.cashout({ roundId: plan.roundId })
    const { roundId } = plan
    expect(await receiptIn(answer)).toEqual({
      ...issuedTo(alice),
      kind: 'cashout',
      roundId,
      multiplier: 2,
      payout: '2000000',
      at: now(),
      seq: 3,
      ...owing(1_001_000_000),
    })
  })

  it('of a play says everything that decides it but the seed', async () => {
    const alice = await fundedPlayer(0)
    const { nonce, seedHash } = await alice.nextPlay()
    const answer = await alice.play({ clientSeed: 'mine' })
    expect(await receiptIn(answer)).toEqual({
      ...issuedTo(alice),
      kind: 'play',
      game: 'limbo',
      nonce,
      seedHash,
      clientSeed: 'mine',
      seq: 2,
      params: { target: 2 },
      token: 'USDG',
      amountWei: '1000000',
      nextSeedHash: answer.body.nextSeedHash,
      payout: answer.body.payout,
      ...owing(999_000_000 + Number(answer.body.payout)),
    })
  })

  it('says what was owed after its entry, and says it again once that has changed', async () => {
    const alice = await fundedPlayer(0)
    const first = await receiptIn(await alice.play({ nonce: 0 }))
    await alice.play({ nonce: 1 })
    expect(await receiptIn(await alice.play({ nonce: 0 }))).toEqual(first)
    const { seq, owed } = await receiptIn(await alice.play({ nonce: 2 }))
    const position = (await ledger(env, alice.wallet).position())!
    const { standing } = playerPosition(position)
    expect([seq, owed]).toEqual([standing.seq, perToken((token) => `${standing.owed[token]}`)])
  })

  it('counts the stake of an open game as owed', async () => {
    const alice = await fundedPlayer(0)
    const open = { action: 'mines-open', token: 'USDG', amountWei: '1000000', nonce: 0 }
    const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
    const body = { ...open, ...signed, params: { mines: 1 } }
    expect(await receiptIn(await post('/api/entropy', body))).toMatchObject(owing(1_000_000_000))
  })

  it('of a partner’s transaction is a header, and the body does not change', async () => {
    const [platform, alice] = [new Platform(), await fundedPlayer(0)]
    const answer = await platform.transact(alice, '-1.5', SPIN)
    expect(await claimsOf(answer.headers.get('fairhouse-receipt'))).toEqual({
      ...issuedTo(alice),
      kind: 'transaction',
      partner: DEV_PARTNER.id,
      partnerTransactionId: 'spin-00001',
      currency: 'USDG',
      amountWei: '-1500000',
      balanceWei: '998500000',
      seq: 2,
    })
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'balance',
      'balanceBefore',
      'balanceBeforeWei',
      'balanceWei',
      'partnerTransactionId',
    ])
  })

  it('of a partner’s rollback says what it undid and moved, and says it again', async () => {
    const [platform, alice] = [new Platform(), await fundedPlayer(0)]
    await platform.transact(alice, '-1.5', SPIN)
    const undo = (partnerTransactionId: string) =>
      platform.rollBack(alice, SPIN.partnerTransactionId, { partnerTransactionId })
    const receiptOf = async (id: string) =>
      claimsOf((await undo(id)).headers.get('fairhouse-receipt'))
    const first = await receiptOf('undo-00001')
    expect(first).toEqual({
      ...issuedTo(alice),
      kind: 'rollback',
      partner: DEV_PARTNER.id,
      partnerTransactionId: 'undo-00001',
      originalTransactionId: 'spin-00001',
      currency: 'USDG',
      amountWei: '1500000',
      balanceWei: '1000000000',
      seq: 3,
    })
    await restart()
    expect(await receiptOf('undo-00001')).toEqual(first)
    expect(await receiptOf('undo-00002')).toMatchObject({ amountWei: '0', seq: 4 })
  })

  it('of a rollback that buries an id says that nothing moved', async () => {
    const [platform, alice] = [new Platform(), await fundedPlayer(0)]
    const { headers } = await platform.rollBack(alice, 'never-seen-1')
    expect(await claimsOf(headers.get('fairhouse-receipt'))).toMatchObject({
      kind: 'rollback',
      originalTransactionId: 'never-seen-1',
      amountWei: '0',
      seq: 2,
    })
  })

  it('has the number and the hash of its entry in the journal', async () => {
    const alice = await fundedPlayer(0)
    const receipt = await receiptIn(await alice.play())
    const { headHash } = (await audit(alice)) as { headHash: string }
    expect([receipt.seq, receipt.entry]).toEqual([2, headHash])
  })

  it('has the same claims when a call is repeated, also after a restart', async () => {
    const alice = await fundedPlayer(0)
    const platform = new Platform()
    const plan = await openRound({ min: 300 })
    const calls: (() => Promise<Answer>)[] = [
      () => alice.bet('1000000', { roundId: plan.roundId }),
      () => alice.play({ nonce: 0 }),
      async () => {
        setTime(Math.max(now(), plan.flightAt + 2_000))
        return alice.cashout({ roundId: plan.roundId })
      },
    ]
    const transact = () => platform.transact(alice, '-1', SPIN)
    const headerOf = async () => claimsOf((await transact()).headers.get('fairhouse-receipt'))
    for (const call of calls) {
      const first = await receiptIn(await call())
      expect(await receiptIn(await call())).toEqual(first)
      await restart()
      expect(await receiptIn(await call())).toEqual(first)
    }
    const first = await headerOf()
    await restart()
    expect(await headerOf()).toEqual(first)
  })

  it('of a bet is given again after its round has ended', async () => {
    const alice = await fundedPlayer(0)
    const plan = await openRound({ min: 200, max: 600 })
    const bet = () => alice.bet('1000000', { roundId: plan.roundId })
    const first = await receiptIn(await bet())
    await endRound(plan)
    await alice.state()
    expect(await receiptIn(await bet())).toEqual(first)
  })

  it('names the terms under which a call was first accepted, once others are in force', async () => {
    const [before, after] = [await startIsolate(), await startIsolate()]
    const alice = await fundedPlayer(0)
    const { roundId, flightAt } = await openRound({ min: 300 })
    const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
    const stake = { token: 'USDG', amountWei: '1000000' }
    const limbo = { action: 'play', game: 'limbo', params: { target: 2 }, ...stake }
    const transaction = { playerId: alice.wallet, currency: 'USDG', amountWei: '-5', ...SPIN }
    const authorization = `Bearer ${sign(soundToken(DEV_PARTNER, JSON.stringify(transaction)))}`
    const calls: [path: string, body: object, headers?: Record<string, string>][] = [
      ['/api/wallet/transaction', transaction, { authorization }],
      ['/api/entropy', { ...limbo, ...signed, nonce: 0 }],
      ['/api/crash', { action: 'bet', ...stake, ...signed, roundId }],
      ['/api/crash', { action: 'cashout', ...signed, roundId }],
    ]
    const claims = async (answer: Answer) => {
      expect(answer.status).toBe(200)
      return claimsOf(answer.receipt ?? answer.headers.get('fairhouse-receipt'))
    }
    const changed = (path: string, body: object, headers: Record<string, string> = {}) => {
      const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers } }
      const vars = { ENTROPY_EDGE_BPS: '200', CRASH_EDGE_BPS: '200' }
      return after.call(path, { ...init, body: JSON.stringify(body) }, vars)
    }
    for (const [path, body, headers] of calls) {
      if ('action' in body && body.action === 'cashout') setTime(flightAt + 2_000)
      const first = await claims(await before.post(path, body, headers))
      expect(await claims(await changed(path, body, headers))).toEqual(first)
    }
    const present = await claims(await changed('/api/entropy', { ...limbo, ...signed, nonce: 1 }))
    const [path, body, headers] = calls[1]!
    await restart()
    const past = await claims(await changed(path, body, headers))
    expect(past).toEqual(await claims(await before.post(path, body, headers)))
    expect(past.terms).not.toBe(present.terms)
  })

  it('names the same terms as the exported play, also of a game that ended under others', async () => {
    const isolate = await startIsolate()
    const alice = await fundedPlayer(0)
    const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
    const stake = { ...signed, token: 'USDG', amountWei: '1000000' }
    const call = async (edgeBps: string, fields: object) => {
      const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(fields) }
      const answer = await isolate.call('/api/entropy', init, { ENTROPY_EDGE_BPS: edgeBps })
      return receiptIn(answer)
    }
    const limbo = { action: 'play', game: 'limbo', params: { target: 2 }, ...stake }
    const receipts = [
      await call('100', { ...limbo, nonce: 0 }),
      await call('100', { action: 'mines-open', ...stake, params: { mines: 1 }, nonce: 1 }),
      await call('200', { ...limbo, nonce: 2 }),
    ]
    // Whether it hits the mine or is cashed out, the game has then ended.
    await call('200', { action: 'mines-pick', ...signed, nonce: 1, tile: 0 })
    const end = { action: 'mines-cashout', ...signed, nonce: 1 }
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(end) }
    await isolate.call('/api/entropy', init, { ENTROPY_EDGE_BPS: '200' })
    const exported = await ledger(env, alice.wallet).exportPlays(0, Infinity)
    if (isRefusal(exported)) throw new Error(exported.error.message)
    const named = new Map(exported.plays.map(({ nonce, terms }) => [nonce, terms]))
    expect(receipts.map((_, nonce) => named.get(nonce))).toEqual(receipts.map(({ terms }) => terms))
    expect(named.get(2)).not.toBe(named.get(1))
  })

  it('is not given for a refusal', async () => {
    const alice = await fundedPlayer(0)
    await openRound()
    const { status, receipt } = await alice.bet('1')
    expect([status, receipt]).toEqual([422, null])
  })
})

describe('honest receipts', () => {
  const failed = (checks: Check[]) => checks.filter(({ holds }) => !holds)

  /** The parts of a receipt, with the published keys. */
  async function partsOf({ receipt }: Answer) {
    const { keys } = (await get('/.well-known/jwks.json')).body as unknown as {
      keys: PublishedKey[]
    }
    const jws = parseJws(String(receipt)) as Jws
    const { kid } = jws.header as { kid: string }
    const signed = { receipt: jws.payload as Receipt, kid, jws }
    expect(failed(verifySignature(signed, keys))).toEqual([])
    return signed.receipt
  }

  it('of bets and cash-outs agree with the disclosure of their round', async () => {
    const players = [await fundedPlayer(0), await fundedPlayer(1), await fundedPlayer(2)]
    const [manual, automatic, passive] = players as [Player, Player, Player]
    const plan = await openRound({ min: 300, max: 600 })
    const { roundId } = plan
    const bets = [
      await manual.bet('1000000'),
      await automatic.bet('1000000', { autoCashout: 1.5 }),
      await passive.bet('2000000'),
    ]
    setTime(plan.flightAt + 11_553)
    const cashouts = [await manual.cashout({ roundId })]
    await endRound(plan)
    cashouts.push(await automatic.cashout({ roundId }))
    const round: WholeRound = (await get(`/api/crash?action=round&roundId=${roundId}`)).body
    const receipts: Receipt[] = []
    for (const answer of [...bets, ...cashouts]) receipts.push(await partsOf(answer))
    for (const receipt of receipts) {
      if (receipt.kind === 'bet') expect(failed(verifyBetReceipt(receipt, round))).toEqual([])
      if (receipt.kind === 'cashout')
        expect(failed(verifyCashoutReceipt(receipt, round))).toEqual([])
    }
    expect(receipts.map(({ kind }) => kind)).toEqual(['bet', 'bet', 'bet', 'cashout', 'cashout'])
    expect(contradictionsOf(receipts)).toEqual([])
  })

  it('of plays agree with their disclosure and with each other', async () => {
    const alice = await fundedPlayer(0)
    const receipts: Receipt[] = []
    for (const selection of SELECTIONS) {
      const receipt = await partsOf(await alice.play(selection))
      if (receipt.kind !== 'play') throw new Error('it is the receipt of a play')
      const query = `action=play&wallet=${alice.wallet}&nonce=${receipt.nonce}`
      const { body } = await get(`/api/entropy?${query}`)
      expect(failed(verifyPlayReceipt(receipt, body))).toEqual([])
      receipts.push(receipt)
    }
    expect(contradictionsOf(receipts)).toEqual([])
  })
})

describe('the keys of receipts', () => {
  it('are public, without their private parts, and old ones stay', async () => {
    const { status, headers, body } = await get('/.well-known/jwks.json')
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const { keys } = body as unknown as { keys: Record<string, unknown>[] }
    expect(keys.map(({ nbf, exp }) => [nbf, exp])).toEqual([
      [1_700_000_000, undefined],
      [1_600_000_000, 1_700_000_000],
    ])
    expect(keys.every((key) => !('d' in key) && typeof key['kid'] === 'string')).toBe(true)
  })

  it('change with an overlap: the new one is public before it signs, and the old one afterwards', async () => {
    const isolate = await startIsolate()
    const alice = await fundedPlayer(0)
    const { keys: old } = JSON.parse(RECEIPT_KEYS) as { keys: object[] }
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const changesAt = now() + 3_600_000
    const [nbf, exp] = [changesAt / 1_000, changesAt / 1_000 + 3_600].map(Math.ceil)
    const next = { ...(await exportJWK(privateKey)), nbf }
    const [present, ...others] = old
    const vars = { RECEIPT_KEYS: JSON.stringify({ keys: [next, { ...present, exp }, ...others] }) }
    const published = async () =>
      (await isolate.call('/.well-known/jwks.json', {}, vars)).body as unknown as {
        keys: PublishedKey[]
      }
    const play = async (nonce: number) => {
      const stake = { token: 'USDG', amountWei: '1000000', nonce }
      const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
      const limbo = { action: 'play', game: 'limbo', params: { target: 2 }, ...stake, ...signed }
      const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(limbo) }
      return String((await isolate.call('/api/entropy', init, vars)).receipt)
    }
    const before = await published()
    const receipts = [await play(0)]
    setTime(changesAt + 1_000)
    receipts.push(await play(1))
    const { keys } = await published()
    expect(keys).toEqual(before.keys)
    const jwses = receipts.map((receipt) => parseJws(receipt) as Jws)
    const kids = jwses.map(({ header }) => (header as { kid: string }).kid)
    expect(kids).toEqual([keys[1]?.kid, keys[0]?.kid])
    for (const [at, jws] of jwses.entries()) {
      const signed = { receipt: jws.payload as Receipt, kid: kids[at]!, jws }
      expect(verifySignature(signed, keys).every(({ holds }) => holds)).toBe(true)
    }
  })
})
