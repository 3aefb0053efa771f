import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { payment, relayer } from '../../src/calls/objects.ts'
import { pass, Player, rowsOf } from '../workers/support.ts'
import { POOL_ADDRESS } from './accounts.ts'
import { COIN, open, payPool, rig, useLootbox, work as workOn } from './lootbox.ts'
import {
  ask,
  chain,
  depositor,
  look,
  mined,
  setVars,
  statusOf,
  theRelayer,
  useChain,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()
useLootbox()

const OTHER_ID = 1_337
const alice = new Player(0)

/** Configures the relayer, and the node, for a chain. */
async function configure(chainId: number): Promise<void> {
  await ask('anvil_setChainId', chainId)
  await setVars(theRelayer(), { CHAIN_ID: chainId })
}

afterEach(() => ask('anvil_setChainId', chain.chain.id))

describe('the relayer of a chain that is no longer configured', () => {
  it('judges nothing by the configured chain, and goes on once its own is configured again', async () => {
    const player = await depositor(1)
    await chain.setAutomine(false)
    await withdraw(player)
    await work(player, 1)
    await chain.setAutomine(true)
    await chain.mine({ blocks: 50 })
    await configure(OTHER_ID)
    for (let looks = 0; looks < 4; looks++) {
      pass(61_000)
      await look()
      await theRelayer().sweep()
    }
    expect(await statusOf(player)).toBe('submitted')
    await configure(chain.chain.id)
    await theRelayer().sweep()
    expect(await workToEnd(player)).toBe('confirmed')
  })

  it('pays no prize on the configured chain, and reports that it waits', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const txHash = await mined(payPool(alice))
    await rig(txHash, COIN)
    await open(txHash, alice)
    await configure(OTHER_ID)
    await workOn(txHash)
    expect(await rowsOf(theRelayer(), 'SELECT hash FROM attempts')).toEqual([])
    expect(logged.mock.calls.join()).toContain('payout_vault_not_configured')
    await configure(chain.chain.id)
    await theRelayer().sweep()
    await workOn(txHash, 3)
    expect((await open(txHash, alice)).body.open.status).toBe('paid')
  })
})

describe('a prize', () => {
  it('is ordered at the relayer of the chain on which its opening was paid for', async () => {
    const txHash = await mined(payPool(alice))
    await rig(txHash, COIN)
    const paid = payment(env, OTHER_ID, txHash)
    await paid.open(alice.wallet)
    await runDurableObjectAlarm(paid)
    expect(await relayer(env, OTHER_ID).prizes(null, 10)).toHaveLength(1)
    expect(await theRelayer().prizes(null, 10)).toEqual([])
  })

  it('is not called paid where its pool has no code', async () => {
    const txHash = await mined(payPool(alice))
    await rig(txHash, COIN)
    await open(txHash, alice)
    await chain.setCode({ address: POOL_ADDRESS, bytecode: '0x' })
    await workOn(txHash, 4)
    expect((await open(txHash, alice)).body.open.status).toBe('paying')
  })
})
