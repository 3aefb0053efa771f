import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import { archived, grow, keys, play, useShortSegments } from '../workers/archive.ts'
import { setLimit } from '../workers/limits.ts'
import { now, pass, Player } from '../workers/support.ts'
import { deposit, depositor, fundHouse, useChain, withdraw, workToEnd } from './support.ts'

useChain()
useShortSegments()

/** What a player has in USDG: their chips, and what is in quarantine. */
async function held(player: Player): Promise<bigint[]> {
  pass(2_000)
  const { chips, quarantine } = (await player.state()).body.me
  return [BigInt(chips.USDG), BigInt(quarantine.USDG)]
}

/** Removes all files from the archive. Returns a function that puts them back. */
async function loseAll(): Promise<() => Promise<void>> {
  const files = new Map<string, ArrayBuffer>()
  for (const key of await keys()) files.set(key, await (await env.ARCHIVE.get(key))!.arrayBuffer())
  await env.ARCHIVE.delete([...files.keys()])
  return async () => {
    for (const [key, file] of files) await env.ARCHIVE.put(key, file)
  }
}

it('a deposit whose limit reaches back to a lost segment is set aside, and can be withdrawn', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  await fundHouse('USDG', 1_000_000_000_000n)
  const alice = await depositor(0)
  await sweep(env)
  pass(16_000)
  const begunAt = now()
  for (let plays = 0; plays < 3; plays++) {
    await play(alice, 15)
    pass(300_000)
  }
  await grow(alice)
  expect(await archived(alice)).toBeGreaterThan(2)
  await setLimit(alice, 'deposit', '5000000000')
  // The limit's window begins among the plays.
  pass(begunAt + DAY_MS + 100_000 - now())
  const [chips = 0n] = await held(alice)
  await deposit(alice, 'USDG', 5_000_000n)
  const archive = vi.spyOn(env.ARCHIVE, 'get').mockRejectedValue(new Error('it is down'))
  expect(await held(alice), 'while the archive does not answer').toEqual([chips, 0n])
  archive.mockRestore()
  const putBack = await loseAll()
  expect(await held(alice), 'once the segment is lost').toEqual([chips, 5_000_000n])
  expect(lines.some((line) => line.includes('journal_archive_unavailable'))).toBe(true)
  const all = { amountWei: chips + 5_000_000n }
  await withdraw(alice, all)
  expect(await workToEnd(alice, all)).toBe('confirmed')
  await putBack()
})
