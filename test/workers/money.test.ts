import { runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { zeroAddress } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { daybook } from '../../src/calls/objects.ts'
import type { VaultConfig } from '../../src/config/config.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { Ledger, Treasury } from '../../src/worker.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { changeConfig, changeObjectConfig } from './configuration.ts'
import { OPERATORS, signInHeader } from './operator.ts'
import {
  call,
  codeOf,
  fundedPlayer,
  now,
  outcomeOf,
  pass,
  Player,
  ringLedger,
  setTime,
  useStories,
} from './support.ts'

useStories()

const read = (path: string, authorization = `Bearer ${METRICS_TOKEN}`) =>
  call(`/api/operate/${path}`, { headers: { authorization } })

/** Returns a day with one play, once it has been counted. */
async function countedDay(): Promise<string> {
  await daybook(env).sweep()
  const alice = await fundedPlayer(0)
  await alice.play({ game: 'keno', params: { picks: [1], risk: 'low' } })
  const day = dateOf(now())
  setTime(Date.parse(day) + DAY_MS + 300_000)
  await ringLedger(alice)
  setTime(Date.parse(day) + DAY_MS + 900_000)
  await runDurableObjectAlarm(daybook(env))
  return day
}

describe('the operator reads', () => {
  it('the books of some days, in exact integers, as JSON and as CSV', async () => {
    const day = await countedDay()
    const { status, body } = await read(`books?from=${day}&to=${day}`)
    expect(status).toBe(200)
    expect(body.days).toMatchObject([{ day, isClosed: true, wallets: 1, entries: 2, problems: [] }])
    const [row, ...others] = body.rows
    expect(others).toEqual([])
    expect(row).toMatchObject({
      day,
      asset: 'USDG',
      kind: 'game',
      name: 'keno',
      wagered: '1000000',
    })
    expect(BigInt(row.ggr)).toBe(1_000_000n - BigInt(row.returned))
    expect(body.lines).toContainEqual({
      day,
      asset: 'USDG',
      debit: 'players:chips',
      credit: 'wagers:keno',
      amountWei: '1000000',
    })
    const path = `/api/operate/books?from=${day}&to=${day}&format=csv`
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    const csv = await exports.default.fetch(`http://fairhouse.test${path}`, { headers })
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(await csv.text()).toBe(
      'day,asset,kind,name,wagered,returned,ggr,fees,prizes,gas,losses,restored\r\n' +
        `${day},USDG,game,keno,1000000,${row.returned},${row.ggr},0,0,0,0,0\r\n`,
    )
  })

  it('both with the sign-in of any operator, too', async () => {
    const authorization = await signInHeader(OPERATORS.viewer)
    const books = await read('books?from=2040-01-01&to=2040-01-01', authorization)
    expect(books).toMatchObject({ status: 200, body: { days: [] } })
    expect(codeOf(await read('reconciliation', authorization))).toBe('not_configured')
    const stranger = await signInHeader(new Player(0).account)
    expect(outcomeOf(await read('reconciliation', stranger))).toEqual([403, 'role_required'])
  })

  it('no more than a year of books at a time, from one day to a later one', async () => {
    for (const query of ['', '?from=2040-01-01', '?from=2040-01-01&to=2040-13-01']) {
      expect(outcomeOf(await read(`books${query}`))).toEqual([400, 'invalid_request'])
    }
    expect(codeOf(await read('books?from=2040-01-02&to=2040-01-01'))).toBe('invalid_request')
    expect(codeOf(await read('books?from=2040-01-01&to=2041-01-01'))).toBe('invalid_request')
    expect((await read('books?from=2040-01-01&to=2040-12-31')).body).toMatchObject({ days: [] })
  })

  it('no reconciliation without a vault', async () => {
    expect(codeOf(await read('reconciliation'))).toBe('not_configured')
  })
})

describe('nobody else reads them:', () => {
  it.each(['reconciliation', 'books?from=2040-01-01&to=2040-01-01'])('%s', async (path) => {
    expect(outcomeOf(await call(`/api/operate/${path}`))).toEqual([401, 'token_missing'])
    expect(outcomeOf(await read(path, 'Bearer wrong'))).toEqual([401, 'token_invalid'])
    expect(codeOf(await call(`/api/operate/${path}`, { method: 'POST' }))).toBe(
      'method_not_allowed',
    )
    changeConfig({ metricsToken: null })
    expect(outcomeOf(await read(path))).toEqual([404, 'not_found'])
  })
})

describe('a count of a day that operators order', () => {
  const isDone = async (day: string) => (await daybook(env).read(day, day)).length === 1

  /** Fails to count the day of one play. Returns it and the days after it. */
  async function failedDay(): Promise<[failed: string, next: string, last: string]> {
    await daybook(env).sweep()
    const alice = await fundedPlayer(0)
    await alice.play()
    const day = dateOf(now())
    setTime(Date.parse(day) + DAY_MS - 300_000)
    await ringLedger(alice)
    setTime(Date.parse(day) + 3 * DAY_MS + 900_000)
    vi.spyOn(Ledger.prototype, 'bookedLines').mockRejectedValueOnce(new Error('does not answer'))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await runDurableObjectAlarm(daybook(env))
    expect(await isDone(day)).toBe(false)
    const [next, last] = [1, 2].map((days) => dateOf(Date.parse(day) + days * DAY_MS))
    return [day, next ?? '', last ?? '']
  }

  it('begins once, however often they order it', async () => {
    const day = await countedDay()
    for (let time = 0; time < 2; time++) expect(await daybook(env).count(day)).toBeNull()
  })

  it('changes nothing about the day that is counted next', async () => {
    const [first, second] = [await countedDay(), await countedDay()]
    const facts = await daybook(env).facts()
    expect(facts.newestDay).toBe(second)
    await daybook(env).count(first)
    await runDurableObjectAlarm(daybook(env))
    expect(await daybook(env).facts()).toMatchObject({ nextDay: facts.nextDay })
  })

  it('in place of one that fails is itself given up for no other', async () => {
    const [, next, last] = await failedDay()
    expect(await daybook(env).count(next)).toBeNull()
    expect(codeOf({ body: await daybook(env).count(last) })).toBe('closed')
  })

  it('is not lost if the one that has failed succeeds just then', async () => {
    const [failed, next] = await failedDay()
    const vault = { id: `31337:${zeroAddress}`, chainId: 31_337 } as VaultConfig
    await changeObjectConfig(daybook(env), () => ({ vault }))
    pass(60_000)
    const areAllSent = vi.spyOn(Treasury.prototype, 'areAllSent').mockResolvedValue(true)
    // Its wallet is read, but then it fails again before it is closed.
    areAllSent.mockResolvedValueOnce(true).mockRejectedValueOnce(new Error('does not answer'))
    await runDurableObjectAlarm(daybook(env))
    pass(60_000)
    areAllSent.mockResolvedValueOnce(true).mockImplementationOnce(async () => {
      expect(await daybook(env).count(next)).toBeNull()
      return true
    })
    await runDurableObjectAlarm(daybook(env))
    expect([await isDone(failed), await isDone(next)]).toEqual([false, true])
  })
})
