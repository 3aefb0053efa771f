import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NEXT_HEADER } from '../../../../src/activity/activity.ts'
import { fail } from '../../../../src/play/api.ts'
import { inBrowser } from '../in-browser.ts'

const PLAYER = { wallet: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', authSig: '0x' }
/** When the first entry was recorded; each later one comes a second later. */
const FIRST_AT = Date.UTC(2026, 0, 1, 12)
const PAGE = 100

let calls: number
/** The calls that are refused as too many. */
let refused: number[]

beforeEach(() => {
  inBrowser()
  vi.useFakeTimers()
  calls = 0
  refused = []
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function refusal(): Response {
  const headers = { 'retry-after': '10' }
  return Response.json(fail('rate_limited', 'Later.'), { status: 429, headers })
}

/** Downloads the activity of a player with this many entries. Returns how many are in the file as well. */
async function download(count: number) {
  vi.stubGlobal('fetch', async (path: string) => {
    if (refused.includes(++calls)) return refusal()
    const before = Number(new URLSearchParams(path.split('?')[1]).get('before') ?? count + 1)
    const seqs = Array.from({ length: PAGE }, (_, at) => before - 1 - at)
    const lines = seqs.map((seq) => `${seq},${FIRST_AT + seq * 1_000},limbo\r\n`)
    const next = before - PAGE
    const headers: Record<string, string> = next > 1 ? { [NEXT_HEADER]: String(next) } : {}
    return new Response(`seq,at,kind\r\n${lines.join('')}`, { headers })
  })
  const { session } = await import('../../../../src/play/session.ts')
  const { activityCsv } = await import('../../../../src/play/activity/activity.ts')
  session.patch({ credentials: PLAYER })
  const startedAt = Date.now()
  const reading = activityCsv()
  await vi.runAllTimersAsync()
  const { csv, problem } = await reading
  return { csv, problem, lines: (csv ?? '').split('\r\n').length - 2, ms: Date.now() - startedAt }
}

describe('the file of a player’s activity', () => {
  it('goes on where the service asked to wait', async () => {
    refused = [2, 3]
    const { lines, problem, ms } = await download(3 * PAGE)
    expect({ lines, problem }).toEqual({ lines: 3 * PAGE, problem: null })
    expect(ms).toBeGreaterThanOrEqual(20_000)
  })

  it('takes half of the calls that production allows in ten seconds', async () => {
    const { ms } = await download(200 * PAGE)
    expect(ms).toBeGreaterThanOrEqual(19_000)
  })

  it('says from when on it has everything, if that is not all', async () => {
    const { timeOf } = await import('../../../../src/play/times.ts')
    const { lines, problem } = await download(1_200 * PAGE)
    expect(lines).toBe(1_000 * PAGE)
    const begin = timeOf(FIRST_AT + (200 * PAGE + 1) * 1_000)
    expect(problem?.message).toBe(`The file goes back to ${begin}. Older activity doesn’t fit.`)
  })
})
