import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/core/utc-day.ts'
import { sweep } from '../../src/sweep.ts'
import { codeOf, pass, type Player, restart, watch } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import {
  ask,
  asOwner,
  chain,
  chipsOf,
  depositor,
  mined,
  useChain,
  withdraw,
  work,
} from './support.ts'

useChain()

const GWEI = 1_000_000_000n

/** The configured minimum for each gwei of the gas price. */
const MIN_PER_GWEI = 10n

/** Has the cron handler see a gas price and the isolates learn of it. */
async function gasCosts(gwei: bigint): Promise<bigint> {
  await ask('anvil_setNextBlockBaseFeePerGas', `0x${(gwei * GWEI).toString(16)}`)
  await chain.mine({ blocks: 1 })
  const { baseFeePerGas } = await chain.getBlock()
  const priority = await chain.estimateMaxPriorityFeePerGas()
  pass(60_000)
  await sweep(env)
  pass(15_000)
  return (MIN_PER_GWEI * (baseFeePerGas! + priority) + GWEI - 1n) / GWEI
}

async function paid(player: Player, fields: { amountWei: bigint; nonce: number }): Promise<string> {
  await work(player, 2)
  return (await withdraw(player, fields)).body.withdrawal.status
}

let alice: Player
beforeEach(async () => {
  alice = await depositor(0, 'USDG', 1_000n)
})

describe('the smallest withdrawal', () => {
  it('follows the gas price, is shown, and is enforced', async () => {
    const before = await gasCosts(1n)
    const min = await gasCosts(40n)
    expect(min).toBeGreaterThan((30n * before) / 2n)
    const { config } = await watch()
    expect(config.withdrawal.min).toEqual({ ETH: min.toString(), USDG: min.toString() })
    expect(config.chain.withdrawalMin).toEqual(config.withdrawal.min)
    const refused = await withdraw(alice, { amountWei: min - 1n })
    expect(refused.status).toBe(422)
    expect(refused.body.error).toMatchObject({
      code: 'amount_out_of_bounds',
      details: { min: min.toString(), max: '1000' },
    })
    expect((await withdraw(alice, { amountWei: min })).status).toBe(200)
    expect(await paid(alice, { amountWei: min, nonce: 0 })).toBe('confirmed')
  })

  it('is shown and checked without any call to a node', async () => {
    await gasCosts(40n)
    await watch()
    pass(30_000)
    const asked = vi.spyOn(globalThis, 'fetch')
    await watch()
    expect(asked).not.toHaveBeenCalled()
  })

  it('is the configured one if the relayer has not looked for ten minutes', async () => {
    await gasCosts(40n)
    pass(600_000)
    expect((await watch()).config.withdrawal.min).toEqual({ ETH: '1', USDG: '1' })
  })

  it('allows one smaller withdrawal of a whole balance a day, even across restarts', async () => {
    await gasCosts(200n)
    const all = { amountWei: 1_000n, nonce: 0 }
    expect(codeOf(await withdraw(alice, { ...all, amountWei: 999n }))).toBe('amount_out_of_bounds')
    expect((await withdraw(alice, all)).status).toBe(200)
    expect(await paid(alice, all)).toBe('confirmed')
    expect(await chipsOf(alice)).toBe(0n)
    await depositor(0, 'USDG', 500n)
    await restart()
    const again = { amountWei: 500n, nonce: 1 }
    expect(codeOf(await withdraw(alice, again))).toBe('amount_out_of_bounds')
    pass(DAY_MS)
    await gasCosts(200n)
    expect((await withdraw(alice, again)).status).toBe(200)
    expect(await paid(alice, again)).toBe('confirmed')
  })
})

describe('while the vault is paused', () => {
  it('the service accepts no withdrawal that the vault would refuse, and the state says why', async () => {
    const all = { amountWei: 1_000n, nonce: 0 }
    const first = { amountWei: 400n, nonce: 0 }
    await withdraw(alice, first)
    expect(await paid(alice, first)).toBe('confirmed')
    await mined(asOwner('pause'))
    await gasCosts(1n)
    const sent = await chain.getTransactionCount({ address: RELAYER.address })
    const refused = await withdraw(alice, { ...all, amountWei: 600n, nonce: 1 })
    expect([refused.status, codeOf(refused)]).toEqual([503, 'chain_unavailable'])
    expect((await watch()).config.chain.isPaused).toBe(true)
    expect(await chipsOf(alice)).toBe(600n)
    // A withdrawal accepted earlier gets the same answer as before.
    expect((await withdraw(alice, first)).body.withdrawal.status).toBe('confirmed')
    expect(await chain.getTransactionCount({ address: RELAYER.address })).toBe(sent)
    await mined(asOwner('unpause'))
    await gasCosts(1n)
    expect((await withdraw(alice, { ...all, amountWei: 600n, nonce: 1 })).status).toBe(200)
    expect((await watch()).config.chain.isPaused).toBe(false)
  })
})
