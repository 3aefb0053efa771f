import { env } from 'cloudflare:workers'
import { pad, parseAbi, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { grant, send } from '../workers/partner.ts'
import { codeOf, get, now, pass, Player, post, type Answer } from '../workers/support.ts'
import { actOnBox, box, deployBoxContracts, sellBoxes } from './boxes.ts'
import { open } from './lootbox.ts'
import {
  chipsOf,
  countCalls,
  deposit,
  mined,
  chain,
  useChain,
  vault,
  withdraw,
  write,
} from './support.ts'

useChain()

const STRANGERS = Array.from({ length: 10 }, (_, index) => new Player(300 + index))
const alice = new Player(0)
const owner = new Player(8)
const anything: Hex = `0x${'11'.repeat(65)}`

/** Sends a permission that only a contract might have signed. */
function permit(player: Player, terms: object = {}): Promise<Answer> {
  const wish = { partner: 'demo-two', token: 'USDG', maxPerDayWei: '1', nonce: 0 }
  const expiresAt = Math.floor(now() / 1_000) + 60
  return send(player, 'grant', { ...wish, expiresAt, signature: anything, ...terms })
}

/** Uses up the networks' limit of a purpose, and collects the keys that are counted. */
function exhaust(purpose: string): string[] {
  const spent: string[] = []
  vi.spyOn(env.MONEY_CALLS, 'limit').mockImplementation(async ({ key }) => {
    spent.push(key)
    return { success: !key.startsWith(`${purpose} `) }
  })
  return spent
}

describe('strangers cannot make the node work', () => {
  it('by looking at boxes and buying them: the offer is read once', async () => {
    await deployBoxContracts()
    await sellBoxes([{ bps: 10_000, prize: 1n }])
    await get(`/api/lootbox-nft?wallet=${alice.wallet}`)
    const calls = countCalls()
    for (const { wallet } of STRANGERS) {
      expect((await get(`/api/lootbox-nft?wallet=${wallet}`)).body.kinds).toHaveLength(1)
      expect((await actOnBox('buy', { kind: 0, wallet })).status).toBe(200)
    }
    const boxesAndTotals = 2
    expect(calls()).toBe(STRANGERS.length * boxesAndTotals)
  })

  it('but a kind that goes off sale is not offered for longer than a few seconds', async () => {
    await deployBoxContracts()
    await sellBoxes([{ bps: 10_000, prize: 1n }])
    const buy = () => actOnBox('buy', { kind: 0, wallet: alice.wallet })
    expect((await buy()).status).toBe(200)
    await write(box, 'setForSale', [0n, false])
    pass(3_000)
    expect(codeOf(await buy())).toBe('box_state')
  })

  it("by asking for what only the vault's owner may do", async () => {
    for (const stranger of STRANGERS) await stranger.authSig()
    expect(codeOf(await alice.act('house-topup'))).toBe('not_vault_owner')
    const calls = countCalls()
    for (const stranger of STRANGERS) {
      expect(codeOf(await stranger.act('house-topup'))).toBe('not_vault_owner')
    }
    expect(calls()).toBe(0)
  })

  it("but the vault's new owner is recognised within seconds", async () => {
    expect(codeOf(await alice.act('house-topup'))).toBe('not_vault_owner')
    const abi = parseAbi(['function transferOwnership(address)', 'function acceptOwnership()'])
    const { address } = vault
    await write({ address, abi }, 'transferOwnership', [alice.account.address])
    await mined(
      chain.writeContract({
        address,
        abi,
        account: alice.account,
        functionName: 'acceptOwnership',
      }),
    )
    pass(5_000)
    expect((await alice.act('house-topup')).status).toBe(200)
    expect(codeOf(await owner.act('house-topup'))).toBe('not_vault_owner')
  })

  it('by withdrawals that would be refused with any signature', async () => {
    for (const stranger of STRANGERS) await stranger.authSig()
    // The first one has the gas price read, once a minute for all.
    await withdraw(alice, { nonce: 7 })
    const calls = countCalls()
    for (const stranger of STRANGERS) {
      const wrongNonce = { nonce: 7, signature: anything }
      expect(codeOf(await withdraw(stranger, wrongNonce))).toBe('nonce_mismatch')
      const tooLittle = { amountWei: 0n, signature: anything }
      expect(codeOf(await withdraw(stranger, tooLittle))).toBe('amount_out_of_bounds')
    }
    expect(calls()).toBe(0)
  })

  it("by withdrawals that a contract might have signed, beyond their network's limit", async () => {
    await deposit(alice, 'USDG', 1_000_000_000n)
    await chipsOf(alice)
    const spent = exhaust('contracts')
    const calls = countCalls()
    expect(codeOf(await withdraw(alice, { signature: anything }))).toBe('rate_limited')
    expect(calls()).toBe(0)
    expect(spent).toEqual([alice.wallet, 'contracts unknown'])
    expect((await withdraw(alice)).status).toBe(200)
    expect(spent).toEqual([alice.wallet, 'contracts unknown', alice.wallet])
  })

  it("by signing in with what a contract might have signed, beyond their network's limit", async () => {
    const spent = exhaust('signIns')
    const calls = countCalls()
    for (const { wallet } of STRANGERS) {
      const query = `wallet=${wallet}&authSig=${anything}`
      expect(codeOf(await get(`/api/crash?${query}`))).toBe('rate_limited')
      const bet = { action: 'bet', wallet, authSig: anything, token: 'USDG', amountWei: '1' }
      expect(codeOf(await post('/api/crash', bet))).toBe('rate_limited')
    }
    expect(spent).toEqual(STRANGERS.flatMap(() => ['signIns unknown', 'signIns unknown']))
    expect(calls()).toBe(0)
    expect((await alice.state()).status).toBe(200)
  })

  it("by looking at boxes and opening them, beyond their network's limit", async () => {
    await deployBoxContracts()
    await sellBoxes([{ bps: 10_000, prize: 1n }])
    expect((await get(`/api/lootbox-nft?wallet=${alice.wallet}`)).status).toBe(200)
    const spent = exhaust('boxes')
    const calls = countCalls()
    // What was read within the last second is answered without the node.
    expect((await get(`/api/lootbox-nft?wallet=${alice.wallet}`)).status).toBe(200)
    expect(spent).toEqual([])
    expect(codeOf(await get('/api/lootbox-nft?boxId=1'))).toBe('rate_limited')
    expect(codeOf(await get(`/api/lootbox-nft?wallet=${alice.wallet}&from=100`))).toBe(
      'rate_limited',
    )
    for (const action of ['reveal', 'claim']) {
      expect(codeOf(await actOnBox(action, { boxId: '1' }))).toBe('rate_limited')
    }
    expect(spent).toEqual(Array(4).fill('boxes unknown'))
    expect(calls()).toBe(0)
  })

  it("by opening the lootbox with payments that aren't, beyond their network's limit", async () => {
    const spent = exhaust('payments')
    const calls = countCalls()
    expect(codeOf(await open(pad('0x1')))).toBe('rate_limited')
    expect(spent).toEqual(['unknown', 'payments unknown'])
    expect(calls()).toBe(0)
  })

  it('by permissions that would be refused with any signature', async () => {
    for (const stranger of STRANGERS) await stranger.authSig()
    const calls = countCalls()
    for (const stranger of STRANGERS) {
      const { status, body } = await permit(stranger, { nonce: 7 })
      expect([status, body.error.code]).toEqual([409, 'nonce_mismatch'])
    }
    expect(calls()).toBe(0)
  })

  it("by permissions that a contract might have signed, beyond their network's limit", async () => {
    await alice.authSig()
    const spent: string[] = []
    vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(env.MONEY_CALLS, 'limit').mockImplementation(async ({ key }) => {
      spent.push(key)
      return { success: !key.startsWith('contracts ') }
    })
    const calls = countCalls()
    expect(codeOf(await permit(alice))).toBe('rate_limited')
    expect(calls()).toBe(0)
    const refused = [alice.wallet, 'newWallets unknown', 'contracts unknown']
    expect(spent).toEqual(refused)
    expect((await grant(alice)).status).toBe(200)
    expect(spent).toEqual([...refused, alice.wallet, 'newWallets unknown'])
  })
})
