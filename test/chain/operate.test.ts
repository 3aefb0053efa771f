import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashMessage, type Address, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { control, ledger, reprojection, vaultWatch } from '../../src/calls/objects.ts'
import { actHash, actScope } from '../../src/chain/operator-act.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Act } from '../../src/operator/act.ts'
import { actOf, look, OPERATORS, order, signAct, signInHeader } from '../workers/operator.ts'
import { codeOf, get, pass, Player, post, restart } from '../workers/support.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  leavesDifference,
  useChain,
  vaultConfig,
  withdraw,
} from './support.ts'

useChain()

const { admin, treasurer } = OPERATORS

/** Returns a player whose credited deposit is no longer on the chain. */
async function frozenPlayer(): Promise<{ alice: Player; raw: Hex }> {
  const alice = new Player(0)
  const hash = await deposit(alice, 'ETH', 5_000_000n)
  await chipsOf(alice, 'ETH')
  const raw = (await ask('eth_getRawTransactionByHash', hash)) as Hex
  await ask('anvil_reorg', 1, [])
  await chipsOf(alice, 'ETH')
  return { alice, raw }
}

const withdrawal = { token: 'ETH', amountWei: 1_000_000n } as const

const writeOff = (reason = 'The deposit will not be mined again.') =>
  actOf({ act: 'write-off', target: new Player(0).wallet, reason })

describe('two operators', () => {
  it('write off a lost deposit, so withdrawals resume and the house bears the loss', async () => {
    const { alice } = await frozenPlayer()
    const act = writeOff()
    await post('/api/operate', await signAct(act, treasurer))
    expect((await withdraw(alice, withdrawal)).status).toBe(503)
    const { status, body } = await post('/api/operate', await signAct(act, admin))
    expect([status, body.act.result.isDone]).toEqual([200, true])
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
  })

  it('write it off once: repeating the act gives the same answer, even after a restart', async () => {
    await frozenPlayer()
    const act = writeOff()
    await post('/api/operate', await signAct(act, treasurer))
    const confirmed = await signAct(act, admin)
    const first = await post('/api/operate', confirmed)
    await restart()
    expect((await post('/api/operate', confirmed)).text).toBe(first.text)
    expect((await post('/api/operate', await signAct(act, treasurer))).text).toBe(first.text)
    const { body } = await order('write-off', new Player(0).wallet)
    expect(body.act.result).toMatchObject({ isDone: false })
  })

  it('write off only what is missing at the time of the act, not what is missing after a restart', async () => {
    const act = writeOff()
    await post('/api/operate', await signAct(act, treasurer))
    const confirmed = await signAct(act, admin)
    expect((await post('/api/operate', confirmed)).body.act.result.isDone).toBe(false)
    await restart()
    const { alice } = await frozenPlayer()
    pass(10_000)
    await runDurableObjectAlarm(control(env))
    expect((await withdraw(alice, withdrawal)).status).toBe(503)
    expect((await post('/api/operate', confirmed)).body.act.result.isDone).toBe(false)
    leavesDifference('ETH', -5_000_000n)
  })

  it('write off nothing by a late repetition of an act that had nothing to write off', async () => {
    const { wallet } = new Player(0)
    expect(await ledger(env, wallet).writeOff('act:1')).toBe(0)
    const { alice } = await frozenPlayer()
    expect(await ledger(env, wallet).writeOff('act:1')).toBe(0)
    expect((await withdraw(alice, withdrawal)).status).toBe(503)
    expect(await ledger(env, wallet).writeOff('act:2')).toBe(1)
  })

  it('write it off, and a deposit that returns to the chain afterwards belongs to the house', async () => {
    const { alice, raw } = await frozenPlayer()
    await order('write-off', alice.wallet)
    await chain.sendRawTransaction({ serializedTransaction: raw })
    pass(2_000)
    await vaultWatch(env, vaultConfig().id).look()
    expect(await chipsOf(alice, 'ETH')).toBe(5_000_000n)
    expect((await withdraw(alice, withdrawal)).status).toBe(200)
  })
})

