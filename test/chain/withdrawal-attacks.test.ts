import { describe, expect, it, vi } from 'vitest'
import { pass, Player, useStories } from '../workers/support.ts'
import { depositor, look, nodeAnswers, useChain, withdraw, work } from './support.ts'

useStories()
useChain()

const statusOf = async (player: Player, nonce = 0) =>
  (await withdraw(player, { nonce })).body.withdrawal?.status

describe('a withdrawal', () => {
  it('that a node which is behind knows no receipt of is still confirmed', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    pass(120_000)
    nodeAnswers('eth_getTransactionReceipt', () => null)
    await look()
    vi.restoreAllMocks()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await work(alice, 3)
    expect(await statusOf(alice)).toBe('confirmed')
  })
})
