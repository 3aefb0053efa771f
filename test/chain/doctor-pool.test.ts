import { env } from 'cloudflare:workers'
import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { poolChecks } from '../../src/cli/doctor/pool-checks.ts'
import { loadConfig } from '../../src/config/load.ts'
import { POOL_ADDRESS } from './accounts.ts'
import { setFeed, useLootbox } from './lootbox.ts'
import { chain, useChain } from './support.ts'

useChain()
useLootbox()

/** Checks a pool that can win ten stocks of 0.004 ETH, at a slippage of 3%. */
async function checkWith(eth: string) {
  const { vault, lootbox } = loadConfig(env)
  await chain.setBalance({ address: POOL_ADDRESS, value: parseEther(eth) })
  const stocks = { bps: 10_000, label: 'Stocks', asset: 'STK', amountWei: String(10n ** 19n) }
  const prizes = [...lootbox!.prizes, stocks]
  return (await poolChecks(vault!, { ...lootbox!, prizes, slippageBps: 300 }))[0]!
}

describe('the check of the pool', () => {
  it('counts what a stock may cost, because the pool buys it with its ETH', async () => {
    const { claim, problem } = await checkWith('0.0411')
    expect(claim).toBe('the pool can pay its largest prize of 10 STK, bought for up to 0.0412 ETH')
    expect(problem).toContain('has 0.0411 ETH, which is less than its largest prize')
    expect((await checkWith('0.0412')).problem).toBeNull()
  })

  it('leaves out a stock whose feed has no price, which another check reports', async () => {
    await setFeed(0n)
    expect((await checkWith('0.015')).problem).toBeNull()
  })
})
