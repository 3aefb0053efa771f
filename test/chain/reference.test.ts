import { env } from 'cloudflare:workers'
import { toHex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Journal } from '../../durable-objects/ledger/journal.ts'
import { SegmentArchived } from '../../durable-objects/ledger/segments.ts'
import { app } from '../../src/app.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { loadConfig } from '../../src/config/load.ts'
import { STATUS } from '../../src/core/refusal.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { flightMs } from '../../src/crash/curve.ts'
import { LEDGER_LIMIT_BYTES } from '../../src/ledger/capacity.ts'
import { shareCodeOf } from '../../src/lootbox/share.ts'
import { sweep } from '../../src/sweep.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { SOON } from '../shared/soon.ts'
import { signBeacon, useOwnBeacon } from '../workers/beacon.ts'
import { documented, expectValid, reference } from '../workers/documented.ts'
import { ask as askLimits, DAILY, setLimit } from '../workers/limits.ts'
import {
  look,
  OPERATORS,
  order as orderAct,
  setModes,
  signAct,
  signInHeader,
} from '../workers/operator.ts'
import { debitTermsOf, grant, permissionsOf, Platform, revoke } from '../workers/partner.ts'
import {
  call,
  get,
  now,
  openBeaconRound,
  openRound,
  pass,
  Player,
  post,
  reportSize,
  ringRound,
  secretsOf,
  setTime,
} from '../workers/support.ts'
import { ringStream, Viewer } from '../workers/viewer.ts'
import { LOOTBOX, OWNER, POOL_ADDRESS, RELAYER } from './accounts.ts'
import { day, pay as payForAd, rent } from './ads.ts'
import { actOnBox, deployBoxContracts, prompt, sellBoxes } from './boxes.ts'
import { open } from './lootbox.ts'
import {
  ask,
  chain,
  deploy,
  depositor,
  fundHouse,
  mined,
  nodeFails,
  useChain,
  withdraw,
} from './support.ts'

useChain()
useOwnBeacon()

// Every answer is checked against the reference when it is received: see workers/documented.ts. These
// tests only make sure that each operation is called and each error code is answered.

/** What browsers follow from the page; no program calls it. */
const OF_THE_PAGE = ['/preview.png', '/support']

const [alice, bob] = [new Player(0), new Player(1)]
const owner = new Player(8)
const platform = new Platform()

/** Returns the code of a refusal. */
async function refused(answer: Promise<{ body: { error?: { code: string } } }>) {
  return (await answer).body.error?.code
}

async function succeeded<T extends { status: number; text: string }>(answer: Promise<T>) {
  const answered = await answer
  expect(answered.status, answered.text).toBeLessThan(300)
  return answered
}

/** Makes the chain unreachable, with the fault logged in silence. */
function breakChain(): void {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
}

