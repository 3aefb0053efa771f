import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, expect } from 'vitest'
import { audit, pass, ringLedger, type Player } from './support.ts'

/**
 * Makes segments shorter for a file or a group of tests. Not by a mock, because the books are still checked after mocks
 * are restored.
 */
export function useShortSegments(entries = 10): void {
  let restore = () => {}
  beforeAll(async () => {
    const capacity = await import('../../src/ledger/capacity.ts')
    const own = Reflect.getOwnPropertyDescriptor(capacity, 'SEGMENT_ENTRIES')
    expect(own).toBeDefined()
    Reflect.defineProperty(capacity, 'SEGMENT_ENTRIES', { get: () => entries })
    restore = () => void (own && Reflect.defineProperty(capacity, 'SEGMENT_ENTRIES', own))
  })
  // Other files share the runtime.
  afterAll(() => restore())
}

/** Plays some games. */
export async function play(player: Player, count: number): Promise<void> {
  for (let played = 0; played < count; played++) {
    expect((await player.play()).status).toBe(200)
  }
}

/** Passes enough time for old entries to be archived, and has the wallet archive them all. */
export async function grow(player: Player): Promise<void> {
  pass(660_000)
  await ringLedger(player)
  for (let before = -1; before !== (await archived(player));) {
    before = await archived(player)
    pass(60_000)
    await ringLedger(player)
  }
}

/** Returns the number of segments in the archive, as the wallet's books have it. */
export async function archived(player: Player): Promise<number> {
  const books = await audit(player)
  expect(books).toMatchObject({ ok: true })
  return books.ok ? books.archived : 0
}

/** Returns the names of the files in the archive. */
export async function keys(): Promise<string[]> {
  return (await env.ARCHIVE.list()).objects.map(({ key }) => key)
}
