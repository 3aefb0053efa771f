import { expect, it, vi } from 'vitest'
import { fetchWhole } from '../../../../src/cli/monitor/rounds.ts'
import { Client } from '../../../../src/cli/shared/client.ts'
import { House, playedRound, SITE } from './house.ts'
import { foundBy, monitorOf } from './watching.ts'

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
  expect(await foundBy(watching)).toBe('each ended round is disclosed')
  vi.useRealTimers()
})
