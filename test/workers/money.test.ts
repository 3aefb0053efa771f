import { runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { daybook } from '../../src/calls/objects.ts'
import { DAY_MS, dateOf } from '../../src/core/utc-day.ts'
import { METRICS_TOKEN } from '../shared/metrics-token.ts'
import { changeConfig } from './configuration.ts'
import { OPERATORS, signInHeader } from './operator.ts'
import {
  call,
  codeOf,
  fundedPlayer,
  now,
  outcomeOf,
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
      'day,asset,kind,name,wagered,returned,ggr,fees,prizes,gas\r\n' +
        `${day},USDG,game,keno,1000000,${row.returned},${row.ggr},0,0,0\r\n`,
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
