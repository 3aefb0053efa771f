import { afterEach, expect, it, vi } from 'vitest'
import { fetchWhole } from '../../../../src/cli/monitor/rounds.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import { House, playedRound, SITE } from './house.ts'
import { foundBy, monitorOf } from './watching.ts'

afterEach(() => void vi.useRealTimers())

const REFUSED = { ok: false, error: { code: 'internal', message: 'no' } }

it.each<[string, () => Response]>([
  ['404', () => Response.json(REFUSED, { status: 404 })],
  ['500', () => Response.json(REFUSED, { status: 500 })],
  ['the page of a proxy', () => new Response('<html>', { status: 502 })],
  ['a page in place of JSON', () => new Response('<html>')],
  ['another object', () => Response.json({ ok: true })],
  ['nothing', () => Response.error()],
])('a round that is answered with %s is not disclosed', async (_what, answer) => {
  vi.stubGlobal('fetch', async () => answer())
  expect(await fetchWhole(new Client(SITE), '7')).toBeNull()
})

it('a house whose answers about a round are no JSON is caught after ten minutes', async () => {
  const house = new House()
  const { terms, plan, bets, end } = playedRound()
  house.append(terms, plan, bets, end)
  vi.stubGlobal('fetch', async (input: URL | string) => {
    const isOfRound = String(input).includes('action=round')
    return isOfRound ? new Response('<html>') : house.fetch(input)
  })
  const watching = monitorOf(house)
  vi.setSystemTime(end.at + 1_000)
  expect(await foundBy(watching)).toEqual([])
  vi.setSystemTime(end.at + 601_000)
  // The reader's own network may have failed twice.
  expect(await foundBy(watching)).toEqual([])
  expect(await foundBy(watching)).toBe('each ended round is disclosed')
})

it('a round that never answers keeps no other one waiting', async () => {
  const house = new House()
  const { terms, plan, bets, end, whole } = playedRound()
  house.append(terms, plan, bets, end)
  const next = { id: '8', roundId: 8 }
  house.append({ ...plan, ...next }, { ...bets, ...next }, { ...end, ...next })
  house.rounds.set('8', whole)
  const asked: string[] = []
  vi.stubGlobal('fetch', async (input: URL | string) => {
    const url = new URL(input)
    if (url.searchParams.get('action') !== 'round') return house.fetch(input)
    asked.push(url.searchParams.get('roundId') ?? '')
    if (asked.at(-1) === '7') vi.setSystemTime(Date.now() + 31_000)
    return Response.error()
  })
  vi.setSystemTime(end.at + 1_000)
  const watching = monitorOf(house)
  await foundBy(watching)
  await foundBy(watching)
  expect(asked).toEqual(['7', '8', '7'])
})
