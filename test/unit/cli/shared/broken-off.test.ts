import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LogReader, LogUnavailable } from '../../../../src/cli/monitor/log-reader.ts'
import { Client, fetchJson, Unreachable } from '../../../../src/cli/shared/client.ts'
import { CommandError } from '../../../../src/cli/shared/terminal.ts'
import { verifyReceipts } from '../../../../src/cli/verify/receipts.ts'
import { refuse } from '../../../../src/core/refusal.ts'
import { KEYS, PLAY, playReceipt, sign, WALLET } from '../../support/receipts.ts'
import { House } from '../monitor/house.ts'
import { monitorOf } from '../monitor/watching.ts'

const SITE = 'http://localhost:8787'
const RECEIPT = playReceipt(WALLET, PLAY)
const PLAYED_AT = RECEIPT.iat * 1_000

/** An answer whose body fails after its first part. */
function failing(fault: Error): Response {
  const parts = ['{"ok": true, ']
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift()
      if (part === undefined) controller.error(fault)
      else controller.enqueue(new TextEncoder().encode(part))
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

const slowDown = () =>
  new Response('<html>Slow down.</html>', { status: 429, headers: { 'retry-after': '0' } })

const caught = (call: Promise<unknown>) => call.catch((fault: unknown) => fault)

let output: string[]
beforeEach(() => {
  output = []
  vi.useFakeTimers({ now: PLAYED_AT + 1_000, toFake: ['Date'] })
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Verifies a receipt of a play whose disclosure is answered so. Returns what is printed and thrown. */
async function verified(disclosure: () => Response): Promise<string> {
  vi.stubGlobal('fetch', async ({ pathname, searchParams }: URL) => {
    if (pathname === '/.well-known/jwks.json') return Response.json({ keys: KEYS })
    if (pathname.startsWith('/log/'))
      return Response.json(refuse('not_configured', 'No log.'), { status: 503 })
    return searchParams.has('action') ? disclosure() : Response.json({ ok: true, fairness: null })
  })
  const pinned = { file: null, logKey: null }
  const ended = await caught(verifyReceipts([await sign(RECEIPT)], pinned))
  return [...output, String(ended)].join('\n')
}

describe.each([
  ['breaks off', new TypeError('terminated')],
  ['takes too long', new DOMException('The operation timed out.', 'TimeoutError')],
])('an answer that %s', (_how, fault) => {
  it('is a service that is not reached', async () => {
    vi.stubGlobal('fetch', async () => failing(fault))
    const whole = `${SITE} did not send its whole answer. Try again later.`
    for (const call of [
      new Client(SITE).get('/api/crash'),
      new Client(SITE).getText('/metrics'),
      new Client(SITE).post('/api/crash', {}),
      fetchJson(new URL(SITE)),
    ]) {
      const thrown = await caught(call)
      expect(thrown).toBeInstanceOf(Unreachable)
      expect(thrown).toMatchObject({ message: whole })
    }
  })

  it('is a log that is unavailable', async () => {
    vi.stubGlobal('fetch', async () => failing(fault))
    const reader = new LogReader(new URL(SITE))
    expect(await caught(reader.text('checkpoint'))).toBeInstanceOf(LogUnavailable)
    expect(await caught(reader.leaves(0, 1))).toBeInstanceOf(LogUnavailable)
  })

  it('is no proof against the house that signed a receipt', async () => {
    const text = await verified(() => failing(fault))
    expect(text).not.toContain('Proof of a breach')
    expect(text).toContain('which proves nothing yet')
  })

  it.each([
    ['a tile', '/tile/'],
    ['the log and the table', '/'],
  ])('of %s does not end the monitor', async (_what, path) => {
    const house = new House()
    vi.stubGlobal('fetch', house.fetch)
    const monitor = monitorOf(house, { state: null, witnesses: [] })
    await monitor.look()
    house.append({ kind: 'export', id: 'day 1', at: 1 })
    vi.stubGlobal('fetch', async (url: URL) =>
      url.pathname.includes(path) ? failing(fault) : house.fetch(url),
    )
    // `npm run monitor` looks again after a CommandError, and ends with any other fault.
    expect(await caught(monitor.look())).toBeInstanceOf(CommandError)
  })
})

it.each<[number, () => Response]>([
  [429, slowDown],
  // A firewall in front of the service answers so.
  [403, () => new Response('<html>Forbidden.</html>', { status: 403 })],
])('a page of status %i instead of a disclosure is no proof against the house', async (_, page) => {
  vi.setSystemTime(PLAYED_AT + 120_000)
  const text = await verified(page)
  expect(text).not.toContain('Proof of a breach')
  expect(text).toContain('which proves nothing yet')
})
