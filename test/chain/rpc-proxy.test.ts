import { exports } from 'cloudflare:workers'
import { createPublicClient, http } from 'viem'
import { describe, expect, it } from 'vitest'
import { vaultAbi } from '../../src/chain/abi.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { Player } from '../workers/support.ts'
import { USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import { anvil, chain, deposit, leavesDifference, useChain } from './support.ts'

useChain()

/** Returns a page's client, which reaches the chain only through the service. */
function pageClient(batch: boolean) {
  const fetchFn = (input: string | URL | Request, init?: RequestInit) =>
    exports.default.fetch(input instanceof Request ? input : String(input), init)
  return createPublicClient({
    chain: anvil,
    transport: http('http://fairhouse.test/api/rpc', {
      batch,
      retryCount: 0,
      fetchFn,
    }),
  })
}

describe.each([false, true])('a page that reads the chain through the service', (batch) => {
  it(`sees the state of the chain (batched calls: ${batch})`, async () => {
    const alice = new Player(0)
    const { address } = alice.account
    const hash = await deposit(alice, 'USDG', 5_000_000n)
    leavesDifference('USDG', 5_000_000n)
    const page = pageClient(batch)
    const call = { address: USDG_ADDRESS, abi: tokenAbi, functionName: 'balanceOf' } as const
    const [chainId, block, balance, held, receipt, gas, fees] = await Promise.all([
      page.getChainId(),
      page.getBlock(),
      page.getBalance({ address }),
      page.readContract({ ...call, args: [VAULT_ADDRESS] }),
      page.getTransactionReceipt({ hash }),
      page.estimateGas({ account: address, to: address, value: 1n }),
      page.getFeeHistory({ blockCount: 2, rewardPercentiles: [25, 75.5] }),
    ])
    expect(chainId).toBe(31_337)
    expect(block).toEqual(await chain.getBlock())
    expect(balance).toBe(await chain.getBalance({ address }))
    expect(held).toBe(5_000_000n)
    expect(receipt).toEqual(await chain.getTransactionReceipt({ hash }))
    expect(gas).toBeGreaterThanOrEqual(21_000n)
    expect(fees.reward?.[0]).toHaveLength(2)
    for (const fromBlock of ['earliest', receipt.blockNumber] as const) {
      const logs = await page.getContractEvents({
        address: VAULT_ADDRESS,
        abi: vaultAbi,
        eventName: 'Deposited',
        fromBlock,
      })
      expect(logs.map(({ args }) => args)).toMatchObject([{ player: address, amount: 5_000_000n }])
    }
    const { blockHash } = receipt
    expect(await page.getLogs({ address: VAULT_ADDRESS, blockHash })).toHaveLength(1)
    expect(await page.getBlock({ blockHash })).toEqual(await chain.getBlock({ blockHash }))
    expect(await page.getBlock({ blockHash })).toEqual(await chain.getBlock({ blockHash }))
  })

  it(`receives a contract's reason for a refusal (batched calls: ${batch})`, async () => {
    const call = { address: USDG_ADDRESS, abi: tokenAbi, functionName: 'mint' } as const
    const { address } = new Player(3).account
    const refused = { ...call, args: [address, 1n], account: address } as const
    const messageOf = (fault: Error) => fault.message
    const real = await chain.simulateContract(refused).catch(messageOf)
    const seen = await pageClient(batch).simulateContract(refused).catch(messageOf)
    expect(real).toContain('reverted')
    expect(seen).toBe(real)
  })

  it(`cannot act on the node (batched calls: ${batch})`, async () => {
    const { address } = new Player(0).account
    const before = await chain.getBalance({ address })
    for (const method of ['anvil_setBalance', 'eth_accounts', 'eth_sendTransaction']) {
      const asked = pageClient(batch).request({ method, params: [address, '0x0'] } as never)
      await expect(asked).rejects.toMatchObject({ code: -32601 })
    }
    expect(await chain.getBalance({ address })).toBe(before)
  })
})

it('the proxy limits the range of logs by the real chain', { timeout: 60_000 }, async () => {
  await chain.mine({ blocks: 2_001 })
  const page = pageClient(false)
  await expect(page.getLogs({ fromBlock: 0n })).rejects.toThrow('at most 2000 above')
  const toBlock = 2_000n
  expect(await page.getLogs({ fromBlock: 0n, toBlock })).toEqual(
    await chain.getLogs({ fromBlock: 0n, toBlock }),
  )
})
