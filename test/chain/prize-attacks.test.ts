import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { parseEther, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { payment } from '../../src/objects.ts'
import { pass, Player, useStories } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { COIN, open, payPool, rig, useLootbox, work } from './lootbox.ts'
import { chain, look, mined, useChain } from './support.ts'

useStories()
useChain()
useLootbox()

const mallory = new Player(0)

/** Wins a tier, with the order for its prize at the relayer. */
async function win(tier: number, player = mallory): Promise<Hex> {
  const txHash = await mined(payPool(player))
  await rig(txHash, tier)
  await open(txHash, player)
  await runDurableObjectAlarm(payment(env, 31_337, txHash))
  return txHash
}

const prizeStatus = async (txHash: Hex, player = mallory) =>
  (await open(txHash, player)).body.open.status

describe('attacked: prizes', () => {
  it('a winner’s code, which takes coins in a trial and refuses them then, wastes none of the relayer’s', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const txHash = await win(COIN)
    // An account may have code (EIP-7702): if (tx.gasprice != 0) revert.
    const { address } = mallory.account
    await chain.setCode({ address, bytecode: '0x3a600557005b5f5ffd' })
    const before = await chain.getBalance({ address })
    for (let looks = 0; looks < 10; looks++) {
      await look()
      pass(2_000)
    }
    await work(txHash)
    expect(await chain.getTransactionCount({ address: RELAYER.address })).toBe(1)
    expect(await prizeStatus(txHash)).toBe('paid')
    expect((await chain.getBalance({ address })) - before).toBe(parseEther('0.015'))
  })
})