describe('the reference describes', () => {
  it('the count of debts', async () => {
    const player = await depositor(0)
    await succeeded(post('/api/dev/solvency', { wallet: player.wallet }))
    await succeeded(get('/api/solvency'))
    const authSig = await player.authSig()
    await succeeded(get(`/api/solvency?wallet=${player.wallet}&authSig=${authSig}`))
    await chain.sendTransaction({
      account: player.account,
      chain: null,
      to: player.account.address,
    })
    nodeFails((body) => /eth_getLogs|getTransactionReceipt/.test(body), 'before')
    const countAgain = post('/api/dev/solvency', { wallet: player.wallet })
    expect(await refused(countAgain)).toBe('chain_unavailable')
  })

  it('the whole history', async () => {
    await succeeded(post('/api/dev/close-day', {}))
    await succeeded(get('/api/history/exports'))
    const player = await depositor(0)
    const authSig = await player.authSig()
    const { body } = await succeeded(get(`/api/history?wallet=${player.wallet}&authSig=${authSig}`))
    expect(body.entries).toMatchObject([{ kind: 'deposit' }])
  })

  it('signing in', async () => {
    await succeeded(get(`/api/auth/message?wallet=${alice.wallet}`))
    expect(await refused(get('/api/auth/message?wallet=me'))).toBe('invalid_request')
    expect(await refused(call('/api/auth/message', { method: 'POST' }))).toBe('method_not_allowed')
    expect(await refused(get('/api/nothing'))).toBe('not_found')
  })

  it('a round of crash', async () => {
    await fundHouse('USDG', 1_000_000_000_000n)
    await owner.act('house-topup')
    const [carol, dave] = [await depositor(2), await depositor(3)]
    const plan = await openRound({ min: 200, max: 1_000 })
    await succeeded(carol.state())
    await succeeded(get('/api/crash?action=watch'))
    expect(await refused(get('/api/crash?action=dance'))).toBe('unknown_action')
    const viewer = await Viewer.connect()
    await call('/api/crash/stream', { headers: { upgrade: 'websocket' } })
    expect(await refused(get('/api/crash/stream'))).toBe('invalid_request')
    expect(await refused(get('/api/crash'))).toBe('auth_required')
    const unsigned = `/api/crash?wallet=${carol.wallet}&authSig=0x00`
    expect(await refused(get(unsigned))).toBe('auth_invalid')
    expect(await refused(carol.act('dance'))).toBe('unknown_action')
    expect(await refused(carol.cashout())).toBe('no_open_bet')
    expect(await refused(carol.bet('1'))).toBe('amount_out_of_bounds')
    expect(await refused(bob.bet('1000000'))).toBe('insufficient_chips')
    expect(await refused(carol.bet('-1'))).toBe('invalid_request')
    await succeeded(carol.bet('1000000', { autoCashout: 500, roundId: plan.roundId }))
    await succeeded(dave.bet('1000000'))
    await succeeded(carol.state())
    await succeeded(get('/api/crash?action=bets'))
    await succeeded(get('/api/crash?action=history'))
    expect(await refused(carol.bet('2000000'))).toBe('bet_exists')
    expect(await refused(carol.cashout())).toBe('not_in_flight')
    setTime(plan.betsCloseAt)
    expect(await refused(alice.bet('1000000', { roundId: plan.roundId }))).toBe('betting_closed')
    setTime(plan.flightAt + 1_000)
    await ringRound(plan.roundId)
    await ringStream()
    await succeeded(dave.cashout())
    await succeeded(get('/api/crash?action=watch'))
    const { crash } = await secretsOf(plan.roundId)
    setTime(plan.flightAt + flightMs(crash))
    expect(await refused(carol.cashout())).toBe('already_crashed')
    await ringRound(plan.roundId)
    await succeeded(carol.state())
    await ringStream()
    const heard = await viewer.all()
    expect(new Set(heard.map(({ type }) => type))).toEqual(
      new Set(['snapshot', 'phase', 'bets', 'win', 'history']),
    )
    for (const message of heard) {
      await expectValid(['components', 'schemas', 'StreamMessage'], message, message.type)
    }
    await succeeded(get('/api/crash?action=verify-seeds'))
    await succeeded(get('/api/crash/verify-seeds'))
    expect(await refused(get('/api/crash/verify-seeds?roundId=x'))).toBe('invalid_request')
    expect(await refused(get('/api/crash/verify-seeds?roundId=999999'))).toBe('not_found')
  })

  it('a late beacon', async () => {
    const { roundId, flightAt, beacon } = await openBeaconRound(
      () => new Response('not yet', { status: 404 }),
    )
    setTime(flightAt)
    const brought = { action: 'beacon', roundId, signature: signBeacon(beacon) }
    await succeeded(post('/api/crash', brought))
    const wrong = { ...brought, signature: signBeacon(beacon + 1) }
    expect(await refused(post('/api/crash', wrong))).toBe('signature_invalid')
    expect(await refused(post('/api/crash', { ...brought, roundId: 4_711 }))).toBe('not_found')
  })

  it('withdrawals and the house', async () => {
    const carol = await depositor(2)
    expect(await refused(withdraw(carol, { nonce: 5 }))).toBe('nonce_mismatch')
    expect(await refused(withdraw(carol, { amountWei: 0n }))).toBe('amount_out_of_bounds')
    expect(await refused(withdraw(carol, { signature: '0x00' }))).toBe('signature_invalid')
    expect(await refused(withdraw(carol, { amountWei: 10n ** 12n }))).toBe('insufficient_chips')
    await succeeded(withdraw(carol))
    expect(await refused(withdraw(carol, { nonce: 1 }))).toBe('withdrawal_pending')
    await succeeded(owner.act('house-topup'))
    expect(await refused(carol.act('house-topup'))).toBe('not_vault_owner')
    breakChain()
    expect(await refused(owner.act('house-topup'))).toBe('chain_unavailable')
  })

  it('what operators see and order', async () => {
    expect(await refused(get('/api/operate'))).toBe('auth_required')
    expect(await refused(look('', `Wallet ${owner.wallet}.1.0x00`))).toBe('auth_invalid')
    expect(await refused(look('', await signInHeader(owner.account)))).toBe('role_required')
    await succeeded(look())
    const act = await signAct({ act: 'unfreeze', target: owner.wallet })
    await succeeded(post('/api/operate', act))
    await succeeded(look('?action=journal'))
    await succeeded(look('?action=verify', await signInHeader(OPERATORS.support)))
    await succeeded(look('?action=journals', await signInHeader(OPERATORS.admin)))
    await succeeded(look('/stuck'))
    await succeeded(look('/partners'))
    await succeeded(look('/rounds'))
    expect(await refused(look('/rounds?action=beacon&round=99999'))).toBe('not_found')
    expect(await refused(look('/rounds?action=all'))).toBe('unknown_action')
    const player = await depositor(2)
    const asSupport = await signInHeader(OPERATORS.support)
    await succeeded(look(`/player?wallet=${player.wallet}`, asSupport))
    await succeeded(look(`/player?wallet=${player.wallet}&action=verify`, asSupport))
    expect(await refused(look(`/player?wallet=${owner.wallet}`, asSupport))).toBe('not_found')
    expect(await refused(post('/api/operate', { ...act, reason: 'else' }))).toBe(
      'signature_invalid',
    )
    expect(await refused(post('/api/operate', await signAct({ target: 'all' })))).toBe(
      'invalid_request',
    )
    const { support } = OPERATORS
    const tooMuch = await signAct({ target: 'crash=open' }, support)
    expect(await refused(post('/api/operate', tooMuch))).toBe('role_required')
    breakChain()
    // The treasurer's wallet is configured as a contract, which only the chain can speak for.
    const unchecked = { ...act, operator: OPERATORS.treasurer.address, signature: '0x1234' }
    expect(await refused(post('/api/operate', unchecked))).toBe('chain_unavailable')
  })

  it("what operators set, and the service's state", async () => {
    const player = await depositor(0)
    await succeeded(get('/api/health'))
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    await succeeded(call('/api/metrics', { headers }))
    await sweep(env)
    const { body } = await succeeded(call('/api/operate/reconciliation', { headers }))
    expect(body.reconciliation).toMatchObject({ drifts: [], ended: [] })
    const today = dateOf(now())
    await succeeded(call(`/api/operate/books?from=${today}&to=${today}`, { headers }))
    await succeeded(orderAct('freeze', player.wallet))
    await succeeded(get('/api/dev/operators'))
    expect(await refused(player.play())).toBe('wallet_frozen')
    await setModes('withdrawals=closed')
    expect(await refused(withdraw(await depositor(1)))).toBe('closed')
  })

  it('the entropy games', async () => {
    await fundHouse('USDG', 1_000_000_000_000n)
    await owner.act('house-topup')
    pass(10_000)
    const carol = await depositor(2)
    await succeeded(get('/api/entropy'))
    await succeeded(get(`/api/entropy?wallet=${carol.wallet}`))
    const games = [
      { game: 'mines', params: { mines: 3, pick: [1, 2] } },
      { game: 'limbo', params: { target: 2 } },
      { game: 'plinko', params: { risk: 'low' } },
      { game: 'keno', params: { picks: [1, 2, 3] } },
    ]
    for (const [nonce, game] of games.entries()) await succeeded(carol.play({ ...game, nonce }))
    expect(await refused(carol.play({ nonce: 9 }))).toBe('nonce_mismatch')
    expect(await refused(carol.play({ ...games[0], nonce: 1 }))).toBe('idempotency_conflict')
    expect(await refused(carol.play({ terms: '00'.repeat(32) }))).toBe('terms_changed')
    expect(await refused(carol.play({ amountWei: '1' }))).toBe('amount_out_of_bounds')
    expect(await refused(carol.play({ params: { target: 1_000_000 } }))).toBe('payout_limit')
    expect(await refused(bob.play())).toBe('insufficient_chips')
    const mines = (action: string, fields: object) =>
      carol.play({ action: `mines-${action}`, params: { mines: 1 }, ...fields })
    let nonce = games.length
    for (let isHit = true; isHit; nonce++) {
      await succeeded(mines('open', { nonce }))
      expect(await refused(mines('open', { nonce: nonce + 1 }))).toBe('game_open')
      isHit = (await succeeded(mines('pick', { nonce, tile: 0 }))).body.hit
    }
    await succeeded(mines('cashout', { nonce: nonce - 1 }))
    expect(await refused(mines('pick', { nonce: 0, tile: 1 }))).toBe('no_open_game')
    await reportSize(LEDGER_LIMIT_BYTES)
    expect(await refused(carol.play())).toBe('ledger_full')
    const told = async () => {
      const recent = await succeeded(post('/api/entropy', { action: 'recent', limit: 4 }))
      expect(recent.body.recent).toHaveLength(4)
    }
    await vi.waitFor(told, SOON)
    expect(await refused(post('/api/entropy', { action: 1 }))).toBe('invalid_request')
  })

  it('the limits that players set themselves', async () => {
    const [carol, dave] = [await depositor(2), await depositor(3)]
    const wager = { kind: 'wager', ...DAILY }
    await succeeded(setLimit(carol, 'wager', '1'))
    expect(await refused(carol.play())).toBe('limit_reached')
    await succeeded(setLimit(carol, 'wager', '2'))
    expect(await refused(askLimits(carol, 'confirm', wager))).toBe('too_early')
    pass(DAY_MS)
    await succeeded(askLimits(carol, 'confirm', wager))
    await succeeded(askLimits(carol, 'remove', wager))
    await succeeded(askLimits(carol, 'reality-check', { minutes: 30 }))
    const authSig = await carol.authSig()
    await succeeded(get(`/api/limits?wallet=${carol.wallet}&authSig=${authSig}`))
    await succeeded(askLimits(dave, 'exclude', { days: 1 }))
    expect(await refused(dave.play())).toBe('excluded')
  })

  it('the wallet bridge', async () => {
    const carol = await depositor(2)
    await succeeded(platform.balance(carol))
    const debit = await succeeded(platform.transact(carol, '-1.5'))
    const id: string = debit.body.partnerTransactionId
    await succeeded(platform.rollBack(carol, id))
    await succeeded(platform.statement(carol, '&limit=1'))
    const again = { partnerTransactionId: id }
    expect(await refused(platform.transact(carol, '-2', again))).toBe('idempotency_conflict')
    await platform.rollBack(carol, 'late')
    const late = { partnerTransactionId: 'late' }
    expect(await refused(platform.transact(carol, '1', late))).toBe('transaction_rolled_back')
    expect(await refused(platform.transact(carol, '-100000'))).toBe('insufficient_chips')
    expect(await refused(platform.transact(carol, '10001'))).toBe('payout_limit')
    vi.spyOn(Journal.prototype, 'find').mockImplementationOnce(() => {
      throw new SegmentArchived(1)
    })
    expect(await refused(platform.transact(carol, '-1'))).toBe('archive_unavailable')
    const path = `/api/wallet/balance?playerId=${carol.wallet}&currency=USDG`
    expect(await refused(get(path))).toBe('token_missing')
    const spoilt = (claims: object) =>
      refused(platform.get(path, (token) => ({ ...token, claims: { ...token.claims, ...claims } })))
    const iat = Math.floor(now() / 1000)
    expect(await spoilt({ aud: 'another' })).toBe('token_invalid')
    expect(await spoilt({ iat: iat - 60, exp: iat - 40 })).toBe('token_expired')
    expect(await spoilt({ iat, exp: iat + 60 })).toBe('token_lifetime')
    const jti = `once-${now()}`
    expect(await spoilt({ jti })).toBeUndefined()
    const other = path.replace('balance', 'statement')
    const replayed = platform.get(other, (token) => ({
      ...token,
      claims: { ...token.claims, jti },
    }))
    expect(await refused(replayed)).toBe('token_replayed')
  })

  it('the permissions that players give partners', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const strict = new Platform(OTHER_DEV_PARTNER)
    expect(await refused(strict.transact(bob, '-1'))).toBe('permission_required')
    await succeeded(grant(bob))
    expect(await refused(grant(bob, { nonce: 7 }))).toBe('nonce_mismatch')
    await succeeded(permissionsOf(bob))
    await succeeded(revoke(bob))
    const terms = debitTermsOf(OTHER_DEV_PARTNER)
    terms.isOpen = false
    expect(await refused(strict.transact(bob, '-1'))).toBe('closed')
    terms.isOpen = true
  })

  it('the advertising slot', async () => {
    await succeeded(get('/api/ad-rental'))
    const txHash = await payForAd(alice)
    await succeeded(rent(alice, txHash))
    await succeeded(get('/api/ad-rental'))
    expect(await refused(rent(alice, txHash, { date: day(3) }))).toBe('payment_used')
    const second = await payForAd(bob)
    expect(await refused(rent(bob, second))).toBe('slot_taken')
    expect(await refused(rent(bob, second, { date: 'today' }))).toBe('invalid_request')
    const wrong = await payForAd(bob, { value: 1n })
    expect(await refused(rent(bob, wrong))).toBe('payment_mismatch')
    await succeeded(rent(bob, second, { date: day(0) }))
    await chain.setAutomine(false)
    expect((await rent(alice, await payForAd(alice), { date: day(5) })).status).toBe(202)
    await chain.mine({ blocks: 1 })
    await succeeded(get('/api/ad-rental'))
  })

  describe('the reference describes prizes:', () => {
    beforeEach(async () => {
      await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000))
      await deployBoxContracts()
      await ask('anvil_setNonce', OWNER.address, toHex(6))
      await deploy('PrizePool', [OWNER.address, RELAYER.address, OWNER.address])
    })

    it('the lootbox', async () => {
      await succeeded(get('/api/lootbox'))
      const value = BigInt(LOOTBOX.price)
      const payment = { account: alice.account, to: POOL_ADDRESS, value, gas: 100_000n }
      const txHash = await mined(chain.sendTransaction(payment))
      await succeeded(open(txHash))
      expect(await refused(open(txHash, bob))).toBe('payment_mismatch')
      await chain.setAutomine(false)
      const waiting = await chain.sendTransaction(payment)
      expect((await open(waiting)).status).toBe(202)
      await chain.mine({ blocks: 1 })
      await chain.setAutomine(true)
      await succeeded(get(`/api/lootbox?wallet=${alice.wallet}`))
      await succeeded(get('/api/lootbox?action=verify-seeds'))
      breakChain()
      expect(await refused(open(`0x${'77'.repeat(32)}`))).toBe('chain_unavailable')
    })

    it('free spins', async () => {
      const spin = async (postUrl: string, player = alice) => {
        const signed = { wallet: player.wallet, authSig: await player.authSig() }
        return post('/api/lootbox', { action: 'share-spin', ...signed, postUrl })
      }
      const told = {
        author_url: 'http://posts.test/alice',
        html: shareCodeOf(alice.wallet),
      }
      const sites = vi
        .spyOn(globalThis, 'fetch')
        .mockImplementation(async () => Response.json(told))
      expect(await refused(spin('http://posts.test/alice/photos'))).toBe('post_unverified')
      await succeeded(spin('http://posts.test/alice/status/1'))
      expect(await refused(spin('http://posts.test/alice/status/2'))).toBe('spin_used')
      sites.mockRejectedValue(new Error('down'))
      const other = spin('http://posts.test/alice/status/3', new Player(1))
      expect(await refused(other)).toBe('upstream_failed')
      await succeeded(get(`/api/lootbox?wallet=${alice.wallet}`))
    })

    it('boxes', async () => {
      await sellBoxes([{ bps: 10_000, prize: 5n }])
      const show = () => succeeded(get(`/api/lootbox-nft?wallet=${alice.wallet}`))
      expect(await refused(actOnBox('buy', { kind: 7, wallet: alice.wallet }))).toBe('box_state')
      const order = await succeeded(actOnBox('buy', { kind: 0, wallet: alice.wallet }))
      await prompt(order.body.tx)
      const boxId: string = (await show()).body.boxes[0].boxId
      expect(await refused(actOnBox('claim', { boxId }))).toBe('box_state')
      expect(await refused(actOnBox('reveal', { boxId: '1' }))).toBe('not_found')
      await prompt((await succeeded(actOnBox('reveal', { boxId }))).body.tx)
      await succeeded(actOnBox('claim', { boxId }))
      await succeeded(get(`/api/lootbox-nft?boxId=${boxId}`))
      await show()
    })
  })

  it('the proxy', async () => {
    const version = { jsonrpc: '2.0', id: 1 }
    await succeeded(post('/api/rpc', { ...version, method: 'eth_chainId' }))
    await succeeded(post('/api/rpc', [{ ...version, method: 'debug_all' }]))
    await succeeded(post('/api/rpc', '{'))
    await succeeded(call('/api/rpc', { method: 'OPTIONS' }))
  })

  it('the chips for local play', async () => {
    const chips = { wallet: bob.wallet, token: 'USDG', amountWei: '5', id: 'once' }
    await succeeded(get('/api/dev/players'))
    await succeeded(post('/api/dev/faucet', chips))
    expect(await refused(post('/api/dev/faucet', { ...chips, amountWei: '6' }))).toBe(
      'idempotency_conflict',
    )
    const asText = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }
    expect(await refused(call('/api/dev/faucet', asText))).toBe('unsupported_media_type')
    const large = JSON.stringify({ id: 'x'.repeat(70_000) })
    expect(await refused(post('/api/dev/faucet', large))).toBe('body_too_large')
  })

  it('errors of any route', async () => {
    const config = loadConfig(env)
    const { boxes } = config
    config.boxes = null
    const path = `/api/lootbox-nft?wallet=${alice.wallet}`
    expect(await refused(get(path))).toBe('not_configured')
    config.boxes = boxes
    // Sends more than two windows of the limit allow, because a new window may begin at any time.
    // They have an address of their own, because the limit outlasts this test.
    const headers = { 'content-type': 'application/json', 'cf-connecting-ip': '203.0.113.7' }
    const body = JSON.stringify({ action: 'beacon' })
    const calls = Array.from({ length: 605 }, () =>
      call('/api/crash', { method: 'POST', headers, body }),
    )
    const codes = await Promise.all(calls.map(refused))
    expect(codes).toContain('rate_limited')
    await env.DB.exec('DROP TABLE rentals')
    expect(await refused(get('/api/ad-rental'))).toBe('internal')
  })
})

