import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/objects.ts'
import { Player, useStories, pass } from '../workers/support.ts'
import { Platform } from '../workers/partner.ts'
import {
  ask,
  chipsOf,
  deposit,
  depositor,
  fundHouse,
  houseFunds,
  leavesDifference,
  look,
  tokenBalance,
  useChain,
  withdraw,
  work,
} from './support.ts'

useStories()
useChain()

const platform = new Platform()
const owner = new Player(8)

describe('the wallet bridge and the vault', () => {
  it('a partner sees and takes what its player has just deposited', async () => {
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5_000_000n)
    pass(2_000)
    expect((await platform.balance(alice)).body).toEqual({ balance: 5, balanceWei: '5000000' })
    await deposit(alice, 'USDG', 1_000_000n)
    pass(2_000)
    expect((await platform.transact(alice, '-6')).body).toMatchObject({ balance: 0 })
  })

  it('what a partner credits is paid out by the vault, from what the house has put up', async () => {
    const alice = new Player(1)
    await fundHouse('USDG', 50_000_000n)
    expect((await owner.act('house-topup')).status).toBe(200)
    await platform.transact(alice, '30')
    const before = await tokenBalance(alice.account.address, 'USDG')
    expect((await withdraw(alice, { amountWei: 30_000_000n })).status).toBe(200)
    expect((await platform.transact(alice, '-1')).status).toBe(402)
    await work(alice)
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before + 30_000_000n)
    expect((await platform.balance(alice)).body.balance).toBe(0)
  })
})

describe('what a partner holds for its players', () => {
  it('is not the house’s to take', async () => {
    const alice = await depositor(0)
    expect((await platform.transact(alice, '-400')).status).toBe(200)
    pass(300_000)
    await runDurableObjectAlarm(ledger(env, alice.wallet))
    await owner.act('house-topup')
    await look()
    await look()
    expect(await houseFunds('USDG')).toBe(0n)
  })
})

describe('a deposit that the chain has taken back', () => {
  it('is not taken out by the bridge either, until it is there again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const alice = await depositor(0)
    await ask('anvil_reorg', 1, [])
    await chipsOf(alice)
    leavesDifference('USDG', -1_000_000_000n)
    const debit = await platform.transact(alice, '-1000', { partnerTransactionId: 'spin-1' })
    expect([debit.status, debit.body.error.code]).toEqual([503, 'chain_unavailable'])
    expect((await platform.transact(alice, '1')).status).toBe(200)
  })
})
