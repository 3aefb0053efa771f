import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { showBooks, showReconciliation } from '../../../../src/cli/operate/money.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import { METRICS_TOKEN } from '../../../shared/metrics-token.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const client = new Client('http://localhost:8787')
const HEADERS = { authorization: `Bearer ${METRICS_TOKEN}` }

/** Has the service answer, and returns what the command prints, and the paths that it asked for. */
function answering(...bodies: (string | object)[]) {
  const asked: string[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    expect(request.headers.get('authorization')).toBe(`Bearer ${METRICS_TOKEN}`)
    asked.push(request.url.slice('http://localhost:8787'.length))
    const body = bodies.shift()
    return new Response(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const printed: string[] = []
  const warned: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void warned.push(line))
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text))
    return true
  })
  return { printed, warned, asked }
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOW + 300_000, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const zero = { owed: '0', partners: '0', house: '0', faucet: '0', inFlight: '0', drift: '0' }
const even = { holdings: '0', unbooked: '0', ...zero }

describe('npm run operate -- reconcile', () => {
  it('shows what the vault holds and whose it is, and ends well', async () => {
    const USDG = { ...even, holdings: '7500000', owed: '5000000', house: '2000000' }
    const books = { ETH: even, USDG: { ...USDG, partners: '500000' } }
    const found = { at: NOW, block: 7, books, drifts: [], ended: [] }
    const { printed, asked } = answering({ ok: true, reconciliation: found })
    expect(await showReconciliation(client, HEADERS)).toBe(0)
    expect(asked).toEqual(['/api/operate/reconciliation'])
    expect(printed).toEqual([
      'Compared at 2026-11-22T12:00:00.000Z, after block 7.',
      "ETH: 0 = 0 owed to players + 0 to partners + 0 the house's + 0 from the faucet + 0 in flight + 0 drift",
      "USDG: 7.5 = 5 owed to players + 0.5 to partners + 2 the house's + 0 from the faucet + 0 in flight + 0 drift",
    ])
  })

  it('names each drift, and fails', async () => {
    const books = { ETH: even, USDG: { ...even, drift: '-5', unbooked: '2000000' } }
    const drift = { token: 'USDG', place: 'vault', amountWei: '-5', since: NOW, until: null }
    const past = { ...drift, place: '0xB0b', amountWei: '9000000', until: NOW + 1 }
    const found = { at: NOW, block: 7, books, drifts: [drift], ended: [past] }
    const { printed } = answering({ ok: true, reconciliation: found })
    expect(await showReconciliation(client, HEADERS)).toBe(1)
    expect(printed[2]).toMatch(/ \+ 0 in flight - 0\.000005 drift$/)
    expect(printed.slice(3)).toEqual([
      '  Sent to the vault past its books: 2',
      'Drift: -0.000005 USDG at vault, from 2026-11-22T12:00:00.000Z',
      'Ended: 9 USDG at 0xB0b, from 2026-11-22T12:00:00.000Z until 2026-11-22T12:00:00.001Z',
    ])
  })

  it('says that there is nothing before the first comparison, and fails', async () => {
    const { printed } = answering({ ok: true, reconciliation: null })
    expect(await showReconciliation(client, HEADERS)).toBe(1)
    expect(printed[0]).toContain('not been compared')
  })

  it('says that the newest comparison is too old, and fails', async () => {
    const books = { ETH: even, USDG: even }
    const found = { at: NOW - 1, block: 7, books, drifts: [], ended: [] }
    const { printed } = answering({ ok: true, reconciliation: found })
    expect(await showReconciliation(client, HEADERS)).toBe(1)
    expect(printed.at(-1)).toContain('out of date')
  })
})

