import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { LAST_KNOWN_MS, LEAD_MS } from '../../src/operator/modes.ts'
import { Control } from '../../src/worker.ts'
import { order } from '../workers/operator.ts'
import { codeOf, outcomeOf, pass, restart } from '../workers/support.ts'
import {
  chipsOf,
  depositor,
  look,
  nodeAnswers,
  statusOf,
  theRelayer,
  useChain,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const withdrawal = { token: 'ETH', amountWei: 1_000_000n } as const

describe('withdrawals', () => {
  it('go on while everything else is closed', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    await order('mode', 'all=closed')
    pass(LEAD_MS)
    expect(codeOf(await alice.play({ token: 'ETH', amountWei: '1000000' }))).toBe('closed')
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    expect(await workToEnd(alice, withdrawal)).toBe('confirmed')
  })

  it('go on while control can’t be reached, however long', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    vi.spyOn(Control.prototype, 'modes').mockRejectedValue(new Error('no answer'))
    pass(2 * LAST_KNOWN_MS)
    expect(codeOf(await alice.play({ token: 'ETH', amountWei: '1000000' }))).toBe('closed')
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    expect(await workToEnd(alice, withdrawal)).toBe('confirmed')
  })

  it('are taken no more while they drain, but those under way are paid', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    await order('mode', 'withdrawals=draining')
    pass(LEAD_MS)
    expect(await workToEnd(alice, withdrawal)).toBe('confirmed')
    expect(outcomeOf(await withdraw(alice, { ...withdrawal, nonce: 1 }))).toEqual([503, 'closed'])
  })

  it('wait in the relayer while they are closed, also after a restart, and are then paid', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    await order('mode', 'withdrawals=closed')
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    pass(LEAD_MS)
    await work(alice)
    await restart()
    await look()
    expect(await statusOf(alice, withdrawal)).toBe('pending')
    await order('mode', 'withdrawals=open')
    pass(LEAD_MS)
    expect(await workToEnd(alice, withdrawal)).toBe('confirmed')
  })

  it('wait in a relayer that was restored to a time before they were closed', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    await order('mode', 'withdrawals=closed')
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    pass(LEAD_MS)
    await runInDurableObject(theRelayer(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM told_modes')
    })
    await restart()
    await work(alice)
    expect(await statusOf(alice, withdrawal)).toBe('pending')
  })

  it('are not sent by a look during which they are closed', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    await order('mode', 'withdrawals=closed')
    nodeAnswers('eth_estimateGas', (gas) => {
      pass(LEAD_MS)
      return gas
    })
    await work(alice)
    expect(await statusOf(alice, withdrawal)).toBe('pending')
  })

  it('of a frozen wallet are refused until it is unfrozen', async () => {
    const alice = await depositor(0, 'ETH', 5_000_000n)
    await order('freeze', alice.wallet)
    expect(outcomeOf(await withdraw(alice, withdrawal))).toEqual([403, 'wallet_frozen'])
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    await order('unfreeze', alice.wallet)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
    expect(await workToEnd(alice, withdrawal)).toBe('confirmed')
  })
})
