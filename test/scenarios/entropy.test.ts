import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GAME_NAMES } from '../../src/games/games.ts'
import { runCli, startService, type StartedService } from './started-service.ts'

/** An entry of the feed is there by then. */
const FEED_MS = 2_000

describe('the entropy games of a started service', () => {
  let service: StartedService
  let folder: string

  beforeAll(async () => {
    service = await startService()
    folder = await mkdtemp(join(tmpdir(), 'fairhouse-plays-'))
  })

  afterAll(async () => {
    await service?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function recent() {
    const response = await fetch(`${service.baseUrl}/api/entropy`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'recent' }),
    })
    return (await response.json<{ recent: Record<string, unknown>[] }>()).recent
  }

  it.each(GAME_NAMES)('play %s and verify the result', async (game) => {
    const { output, exitCode } = await runCli('play', '--url', service.baseUrl, '--game', game)
    expect(output).toMatch(/was fair: it paid [\d.]+x, and every check passed/)
    expect(exitCode).toBe(0)
  })

  it('show every play in the feed within two seconds', async () => {
    const until = Date.now() + FEED_MS
    let plays = await recent()
    while (plays.length < GAME_NAMES.length && Date.now() < until) plays = await recent()
    expect(new Set(plays.map(({ game }) => game))).toEqual(new Set(GAME_NAMES))
  })

  it("are verified by the service's URL", async () => {
    const { output, exitCode } = await runCli('verify', service.baseUrl)
    expect(output).toContain(
      `Verified: all results are correct. Rounds checked: 0. Plays checked: ${GAME_NAMES.length}.`,
    )
    expect(exitCode).toBe(0)
  })

  it('are checked against the seed hash seen before, and a tampered play is named', async () => {
    const [play] = await recent()
    const path = join(folder, 'play.json')
    await writeFile(path, JSON.stringify(play))
    const seen = ['--play', String(play?.['nonce']), '--seed-hash']
    const held = await runCli('verify', path, ...seen, String(play?.['seedHash']))
    expect(held.output).toContain('its seed hash is the one you saw')
    expect(held.exitCode).toBe(0)
    const other = await runCli('verify', path, ...seen, '00'.repeat(32))
    expect(other.exitCode).toBe(1)
    const sent = ['--play', String(play?.['nonce']), '--client-seed', 'another']
    const exchanged = await runCli('verify', path, ...sent)
    expect(exchanged.output).toContain('✗ its client seed is the one you sent')
    expect(exchanged.exitCode).toBe(1)
    await writeFile(path, JSON.stringify({ ...play, payout: '123456789' }))
    const tampered = await runCli('verify', path)
    expect(tampered.output).toContain(`see play ${String(play?.['nonce'])}`)
    expect(tampered.exitCode).toBe(1)
  })

  it("are not blamed for another wallet's play with the same number", async () => {
    const ours = (await recent()).find(({ nonce }) => nonce === 0)
    const another = ['--player', '1', '--game', 'limbo']
    await runCli('play', '--url', service.baseUrl, ...another)
    const until = Date.now() + FEED_MS
    let plays = await recent()
    while (plays.length <= GAME_NAMES.length && Date.now() < until) plays = await recent()
    const seen = ['--play', '0', '--seed-hash', String(ours?.['seedHash'])]
    const ambiguous = await runCli('verify', service.baseUrl, ...seen)
    expect(ambiguous.output).toContain('add --wallet')
    expect(ambiguous.exitCode).toBe(1)
    const wallet = ['--wallet', String(ours?.['wallet'])]
    const held = await runCli('verify', service.baseUrl, ...seen, ...wallet)
    expect(held.output).toContain(
      'Verified: the result is correct. Rounds checked: 0. Plays checked: 1.',
    )
    expect(held.exitCode).toBe(0)
  })

  it('can be verified with unknown and empty params that the API accepts', async () => {
    const params = ['--game', 'keno', '--params', '{"picks": [1, 2], "risk": null, "unknown": 1}']
    const { output, exitCode } = await runCli('play', '--url', service.baseUrl, ...params)
    expect(output).toContain('was fair')
    expect(exitCode).toBe(0)
  })
})