describe('npm run operate -- books', () => {
  const row = {
    day: '2026-11-22',
    asset: 'USDG',
    kind: 'game',
    name: 'keno',
    wagered: '2500000',
    returned: '500000',
    ggr: '2000000',
    fees: '0',
    prizes: '0',
    gas: '0',
    losses: '0',
    restored: '0',
  }
  const day = (date: string) => ({
    day: `2026-11-${date}`,
    isClosed: true,
    problems: [] as string[],
  })

  it('shows a table in whole tokens', async () => {
    const prize = { ...row, asset: 'REWARD', kind: 'house', name: 'house', prizes: '3' }
    const { printed, asked } = answering({ ok: true, days: [day('22')], rows: [row, prize] })
    expect(await showBooks(client, { from: '2026-11-22', csv: false }, HEADERS)).toBe(0)
    expect(asked).toEqual(['/api/operate/books?from=2026-11-22&to=2026-11-22'])
    expect(printed.map((line) => line.split(/ +/))).toEqual([
      'day,asset,kind,name,wagered,returned,ggr,fees,prizes,gas,losses,restored'.split(','),
      [
        '2026-11-22',
        'USDG',
        'game',
        'keno',
        '2.5',
        '0.5',
        '2',
        ...Array.from({ length: 5 }, () => '0'),
      ],
      [
        '2026-11-22',
        'REWARD',
        'house',
        'house',
        '2500000',
        '500000',
        '2000000',
        '0',
        '3',
        '0',
        '0',
        '0',
      ],
    ])
  })

  it('passes the CSV of the service on as it is', async () => {
    const csv = 'day,asset\r\n2026-11-21,USDG\r\n'
    const { printed, warned, asked } = answering({ ok: true, days: [day('21')], rows: [row] }, csv)
    const range = { from: '2026-11-21', to: '2026-11-30' }
    expect(await showBooks(client, { ...range, csv: true }, HEADERS)).toBe(0)
    expect(asked).toEqual([
      '/api/operate/books?from=2026-11-21&to=2026-11-30',
      '/api/operate/books?from=2026-11-21&to=2026-11-30&format=csv',
    ])
    expect([printed, warned]).toEqual([[csv], []])
  })

  it.each([true, false])(
    'names days that are not complete or not right, with --csv %s',
    async (csv) => {
      const wrong = { ...day('19'), problems: ['0xB0b: chips of USDG'] }
      const days = [day('17'), { ...day('18'), isClosed: false }, wrong]
      const { warned } = answering({ ok: true, days, rows: [] }, 'day,asset\r\n')
      const range = { from: '2026-11-17', to: '2026-11-30' }
      expect(await showBooks(client, { ...range, csv }, HEADERS)).toBe(1)
      expect(warned).toEqual([
        'Not counted: 2026-11-20, 2026-11-21. Each day is counted after 00:15 (UTC) on the next day.',
        '2026-11-18 was counted before it had ended: this is its part up to then.',
        "The journal doesn't add up: 2026-11-19 0xB0b: chips of USDG",
      ])
    },
  )

  it.each([
    ['not counted', [], ['Not counted: 2026-11-20, 2026-11-21.']],
    [
      'counted before it had ended',
      [{ ...day('20'), isClosed: false }, day('21')],
      ['2026-11-20 was counted before'],
    ],
    ['wrong', [{ ...day('20'), problems: ['0xB0b: chips'] }, day('21')], ["doesn't add up"]],
  ])('fails for a day that is %s', async (_, days, told) => {
    const { warned } = answering({ ok: true, days: [day('19'), ...days], rows: [] })
    expect(
      await showBooks(client, { from: '2026-11-19', to: '2026-11-21', csv: false }, HEADERS),
    ).toBe(1)
    expect(warned).toEqual(told.map((text) => expect.stringContaining(text)))
  })

  it('does not miss the days before the service began', async () => {
    const found = { ok: true, days: [day('20'), day('21')], rows: [] }
    const range = { from: '2026-11-01', to: '2026-11-21', csv: false }
    const { warned, asked } = answering(found, { ok: true, days: [], rows: [] })
    expect(await showBooks(client, range, HEADERS)).toBe(0)
    expect(asked[1]).toBe('/api/operate/books?from=2025-10-31&to=2026-10-31')
    expect(warned).toEqual([])
    answering({ ...found, days: [day('02'), day('21')] }, { ok: true, days: [day('01')], rows: [] })
    expect(await showBooks(client, range, HEADERS)).toBe(1)
  })

  it('fails if none of the days has been counted, unless none has ended', async () => {
    const { warned } = answering({ ok: true, days: [], rows: [] })
    expect(await showBooks(client, { from: '2026-11-21', csv: false }, HEADERS)).toBe(1)
    expect(warned[0]).toContain('None of these days')
    answering({ ok: true, days: [], rows: [] })
    expect(await showBooks(client, { from: '2026-11-22', csv: false }, HEADERS)).toBe(0)
  })

  it('says that the current day is not complete', async () => {
    const { warned } = answering({ ok: true, days: [{ ...day('22'), isClosed: false }], rows: [] })
    expect(await showBooks(client, { from: '2026-11-22', csv: false }, HEADERS)).toBe(0)
    expect(warned).toEqual(['2026-11-22 has not ended: this is its part so far.'])
    await expect(showBooks(client, { csv: false }, HEADERS)).rejects.toThrow('--from is missing')
  })
})
