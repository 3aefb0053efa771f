import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { Segments } from '../../durable-objects/ledger/segments.ts'
import { ledger } from '../../src/calls/objects.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { archived, grow, keys, useShortSegments } from './archive.ts'
import { archivedLines, entriesOf } from './journals.ts'
import { pass, Player, useStories } from './support.ts'

useStories()
useShortSegments(600)

it('moves and verifies a long segment, 500 entries at a time', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const alice = await new Player(0).fund()
  const stub = ledger(env, alice.wallet)
  for (let change = 0; change < 630; change++) {
    // No more than 200 changes are taken in a day.
    if (change % 200 === 0) pass(DAY_MS)
    await stub.changeLimits({ action: 'reality-check', minutes: 1 + (change % 2) })
  }
  const entries = await entriesOf(stub)
  const looks = vi.spyOn(Segments.prototype, 'entries')
  await grow(alice)
  const read = looks.mock.calls.filter(([segment]) => segment === 1)
  expect(read.slice(0, 2)).toEqual([1, 501].map((seq) => [1, seq, 500]))
  looks.mockRestore()
  expect(await archived(alice)).toBe(1)
  expect(await entriesOf(stub)).toEqual(entries)
  expect(await stub.verifySegment(1)).toEqual({ ok: true })
  const [key = ''] = await keys()
  expect(await archivedLines(key)).toHaveLength(600)
})
