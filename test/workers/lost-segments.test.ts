import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LOST_AFTER_MS } from '../../durable-objects/ledger/lost-plays.ts'
import { exporter, ledger } from '../../src/calls/objects.ts'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { grow, keys, play, useShortSegments } from './archive.ts'
import { passDay, ring, rowsOf, settle } from './exported-days.ts'
import { fundedPlayer, useStories, type Player } from './support.ts'

useStories()
useShortSegments()

const PLAYS = 34
const DAYS_TO_WAIT = LOST_AFTER_MS / DAY_MS

let alice: Player
let lines: string[]

beforeEach(async () => {
  lines = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  await exporter(env).sweep()
  alice = await fundedPlayer(0)
  await play(alice, PLAYS)
  await grow(alice)
  await settle([alice])
})

/** Exports some days, and returns the numbers of the plays that they have. */
async function exported(days: number): Promise<number[]> {
  const nonces: number[] = []
  for (let passed = 0; passed < days; passed++) {
    const day = passDay()
    await ring()
    nonces.push(...(await rowsOf('plays', day)).map(({ nonce }) => nonce))
  }
  return nonces
}

/** Removes a segment's file from the archive, or stores another in its place. */
async function lose(segment: number, how: 'missing' | 'altered') {
  const key = (await keys())[segment - 1] ?? ''
  const file = await (await env.ARCHIVE.get(key))!.arrayBuffer()
  if (how === 'missing') await env.ARCHIVE.delete(key)
  else await env.ARCHIVE.put(key, 'another')
  return { putBack: () => env.ARCHIVE.put(key, file) }
}

/** The numbers from one up to another, which is not among them. */
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

describe('a segment that the archive has lost', () => {
  it.each(['missing', 'altered'] as const)(
    'costs the export its own plays only, after a week: its file is %s',
    async (how) => {
      const file = await lose(2, how)
      // The first entry is the player's deposit.
      expect(await exported(DAYS_TO_WAIT)).toEqual(numbers(0, 9))
      await play(alice, 3)
      await settle([alice])
      expect(await exported(1)).toEqual(numbers(19, PLAYS + 3))
      const skipped = lines.filter((line) => line.includes('export_segment_skipped'))
      expect(skipped.map((line) => JSON.parse(line))).toMatchObject([
        { wallet: alice.wallet, segment: 2 },
      ])
      await play(alice, 1)
      await settle([alice])
      expect(await exported(1)).toEqual([PLAYS + 3])
      await file.putBack()
    },
  )

  it.each(['missing', 'altered'] as const)(
    'does not keep its wallet from D1, if D1 was restored to an entry within it: its file is %s',
    async (how) => {
      const { version, headHash } = (await ledger(env, alice.wallet).position())!
      await env.DB.prepare("UPDATE ledger_positions SET version = 15, head_hash = 'older'").run()
      const file = await lose(2, how)
      await ledger(env, alice.wallet).sendPosition()
      const { results } = await env.DB.prepare(
        'SELECT DISTINCT version, head_hash AS headHash FROM ledger_positions',
      ).all()
      expect(results).toEqual([{ version, headHash }])
      await file.putBack()
    },
  )

  it('delays the wallet in the export if its file is put back within a week', async () => {
    const file = await lose(1, 'missing')
    expect(await exported(DAYS_TO_WAIT - 1)).toEqual([])
    await file.putBack()
    expect(await exported(1)).toEqual(numbers(0, PLAYS))
  })
})

it('an archive that does not answer costs the export no plays, however long it takes', async () => {
  const down = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('R2 is down'))
  expect(await exported(DAYS_TO_WAIT + 2)).toEqual([])
  down.mockRestore()
  expect(await exported(1)).toEqual(numbers(0, PLAYS))
})
