import { afterEach, describe, expect, it, vi } from 'vitest'
import { exportSource } from '../../../../src/cli/audit/source.ts'
import { DAY_MS, dateOf } from '../../../../src/core/utc-day.ts'

const NEWEST = Date.parse('2026-11-22')
const PAGE = 1_000
const ALL = Array.from({ length: 2 * PAGE + 1 }, (_, ago) => dateOf(NEWEST - ago * DAY_MS))

afterEach(() => void vi.unstubAllGlobals())

/** Serves a list of days, newest first. @param isPaged whether the service knows `before`: version 0.2.0 does not */
function serve(isPaged: boolean): URL[] {
  const asked: URL[] = []
  vi.stubGlobal('fetch', async (url: URL) => {
    asked.push(url)
    const before = isPaged ? url.searchParams.get('before') : null
    const page = ALL.filter((day) => before === null || day < before).slice(0, PAGE)
    return Response.json({ ok: true, days: page.map((day) => ({ day, sha256: '' })) })
  })
  return asked
}

const daysOf = async () =>
  (await exportSource('http://localhost:8787').days()).map(({ day }) => day)

describe('the exported days of a service', () => {
  it('are all that there are, from the first one on, however many', async () => {
    const asked = serve(true)
    expect(await daysOf()).toEqual(ALL.toReversed())
    expect(asked.map(({ search }) => search)).toEqual([
      '',
      `?before=${ALL[PAGE - 1]}`,
      `?before=${ALL[2 * PAGE - 1]}`,
      `?before=${ALL[2 * PAGE]}`,
    ])
  })

  it('are the newest ones of a service that has no pages', async () => {
    serve(false)
    expect(await daysOf()).toEqual(ALL.slice(0, PAGE).toReversed())
  })
})