it('has everything that D1 lost sent again', async () => {
  const { body } = await order('reproject', 'everything')
  expect(body.act.result.isDone).toBe(true)
  expect(await reprojection(env).progress()).toMatchObject({ scope: 'everything', stage: 'listed' })
})

describe('an act for another', () => {
  it.each([
    ['vault', { verifyingContract: '0x000000000000000000000000000000000000dEaD' }],
    ['chain', { chainId: 1 }],
  ] as const)('%s is worth nothing here', async (_what, other) => {
    const { chainId, address } = vaultConfig()
    const scope = { site: 'http://localhost:8787', chainId, verifyingContract: address, ...other }
    const { status, body } = await post('/api/operate', await signAct({}, admin, scope))
    expect([status, body.error.code]).toEqual([422, 'signature_invalid'])
  })
})

describe('an operator with a contract wallet', () => {
  // From here on the treasurer is a contract that accepts the hash itself as a signature (ERC-1271).
  const accepting = '0x60043560643514631626ba7e60e01b0260005260206000f3'
  const scope = () => actScope(loadConfig(env))
  const sent = (act: Act, signature: Hex) =>
    post('/api/operate', { ...act, operator: treasurer.address, signature })

  beforeEach(() => chain.setCode({ address: treasurer.address, bytecode: accepting }))

  it('signs in and orders acts with what the contract accepts', async () => {
    const query = `?action=sign-in&wallet=${treasurer.address}`
    const { body } = await get(`/api/operate${query}`)
    const header = (signature: string) =>
      `Wallet ${treasurer.address}.${body.issuedAt}.${signature}`
    expect(codeOf(await look('', header('0x1234')))).toBe('auth_invalid')
    const seen = await look('', header(hashMessage(body.message)))
    expect(seen.body.operator).toEqual({ wallet: treasurer.address, role: 'treasurer' })

    const act = writeOff()
    expect(codeOf(await sent(act, '0x1234'))).toBe('signature_invalid')
    const proposed = await sent(act, actHash(scope(), act))
    expect(proposed.body.act.approvals).toMatchObject([{ operator: treasurer.address }])
    const { body: confirmed } = await post('/api/operate', await signAct(act, admin))
    expect(confirmed.act.decidedAt).not.toBeNull()
  })

  it('is asked to try again while the chain does not answer', async () => {
    const act = writeOff()
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    expect(codeOf(await sent(act, actHash(scope(), act)))).toBe('chain_unavailable')
  })

  it('is asked only within the limit of a network, since anybody can name the wallet', async () => {
    const { body } = await get(`/api/operate?action=sign-in&wallet=${treasurer.address}`)
    const act = writeOff()
    const spent = vi
      .spyOn(env.MONEY_CALLS, 'limit')
      .mockImplementation(async ({ key }) => ({ success: !key.startsWith('signIns ') }))
    const asked = vi.spyOn(globalThis, 'fetch')
    const header = `Wallet ${treasurer.address}.${body.issuedAt}.0x1234`
    expect(codeOf(await look('', header))).toBe('rate_limited')
    expect(codeOf(await sent(act, '0x1234'))).toBe('rate_limited')
    expect(spent.mock.calls.map(([{ key }]) => key)).toContain('signIns unknown')
    expect(asked).not.toHaveBeenCalled()
    expect(codeOf(await look('', await signInHeader(admin)))).toBeUndefined()
  })

  it('is the only one whose wallet makes the service ask the chain', async () => {
    const act = writeOff()
    const stranger = new Player(3).wallet as Address
    await chain.setCode({ address: stranger, bytecode: accepting })
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    const signature = actHash(scope(), act)
    const answer = await post('/api/operate', { ...act, operator: stranger, signature })
    expect(codeOf(answer)).toBe('signature_invalid')
  })
})
