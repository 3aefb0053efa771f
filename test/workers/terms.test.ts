import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { LEAD_MS } from '../../src/operator/modes.ts'
import type { Receipt } from '../../src/receipts/claims.ts'
import { parseJws } from '../../src/receipts/jws.ts'
import { sweep } from '../../src/sweep.ts'
import { CrashTable, TransparencyLog } from '../../src/worker.ts'
import { startIsolate } from './isolate.ts'
import { order, setTerms } from './operator.ts'
import { loggedOf } from './public-log.ts'
import {
  codeOf,
  endRound,
  fundedPlayer,
  get,
  openRound,
  pass,
  post,
  restart,
  ringRound,
  useStories,
  watch,
} from './support.ts'

useStories()

const LIMITS = { min: '1000', max: '2000000', maxPayout: '4000000' }

async function edgeOfGames(): Promise<number> {
  return (await get('/api/entropy')).body.edgeBps
}

async function termsOfGames(): Promise<string> {
  return (await get('/api/entropy')).body.terms.hash
}

describe('terms that an operator sets', () => {
  it('hold for plays ten seconds after the act, and not before', async () => {
    const alice = await fundedPlayer(0)
    await order('terms', '{"entropy.edgeBps": 500}')
    pass(LEAD_MS - 1)
    expect(await edgeOfGames()).toBe(100)
    expect((await alice.play({ nonce: 0 })).body.edgeBps).toBe(100)
    pass(1)
    expect(await edgeOfGames()).toBe(500)
    expect((await alice.play({ nonce: 1 })).body.edgeBps).toBe(500)
    expect((await alice.play({ nonce: 0 })).body.edgeBps).toBe(100)
  })

  it('refuse a play whose player has seen others, and repeat one that was made under others', async () => {
    const alice = await fundedPlayer(0)
    const seen = await termsOfGames()
    const first = await alice.play({ nonce: 0, terms: seen })
    expect(first.status).toBe(200)
    await setTerms({ 'entropy.edgeBps': 500 })
    const terms = await termsOfGames()
    const late = await alice.play({ nonce: 1, terms: seen })
    expect(late.body.error).toMatchObject({ code: 'terms_changed', details: { terms } })
    const open = { wallet: alice.wallet, authSig: await alice.authSig(), params: { mines: 3 } }
    const stake = { token: 'USDG', amountWei: '1000000', nonce: 1, terms: seen }
    const opened = await post('/api/entropy', { action: 'mines-open', ...open, ...stake })
    expect(codeOf(opened)).toBe('terms_changed')
    expect((await alice.play({ nonce: 0, terms: seen })).body).toEqual(first.body)
    expect((await alice.play({ nonce: 1, terms })).body.edgeBps).toBe(500)
  })

  it('limit stakes', async () => {
    const alice = await fundedPlayer(0)
    await setTerms({ 'entropy.limits.USDG': LIMITS })
    expect(codeOf(await alice.play({ amountWei: '2000001' }))).toBe('amount_out_of_bounds')
    expect((await alice.play({ amountWei: '2000000' })).status).toBe(200)
  })

  it('are refused if the table would accept no bet under them', async () => {
    const limits = { min: '1000000', max: '1000000', maxPayout: '1010000' }
    const terms = { 'crash.limits.USDG': { ...limits, maxRoundPayout: '1010000' } }
    const { status, body } = await order('terms', JSON.stringify(terms))
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(body.error.message).toContain('an empty table accepts at most 126250')
    expect((await get('/api/operate?action=modes')).body.version).toBeNull()
  })

  it('hold for the rounds that open under them', async () => {
    const running = await openRound()
    await setTerms({ 'crash.edgeBps': 300 })
    expect(await watch()).toMatchObject({ roundId: running.roundId, edgeBps: 100 })
    const before = (await watch()).config.terms.hash
    await endRound(running)
    pass(60_000)
    const next = await watch()
    expect(next).toMatchObject({ roundId: running.roundId + 1, edgeBps: 300 })
    expect(next.config.terms.hash).not.toBe(before)
    await restart()
    expect(await watch()).toMatchObject({ roundId: next.roundId, edgeBps: 300 })
  })

  it('are in the public log with their hash before anyone plays by them', async () => {
    const alice = await fundedPlayer(0)
    await order('terms', '{"entropy.edgeBps": 500, "crash.edgeBps": 300}')
    const logged = await loggedOf('terms')
    const versions = await loggedOf('control')
    pass(LEAD_MS)
    const { receipt } = await alice.play()
    const claims = parseJws(String(receipt))?.payload as Receipt | undefined
    const named = logged.find(({ id }) => id === claims?.terms)
    expect(named?.['terms']).toMatchObject({ entropy: { edgeBps: 500 }, crash: { edgeBps: 300 } })
    expect(await termsOfGames()).toBe(named?.id)
    expect(versions).toMatchObject([
      { terms: { 'entropy.edgeBps': 500, 'crash.edgeBps': 300 }, modes: {} },
    ])
    await openRound()
    expect((await watch()).config.terms.hash).toBe(named?.id)
  })

  it('that a round was opened under are logged before its plan, whatever was set since', async () => {
    const down = vi
      .spyOn(TransparencyLog.prototype, 'append')
      .mockRejectedValue(new Error('the log is down'))
    await order('terms', '{"crash.edgeBps": 310}')
    pass(LEAD_MS)
    const { roundId } = await watch()
    await order('terms', '{"crash.edgeBps": 410}')
    pass(LEAD_MS)
    await restart()
    down.mockRestore()
    pass(60_000)
    await ringRound(roundId)
    const [plan] = (await loggedOf('plan')).filter(({ id }) => id === String(roundId))
    const [terms] = await loggedOf('terms')
    expect(plan).toMatchObject({ edgeBps: 310 })
    expect(terms).toMatchObject({ id: plan?.['terms'], terms: { crash: { edgeBps: 310 } } })
  })

  it('are logged by the cron trigger if they were not before', async () => {
    const down = vi
      .spyOn(TransparencyLog.prototype, 'append')
      .mockRejectedValue(new Error('the log is down'))
    await order('terms', '{"entropy.edgeBps": 510}')
    pass(LEAD_MS)
    down.mockRestore()
    expect(await loggedOf('terms')).toEqual([])
    await sweep(env)
    expect(await loggedOf('terms')).toMatchObject([{ terms: { entropy: { edgeBps: 510 } } }])
  })

  it('are logged by the cron trigger for the plays of its version, though the table runs another', async () => {
    vi.spyOn(CrashTable.prototype, 'sweep').mockResolvedValue()
    // Of a new isolate.
    await sweep({ ...env })
    expect(await loggedOf('terms')).toMatchObject([{ id: await termsOfGames() }])
  })

  it('hold as configured again once the operator says so', async () => {
    const configured = await termsOfGames()
    await setTerms({ 'entropy.edgeBps': 500 })
    expect(await termsOfGames()).not.toBe(configured)
    await setTerms({ 'entropy.edgeBps': null })
    expect(await termsOfGames()).toBe(configured)
    expect(await edgeOfGames()).toBe(100)
  })

  it.each([
    ['{"entropy.edgeBps": 5001}', 'entropy.edgeBps'],
    ['{"entropy.edge": 100}', 'entropy.edge'],
    ['{"crash.limits.ETH": {"min": "2", "max": "1", "maxPayout": "9"}}', 'crash.limits.ETH'],
    ['{}', 'The request is not valid'],
  ])('are refused before anyone signs in vain: %s', async (target, part) => {
    const { body } = await order('terms', target)
    expect(codeOf({ body })).toBe('invalid_request')
    expect(body.error.message).toContain(part)
    expect((await get('/api/operate?action=modes')).body.version).toBeNull()
  })
})

