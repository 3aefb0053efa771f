import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import {
  audit,
  get,
  isBlankObject,
  Player,
  restart,
  useStories,
  type Answer,
  outcomeOf,
} from './support.ts'

useStories()

const [alice, bob] = [new Player(0), new Player(1)]

const PAGE_BYTES = 4_096

/** SQLite counts the header of an empty database as one page. */
const NOTHING = { pages: 1, tables: [], alarm: null }

const unsigned = ({ wallet }: Player) => get(`/api/entropy?wallet=${wallet}`)
const signed = async (player: Player) =>
  get(`/api/entropy?wallet=${player.wallet}&authSig=${await player.authSig()}`)
const fairnessOf = ({ body }: Answer) => body.fairness

/** The storage used by a wallet's object. */
function storedBy({ wallet }: Player) {
  return runInDurableObject(ledger(env, wallet), async (_, { storage }) => ({
    pages: storage.sql.databaseSize / PAGE_BYTES,
    tables: storage.sql
      .exec<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
      .toArray()
      .map(({ name }) => name),
    alarm: await storage.getAlarm(),
  }))
}

describe('an unsigned read of the next play', () => {
  it('creates nothing for a wallet that has never played', async () => {
    const stranger = new Player(0)
    const { status, body } = await unsigned(stranger)
    expect([status, body.fairness]).toEqual([200, null])
    await restart()
    expect(fairnessOf(await unsigned(stranger))).toBeNull()
    expect(await isBlankObject(ledger(env, stranger.wallet))).toBe(true)
    expect(await storedBy(stranger)).toEqual(NOTHING)
  })

  it('creates nothing for a wallet that has chips and has never played', async () => {
    await alice.fund()
    const before = await audit(alice)
    expect(fairnessOf(await unsigned(alice))).toBeNull()
    expect(await audit(alice)).toEqual(before)
  })

  it('shows the commitment once the wallet has requested it', async () => {
    const committed = fairnessOf(await signed(alice))
    expect(fairnessOf(await unsigned(alice))).toEqual(committed)
    await restart()
    expect(fairnessOf(await unsigned(alice))).toEqual(committed)
  })

  it('shows the commitment of the play after the first', async () => {
    await alice.fund()
    const { body } = await alice.play()
    expect(fairnessOf(await unsigned(alice))).toEqual({ nonce: 1, seedHash: body.nextSeedHash })
  })
})

describe('a signed read of the next play', () => {
  it('creates a few pages: the first seed and nothing else', async () => {
    expect(fairnessOf(await signed(alice))).toEqual({
      nonce: 0,
      seedHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const stored = { pages: 2, tables: ['plays'], alarm: null }
    expect(await storedBy(alice)).toEqual(stored)
  })

  it('uses no more storage after a restart', async () => {
    await signed(alice)
    const before = await storedBy(alice)
    await restart()
    await signed(alice)
    expect(await storedBy(alice)).toEqual(before)
  })

  it('returns the commitment of the first play, created once the wallet has chips', async () => {
    const { seedHash } = fairnessOf(await signed(alice))
    await restart()
    await alice.fund()
    const { body } = await alice.play({ nonce: 0 })
    expect(body.seedHash).toBe(seedHash)
  })

  it('is refused with a signature by another wallet', async () => {
    expect(
      outcomeOf(await get(`/api/entropy?wallet=${alice.wallet}&authSig=${await bob.authSig()}`)),
    ).toEqual([401, 'auth_invalid'])
    expect(await isBlankObject(ledger(env, alice.wallet))).toBe(true)
  })
})

it('a refused play by a wallet without chips creates nothing', async () => {
  const stranger = new Player(0)
  expect((await stranger.play({ nonce: 0 })).body.error.code).toBe('insufficient_chips')
  expect((await stranger.play({ nonce: 3 })).body.error.code).toBe('nonce_mismatch')
  expect(await storedBy(stranger)).toEqual(NOTHING)
})
