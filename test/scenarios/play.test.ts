import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newDevLogKey } from '../../src/cli/shared/dev-log-key.ts'
import { devPlayer } from '../../src/cli/shared/dev-players.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { newReceiptKeys } from '../../src/cli/shared/receipt-keys.ts'
import type { Disclosure } from '../../src/crash/disclosure.ts'
import { parseSignerKey, writeVerifierKey, type SignerKey } from '../../src/transparency/note.ts'
import { HALF_CRASH_AT_ONCE, runCli, startService, type StartedService } from './started-service.ts'

/** A round that flies to the highest multiplier takes almost four minutes; half of them take ten seconds. */
const LONGEST_ROUND_MS = 300_000

describe('a player of a started service', () => {
  let service: StartedService
  let played: Awaited<ReturnType<typeof runCli>>
  let disclosure: Disclosure
  let folder: string

  beforeAll(async () => {
    service = await startService((origin) => ({
      ...HALF_CRASH_AT_ONCE,
      SITE_ORIGIN: origin,
      SITE_DOMAIN: new URL(origin).host,
      LOG_KEY: newDevLogKey(origin),
      RECEIPT_KEYS: newReceiptKeys(),
    }))
    folder = await mkdtemp(join(tmpdir(), 'fairhouse-disclosures-'))
    played = await runCli('play', '--url', service.baseUrl, '--amount', '2.5', '--target', '1.1')
    const answer = await fetch(`${service.baseUrl}/api/crash/verify-seeds`)
    disclosure = await answer.json<Disclosure>()
  }, LONGEST_ROUND_MS)

  afterAll(async () => {
    await service?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function save(name: string, content: unknown): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, JSON.stringify(content))
    return path
  }

  it('finds a site that passes the smoke test', async () => {
    const { output, exitCode } = await runCli('smoke', service.baseUrl)
    expect(output).toContain('✓ the public log is signed and has the terms')
    expect(output).toContain(`${service.baseUrl} works.`)
    expect(exitCode).toBe(0)
  })

  it('plays a round to its end and verifies it', () => {
    expect(played.output).toContain('you bet 2.5 USDG')
    expect(played.output).toMatch(/was fair: you (won|lost), and every check passed/)
    expect(played.output).not.toContain('✗')
    expect(played.exitCode).toBe(0)
  })

  it('sees the commitment before the bet, and the disclosure matches it', () => {
    expect(disclosure.rounds).toHaveLength(1)
    const shown = /seed hash +([0-9a-f]{64})/.exec(played.output)?.[1]
    expect(disclosure.rounds[0]?.seedHash).toBe(shown)
  })

  it('keeps receipts that verify, against the round and all of its bets', async () => {
    expect(played.output).toContain('the receipt of your bet is signed')
    const saved = /Your receipts: (\S+\.txt)/.exec(played.output)?.[1] ?? ''
    const { output, exitCode } = await runCli('verify', saved)
    expect(output).toContain('Verified: the house kept its word. Receipts checked: ')
    expect(output).toContain('its bet is the one fixed at the close')
    expect(exitCode).toBe(0)
  })

  it('verifies a round by its number, with its bets', async () => {
    const roundId = String(disclosure.rounds[0]?.roundId)
    const { output, exitCode } = await runCli('verify', service.baseUrl, '--round', roundId)
    expect(output).toContain('✓ its bets are disclosed with the same seed')
    expect(output).toContain('✓ its bet is the one fixed at the close')
    expect(exitCode).toBe(0)
  })

  it('verifies the rounds of a service by URL', async () => {
    const { output, exitCode } = await runCli('verify', service.baseUrl)
    expect(output).toContain('correct, by what this site alone told you. Rounds checked: 1.')
    expect(exitCode).toBe(0)
  })

  it('monitors the public log of a service', async () => {
    const state = join(folder, 'log.json')
    const first = await runCli('monitor', service.baseUrl, '--once', '--state', state)
    expect(first.output).toMatch(
      /First contact[^]+localhost:\d+\/log\+[^]+[1-9]\d* rounds? verified/,
    )
    expect(first.exitCode).toBe(0)
    const again = await runCli('monitor', service.baseUrl, '--once', '--state', state)
    expect(again.output).toMatch(/✓ \d+ entries/)
    expect(again.output).not.toContain('First contact')
    const other = parseSignerKey(newDevLogKey(service.baseUrl)) as SignerKey
    const key = writeVerifierKey(other.verifier)
    const elsewhere = join(folder, 'other.json')
    const options = ['--once', '--state', elsewhere, '--key', key]
    const caught = await runCli('monitor', service.baseUrl, ...options)
    expect(caught.output).toContain('Breach found')
    expect(caught.exitCode).toBe(1)
    const proof = (await readdir(folder)).find((name) => name.startsWith('proof-localhost'))
    expect(await readFile(join(folder, String(proof)), 'utf8')).toContain('"checkpoint"')
  })

  it('verifies a bet by round and wallet', async () => {
    const { roundId, seedHash } = disclosure.rounds[0] ?? {}
    const bet = ['--bet', String(roundId), '--wallet', devPlayer(0).address]
    const seen = ['--seed-hash', String(seedHash)]
    const { output, exitCode } = await runCli('verify', service.baseUrl, ...bet, ...seen)
    expect(output).toContain(
      'Verified: the result is correct. Rounds checked: 0. Plays checked: 0. Bets checked: 1.',
    )
    expect(output).toContain('its seed hash is the one you saw before bets closed')
    expect(exitCode).toBe(0)
  })

  it('plays mines tile by tile, and checks each step', async () => {
    const options = ['--game', 'mines', '--by-tile', '--params', '{"mines": 1, "pick": [3, 4]}']
    const { output, exitCode } = await runCli('play', '--url', service.baseUrl, ...options)
    expect(output).toMatch(/tile 3: (a mine|safe, pays 1\.0312x)/)
    expect(output).toContain('the receipt of your game of mines is signed')
    expect(output).toMatch(/Play 0 was fair: it paid (0|1\.076)x/)
    expect(exitCode).toBe(0)
  })

  it('verifies a saved disclosure against the seed hash seen before', async () => {
    const [round] = disclosure.rounds
    const path = await save('disclosure.json', disclosure)
    const options = ['--round', String(round?.roundId), '--seed-hash', String(round?.seedHash)]
    const { output, exitCode } = await runCli('verify', path, ...options)
    expect(output).toContain('Verified: ')
    expect(exitCode).toBe(0)
  })

  it.each<[string, (round: Disclosure['rounds'][number]) => object]>([
    ['crash point', ({ crash }) => ({ crash: crash + 0.01 })],
    ['seed', ({ seed }) => ({ seed: seed.replace(/^./, seed.startsWith('0') ? '1' : '0') })],
    ['pepper', ({ seed }) => ({ pepper: seed })],
  ])('learns which round of a disclosure has a tampered %s', async (what, tamper) => {
    const tampered = disclosure.rounds.map((round) => ({ ...round, ...tamper(round) }))
    const path = await save(`${what}.json`, { ...disclosure, rounds: tampered })
    const { output, exitCode } = await runCli('verify', path)
    expect(output).toContain('✗')
    expect(output).toContain(`see round ${disclosure.rounds[0]?.roundId}`)
    expect(exitCode).toBe(1)
  })

  it('gets an error when a file is not a disclosure', async () => {
    const { output, exitCode } = await runCli('verify', await save('other.json', { ok: true }))
    expect(output).toContain('is not a disclosure')
    expect(exitCode).toBe(1)
  })

  it('gets an error when no service answers', async () => {
    const { output, exitCode } = await runCli(
      'play',
      '--url',
      `http://localhost:${await freePort()}`,
    )
    expect(output).toContain('does not answer. Is the service running')
    expect(exitCode).toBe(1)
  })
})