describe('a version whose objects do not run yet', () => {
  // The table, the rounds and the cron trigger that log terms run another one.
  const OTHER = { ENTROPY_EDGE_BPS: '200' }
  const loggedIds = async () => (await loggedOf('terms')).map(({ id }) => id)

  it('has its terms logged before it shows them', async () => {
    const isolate = await startIsolate()
    const { body } = await isolate.call('/api/entropy', undefined, OTHER)
    expect(await loggedIds()).toContain(body.terms.hash)
  })

  it('has them logged before a play names them', async () => {
    const isolate = await startIsolate()
    const alice = await fundedPlayer(0)
    const game = { action: 'play', game: 'limbo', params: { target: 2 } }
    const signed = { wallet: alice.wallet, authSig: await alice.authSig() }
    const body = JSON.stringify({ ...game, token: 'USDG', amountWei: '1000000', ...signed })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const played = await isolate.call('/api/entropy', init, OTHER)
    expect(played.status).toBe(200)
    const claims = parseJws(String(played.receipt))?.payload as Receipt
    expect(await loggedIds()).toContain(claims.terms)
  })

  it('answers while the log takes nothing, and asks it again ten seconds later', async () => {
    const append = vi
      .spyOn(TransparencyLog.prototype, 'append')
      .mockRejectedValue(new Error('down'))
    const isolate = await startIsolate()
    const read = async () => (await isolate.call('/api/entropy', undefined, OTHER)).body.terms.hash
    await read()
    const calls = append.mock.calls.length
    await read()
    expect(append).toHaveBeenCalledTimes(calls)
    append.mockRestore()
    pass(10_000)
    const hash = await read()
    expect(await loggedIds()).toContain(hash)
  })
})
