import { env } from 'cloudflare:workers'
import { getAddress, toHex, zeroAddress } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { ledger, vaultWatch } from '../../src/calls/objects.ts'
import { HOUSE } from '../../src/ledger/accounts.ts'
import { look as lookAs, order, setModes } from '../workers/operator.ts'
import { now, pass, Player } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import { payOutside } from './outside.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  depositor,
  fundHouse,
  nodeAnswers,
  theRelayer,
  useChain,
  vault,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n

async function readVault(): Promise<void> {
  pass(2_000)
  await vaultWatch(env, vaultConfig().id).catchUp()
}

const stuck = async () => (await lookAs('/stuck')).body.stuck

describe('operators see money that does not move, with its cause and its remedy:', () => {
  it('a withdrawal while withdrawals are closed; it moves once they open', async () => {
    const alice = await depositor(0)
    expect(await stuck()).toEqual([])
    // Nothing can be paid before the withdrawals are closed.
    const balance = await chain.getBalance({ address: RELAYER.address })
    await chain.setBalance({ address: RELAYER.address, value: 0n })
    await withdraw(alice, { amountWei: AMOUNT })
    await setModes('withdrawals=closed')
    await work(alice, 1)
    await chain.setBalance({ address: RELAYER.address, value: balance })
    const [waiting, ...others] = await stuck()
    expect(others).toEqual([])
    expect(waiting).toMatchObject({
      kind: 'withdrawal',
      name: `${alice.wallet}:0`,
      wallet: alice.wallet,
      asset: 'USDG',
      amountWei: String(AMOUNT),
      isStuck: true,
      cause: 'Withdrawals are not open, so no payment begins.',
      acts: [{ act: 'mode', target: 'withdrawals=open' }],
    })
    expect(now() - waiting.since).toBeLessThan(60_000)
    await setModes('withdrawals=open')
    await work(alice, 4)
    expect(await stuck()).toEqual([])
  })

  it('a withdrawal for which the relayer has no gas', async () => {
    const alice = await depositor(0)
    await withdraw(alice, { amountWei: AMOUNT })
    const balance = await chain.getBalance({ address: RELAYER.address })
    await chain.setBalance({ address: RELAYER.address, value: 0n })
    await work(alice, 2)
    const [waiting] = await stuck()
    expect(waiting).toMatchObject({ isStuck: true, acts: [] })
    expect(waiting.cause).toContain("can't pay for this transaction")
    expect(waiting.remedy).toContain('RelayerGasLow')
    await chain.setBalance({ address: RELAYER.address, value: balance })
    await work(alice, 4)
    expect(await stuck()).toEqual([])
  })

  it('a withdrawal that rests because its wallet wastes gas; it is not late meanwhile', async () => {
    const mallory = await depositor(0, 'ETH', 10n ** 18n)
    // Signs any hash; takes no coins if tx.gasprice != 0.
    const bytecode = '0x36600d573a600957005b5f5ffd5b631626ba7e60e01b5f5260205ff3'
    await chain.setCode({ address: mallory.account.address, bytecode })
    const fields = { token: 'ETH' as const, amountWei: 10n ** 17n }
    await withdraw(mallory, fields)
    expect(await workToEnd(mallory, fields)).toBe('failed')
    await withdraw(mallory, { ...fields, nonce: 1 })
    await work(mallory, 1)
    const [waiting] = await stuck()
    expect(waiting).toMatchObject({ name: `${mallory.wallet}:1`, isStuck: false })
    expect(waiting.cause).toContain('wasted gas')
    const ages = async () => (await theRelayer().facts()).withdrawals
    expect(await ages()).toEqual({ count: 1, oldestAt: null })
    pass(120_000)
    const { oldestAt } = await ages()
    expect(now() - (oldestAt ?? 0)).toBeLessThan(120_000)
  })

  it('a withdrawal whose nonce paid something else; operators decide how it ended', async () => {
    const alice = await depositor(0)
    await payOutside(alice, AMOUNT, 0)
    await withdraw(alice, { amountWei: AMOUNT * 2n })
    for (let minute = 0; minute < 4; minute++) {
      await work(alice, 1)
      pass(60_000)
    }
    const target = `${alice.wallet}:0`
    const [waiting] = await stuck()
    expect(waiting).toMatchObject({
      isStuck: true,
      acts: [
        { act: 'confirm-withdrawal', target },
        { act: 'release-withdrawal', target },
      ],
    })
    expect(waiting.cause).toContain('paid something else')
    const { body } = await order('confirm-withdrawal', target)
    expect(body.act.result).toMatchObject({ isDone: true })
    expect(await stuck()).toEqual([])
  })

  it('a withdrawal whose nonce is used, but nobody finds by what within an hour', async () => {
    const alice = await depositor(0)
    await payOutside(alice, AMOUNT, 0)
    nodeAnswers('eth_getLogs', () => [])
    await withdraw(alice, { amountWei: AMOUNT })
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const isAlerted = () => errors.mock.calls.join().includes('nonce_use_unknown')
    for (let minute = 0; minute < 60; minute++) {
      await work(alice, 1)
      pass(58_000)
    }
    expect(isAlerted()).toBe(false)
    await work(alice, 1)
    expect(isAlerted()).toBe(true)
    expect(await stuck()).toMatchObject([{ kind: 'withdrawal', name: `${alice.wallet}:0` }])
    vi.restoreAllMocks()
    pass(60_000)
    await work(alice, 2)
    expect(await stuck()).toEqual([])
  })

  it('a deposit that the chain has dropped, until it is back or written off', async () => {
    const alice = new Player(0)
    const hash = await deposit(alice, 'ETH', 5_000_000n)
    await chipsOf(alice, 'ETH')
    const serializedTransaction = await ask('eth_getRawTransactionByHash', hash)
    await ask('anvil_reorg', 1, [])
    await chipsOf(alice, 'ETH')
    const lost = {
      kind: 'deposit',
      name: alice.wallet,
      isStuck: true,
      asset: null,
      acts: [{ act: 'write-off', target: alice.wallet }],
    }
    expect(await stuck()).toMatchObject([lost])
    await chain.sendRawTransaction({ serializedTransaction: serializedTransaction as never })
    await chipsOf(alice, 'ETH')
    expect(await stuck()).toEqual([])
    await ask('anvil_reorg', 1, [])
    await chipsOf(alice, 'ETH')
    expect(await stuck()).toMatchObject([lost])
    await order('write-off', alice.wallet)
    expect(await stuck()).toEqual([])
  })

  it('a funding of the house that the chain has dropped, until it is written off', async () => {
    await fundHouse('USDG', 5_000_000n)
    await readVault()
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    await readVault()
    const [waiting, ...others] = await stuck()
    expect(others).toEqual([])
    expect(waiting).toMatchObject({
      name: 'house',
      wallet: null,
      isStuck: true,
      acts: [{ act: 'write-off', target: 'house' }],
    })
    const { body } = await order('write-off', 'house')
    expect(body.act.result).toMatchObject({ isDone: true })
    expect(await stuck()).toEqual([])
    const { balances } = await ledger(env, HOUSE).standing(0)
    expect([balances.USDG.house, balances.USDG.vault]).toEqual([0n, 0n])
  })

  it('a deposit that the chain has dropped, however many have been written off before it', async () => {
    const wallets = Array.from({ length: 21 }, (_, index) =>
      getAddress(toHex(index + 1_000, { size: 20 })),
    )
    await chain.setAutomine(false)
    for (const address of wallets) {
      await chain.setBalance({ address, value: 10n ** 18n })
      await chain.impersonateAccount({ address })
      await chain.writeContract({
        ...vault,
        functionName: 'deposit',
        args: [zeroAddress, 5n],
        value: 5n,
        account: address,
        gas: 200_000n,
      })
    }
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await readVault()
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    await readVault()
    expect(await stuck()).toHaveLength(20)
    const last = wallets.pop()!
    for (const wallet of wallets) expect(await ledger(env, wallet).writeOff('act')).toBe(1)
    expect(await stuck()).toMatchObject([{ name: last }])
    await order('write-off', last)
    expect(await stuck()).toEqual([])
  })
})
