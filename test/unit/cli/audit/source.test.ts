import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { exportSource, LineFile, readManifest } from '../../../../src/cli/audit/source.ts'
import { CommandError } from '../../../../src/cli/shared/terminal.ts'
import { DAY_MS, dateOf } from '../../../../src/core/utc-day.ts'

const NEWEST = Date.parse('2026-11-22')
const PAGE = 1_000
const ALL = Array.from({ length: 2 * PAGE + 1 }, (_, ago) => dateOf(NEWEST - ago * DAY_MS))

afterEach(() => void vi.unstubAllGlobals())

/** Serves a list of days, newest first. @param isPaged whether the service takes `before` into account */
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

  it('are the newest ones of a service that repeats its first page', async () => {
    serve(false)
    expect(await daysOf()).toEqual(ALL.slice(0, PAGE).toReversed())
  })
})

describe('a file of the export of a service', () => {
  const SITE = 'http://localhost:8787'
  const PLAYS = 'plays/2026-11-22.jsonl.gz'
  const packed = gzipSync('one\ntwo\n')

  /** Gives these answers, one after another. */
  function answer(...answers: (() => Response)[]): void {
    vi.stubGlobal('fetch', async () => answers.shift()?.())
  }
  /** Sends bytes, and then fails. */
  const breakingOff = (bytes: Uint8Array) => () => {
    const parts = [bytes]
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const part = parts.shift()
      if (part) controller.enqueue(part)
      else controller.error(new TypeError('terminated'))
    }
    return new Response(new ReadableStream({ pull }))
  }
  async function lines(): Promise<string[]> {
    const all: string[] = []
    for await (const line of new LineFile(exportSource(SITE), PLAYS).lines()) all.push(line)
    return all
  }
  const manifest = () => readManifest(exportSource(SITE), '2026-11-22')
  const messageOf = (fault: unknown) => (fault instanceof CommandError ? fault.message : fault)

  it('is asked for again where the service limits downloads', async () => {
    const limit = () => new Response(null, { status: 429, headers: { 'retry-after': '0' } })
    answer(limit, limit, () => new Response(packed))
    expect(await lines()).toEqual(['one', 'two'])
    answer(limit, () => new Response('{}'))
    expect(await manifest()).toMatchObject({ text: '{}' })
  })

  it('is reported as incomplete, not as damaged, if the download breaks off', async () => {
    const notWhole = `${SITE} did not send its whole answer. Try again later.`
    answer(breakingOff(packed.subarray(0, 8)))
    expect(await lines().catch(messageOf)).toBe(notWhole)
    answer(breakingOff(new TextEncoder().encode('{')))
    expect(await manifest().catch(messageOf)).toBe(notWhole)
  })

  it('is reported as missing only if the service says so, not if it is down', async () => {
    answer(() => new Response(null, { status: 404 }))
    expect(await lines().catch(messageOf)).toBe(`${SITE} has no /exports/v1/${PLAYS}.`)
    answer(() => new Response(null, { status: 503 }))
    const isDown = `${SITE}/exports/v1/${PLAYS} answers with status 503. Try again later.`
    expect(await lines().catch(messageOf)).toBe(isDown)
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    const isAway = `${SITE} does not answer. Is the service running (npm run dev)?`
    expect(await lines().catch(messageOf)).toBe(isAway)
  })
})