describe('the reference', () => {
  const operations = Object.entries(reference.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, methods]) => Object.values(methods))

  it('includes every route of the service', () => {
    const routes = app.routes.filter(
      ({ method, path }) => method !== 'ALL' && !path.endsWith('*') && !OF_THE_PAGE.includes(path),
    )
    for (const { method, path: route } of routes) {
      const path = route.replaceAll(/:(\w+)/g, '{$1}')
      expect([path, Object.keys(reference.paths[path] ?? {})]).toEqual([
        path,
        expect.arrayContaining([method.toLowerCase()]),
      ])
    }
  })

  it('has a call and a successful answer for every operation, each of its actions and statuses', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const answered = documented.filter(
        ({ operation, code }) => operation?.operationId === operationId && code === null,
      )
      const statuses = Object.keys(responses).filter((status) => /^[12]/.test(status))
      expect
        .soft([operationId, ...new Set(answered.map(({ status }) => status))].toSorted())
        .toEqual([operationId, ...statuses].toSorted())
      const { discriminator } = requestBody?.content['application/json']?.schema ?? {}
      const actions = new Set(answered.map(({ action }) => action))
      for (const action of Object.keys(discriminator?.mapping ?? {})) {
        expect.soft([operationId, actions.has(action), action]).toContain(true)
      }
    }
  })

  it('has an answer with every code', () => {
    const codes = new Set(documented.flatMap(({ code }) => code ?? []))
    expect([...codes].toSorted()).toEqual(Object.keys(STATUS).toSorted())
  })
})
