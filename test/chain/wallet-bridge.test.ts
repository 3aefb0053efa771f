import { describe, expect, it } from 'vitest'
import { Player, useStories, pass } from '../workers/support.ts'
import { Platform } from '../workers/partner.ts'
import { deposit, fundHouse, tokenBalance, useChain, withdraw, work } from './support.ts'

useStories()
useChain()

const platform = new Platform()

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
    expect((await new Player(8).act('house-topup')).status).toBe(200)
    await platform.transact(alice, '30')
    const before = await tokenBalance(alice.account.address, 'USDG')
    expect((await withdraw(alice, { amountWei: 30_000_000n })).status).toBe(200)
    expect((await platform.transact(alice, '-1')).status).toBe(402)
    await work(alice)
    expect(await tokenBalance(alice.account.address, 'USDG')).toBe(before + 30_000_000n)
    expect((await platform.balance(alice)).body.balance).toBe(0)
  })
})
