import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { Outbox } from '../../durable-objects/kernel/outbox.ts'
import { ledger } from '../../src/calls/objects.ts'
import { changeObjectConfig } from './configuration.ts'
import { endRound, fundedPlayer, openRound, Player, post, useStories } from './support.ts'

useStories()

/** Has a player's ledger log its movements until the test ends. Returns the lines. */
async function logOf({ wallet }: Player): Promise<() => Record<string, unknown>[]> {
  await changeObjectConfig(ledger(env, wallet), () => ({ logsMovements: true }))
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  return () => logged.mock.calls.map(([line]) => JSON.parse(String(line)))
}

describe('a line for each movement', () => {
  it('has the entry’s number, operation, postings and hash, and nothing of its request or seed', async () => {
    const player = await fundedPlayer(1)
    const lines = await logOf(player)
    const { nonce } = await player.nextPlay()
    const clientSeed = 'c0ffee'.repeat(8)
    const played = await player.play({ nonce, clientSeed })
    expect(played.status).toBe(200)
    const [line, ...others] = lines()
    expect(others).toEqual([])
    expect(line).toEqual({
      level: 'info',
      event: 'movement',
      object: `Ledger ${player.wallet}`,
      seq: 2,
      operation: `entropy:${nonce}`,
      at: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      postings: expect.stringMatching(
        /^(chips>house 1000000 USDG(, house>chips \d+ USDG)?|house>chips \d+ USDG)$/,
      ),
    })
    expect(JSON.stringify(lines())).not.toContain(clientSeed)
  })

  it('has at most 350 bytes for a play, a bet and its end', async () => {
    const player = await fundedPlayer(5)
    const lines = await logOf(player)
    await player.play()
    const plan = await openRound()
    await player.bet('100000000', { autoCashout: 1.01 })
    await endRound(plan)
    await player.state()
    const written = lines()
    const kinds = written.map(({ operation }) => String(operation).split(':')[0])
    expect(kinds).toEqual(['entropy', 'bet', 'settle'])
    for (const line of written) expect(JSON.stringify(line).length).toBeLessThanOrEqual(350)
  })

  it('is written once for each entry of the journal, and never for a repeated or refused call', async () => {
    const player = await fundedPlayer(2)
    const lines = await logOf(player)
    const { nonce } = await player.nextPlay()
    await player.play({ nonce })
    await player.play({ nonce })
    await player.play({ nonce: nonce + 1, amountWei: '999999999999999' })
    await post('/api/dev/faucet', { wallet: player.wallet, token: 'ETH', amountWei: '1000000' })
    const audit = await ledger(env, player.wallet).verify()
    expect(audit).toMatchObject({ ok: true, entries: 3 })
    const seqs = lines().map(({ seq }) => seq)
    expect(seqs).toEqual([2, 3])
  })

  it('is not written for an entry that was undone', async () => {
    const player = new Player(3)
    const lines = await logOf(player)
    // Queued after the entry, in the same transaction.
    const add = vi.spyOn(Outbox.prototype, 'add').mockImplementation(() => {
      throw new Error('the disk is full')
    })
    const amount = { wallet: player.wallet, token: 'ETH', amountWei: '1000000' }
    expect((await post('/api/dev/faucet', amount)).status).toBe(500)
    expect(add).toHaveBeenCalled()
    add.mockRestore()
    expect(lines()).toEqual([])
    await post('/api/dev/faucet', amount)
    expect(lines().map(({ seq }) => seq)).toEqual([1])
  })

  it('is not written where it is switched off', async () => {
    const player = await fundedPlayer(4)
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    await player.play()
    expect(logged).not.toHaveBeenCalled()
  })
})
