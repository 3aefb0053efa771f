import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { permissionHash, permissionScope } from '../../src/chain/permission.ts'
import { OTHER_DEV_PARTNER } from '../../src/cli/shared/dev-partners.ts'
import { loadConfig } from '../../src/config/load.ts'
import { grant, permissionsOf, Platform, send } from '../workers/partner.ts'
import { now, Player, pass, outcomeOf } from '../workers/support.ts'
import { USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  ask,
  chain,
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

useChain()

const platform = new Platform()
const owner = new Player(8)

describe('the wallet bridge and the vault', () => {
  it("let a partner see and debit its player's latest deposit", async () => {
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5_000_000n)
    pass(2_000)
    expect((await platform.balance(alice)).body).toEqual({ balance: 5, balanceWei: '5000000' })
    await deposit(alice, 'USDG', 1_000_000n)
    pass(2_000)
    expect((await platform.transact(alice, '-6')).body).toMatchObject({ balance: 0 })
  })

  it("pay out a partner's credit from the house's funds", async () => {
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

describe("a partner's holdings for its players", () => {
  it('cannot be taken by the house', async () => {
    const alice = await depositor(0)
    expect((await platform.transact(alice, '-400')).status).toBe(200)
    pass(300_000)
    await runDurableObjectAlarm(ledger(env, alice.wallet))
    await owner.act('house-topup')
    await look()
    await look()
    expect(await houseFunds('USDG')).toBe(0n)
  })

  it('cannot be taken by the house either while another partner owes it as much', async () => {
    const alice = await depositor(0)
    const bob = new Player(1)
    await fundHouse('USDG', 500_000_000n)
    await owner.act('house-topup')
    expect((await platform.transact(alice, '-400')).status).toBe(200)
    expect((await new Platform(OTHER_DEV_PARTNER).transact(bob, '400')).status).toBe(200)
    await withdraw(bob, { amountWei: 400_000_000n })
    await work(bob)
    pass(300_000)
    for (const player of [alice, bob]) await runDurableObjectAlarm(ledger(env, player.wallet))
    await owner.act('house-topup')
    await look()
    await look()
    expect(await houseFunds('USDG')).toBe(100_000_000n)
  })
})

describe('a deposit removed by a reorg', () => {
  it('cannot be debited through the bridge either, until it is on chain again', async () => {
    const alice = await depositor(0)
    await ask('anvil_reorg', 1, [])
    await chipsOf(alice)
    leavesDifference('USDG', -1_000_000_000n)
    expect(
      outcomeOf(await platform.transact(alice, '-1000', { partnerTransactionId: 'spin-1' })),
    ).toEqual([503, 'chain_unavailable'])
    expect((await platform.transact(alice, '1')).status).toBe(200)
  })
})

describe('the permission of a player whose partner needs one', () => {
  const strict = new Platform(OTHER_DEV_PARTNER)

  it('is signed for the vault, with the address of the token', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const alice = await depositor(0)
    expect((await permissionsOf(alice)).body).toMatchObject({
      domain: { chainId: 31_337, verifyingContract: VAULT_ADDRESS },
      tokens: { ETH: `0x${'0'.repeat(40)}`, USDG: USDG_ADDRESS },
    })
    expect((await strict.transact(alice, '-1')).body.error.code).toBe('permission_required')
    expect((await grant(alice)).status).toBe(200)
    expect((await strict.transact(alice, '-1')).status).toBe(200)
  })

  it('allows a debit of a deposit that has not been read yet', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const alice = new Player(0)
    await grant(alice)
    await deposit(alice, 'USDG', 5_000_000n)
    pass(2_000)
    expect((await strict.transact(alice, '-5')).body).toMatchObject({ balance: 0 })
  })

  it('is signed with the key of an account that delegates to code (EIP-7702)', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const alice = await depositor(0)
    // The code reverts whatever it is asked.
    await chain.setCode({ address: alice.account.address, bytecode: '0x5f5ffd' })
    expect((await grant(alice)).status).toBe(200)
    expect((await strict.transact(alice, '-1')).status).toBe(200)
  })

  it('is signed with ERC-1271 if the player is a contract', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const alice = await depositor(0)
    // From here on alice is a contract that accepts the hash itself as a signature.
    const code = '0x60043560643514631626ba7e60e01b0260005260206000f3'
    await chain.setCode({ address: alice.account.address, bytecode: code })
    const wish = {
      partner: OTHER_DEV_PARTNER.id,
      token: 'USDG' as const,
      nonce: 0,
      expiresAt: Math.floor(now() / 1000) + 60,
    }
    const scope = permissionScope(loadConfig(env))
    const hash = permissionHash(scope, alice.account.address, { ...wish, maxPerDayWei: 7_000_000n })
    const body = { ...wish, maxPerDayWei: '7000000', signature: hash }
    const forged = { ...body, signature: `0x${'11'.repeat(65)}` }
    expect((await send(alice, 'grant', forged)).body.error.code).toBe('signature_invalid')
    const down = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    expect((await send(alice, 'grant', body)).body.error.code).toBe('chain_unavailable')
    down.mockRestore()
    // The same contract, but it first hashes more memory than the vault's gas allows.
    const slow = `0x6208000060002050${code.slice(2)}` as const
    await chain.setCode({ address: alice.account.address, bytecode: slow })
    expect((await send(alice, 'grant', body)).body.error.code).toBe('signature_invalid')
    await chain.setCode({ address: alice.account.address, bytecode: code })
    expect((await send(alice, 'grant', body)).status).toBe(200)
    expect((await strict.transact(alice, '-7')).status).toBe(200)
  })
})
