import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { parseEther, toHex, type Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { OrderReports } from '../../durable-objects/relayer/order-reports.ts'
import { ledger, payment } from '../../src/calls/objects.ts'
import { pass, Player, loseAlarm, ringLedger } from '../workers/support.ts'
import { FEED_ADDRESS, POOL_ADDRESS, RELAYER, VAULT_ADDRESS } from './accounts.ts'
import {
  COIN,
  open,
  payPool,
  rig,
  setFeed,
  STOCK,
  STOCK_PRICE,
  useLootbox,
  work as workOn,
} from './lootbox.ts'
import {
  ask,
  chain,
  depositor,
  look,
  mined,
  nodeAnswers,
  sentByRelayer,
  setVars,
  statusOf,
  theRelayer,
  useChain,
  vaultConfig,
  withdraw,
  work,
} from './support.ts'

useChain()
useLootbox()

const [mallory, alice] = [new Player(0), new Player(1)]

/** Counts from now on how often the relayer asks for the gas of a call. */
function countEstimates(): () => number {
  const real = globalThis.fetch
  let count = 0
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    if (typeof init?.body === 'string' && init.body.includes('"eth_estimateGas"')) count += 1
    return real(input, init)
  })
  return () => count
}

/** Makes the node estimate three times the gas for calls of the vault. */
function makeWithdrawalsDear(): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body.toLowerCase() : ''
    const answer = await real(input, init)
    const isDear = body.includes('eth_estimategas') && body.includes(VAULT_ADDRESS.toLowerCase())
    if (!isDear) return answer
    const { result, ...rest } = await answer.json<{ result: Hex }>()
    return Response.json({ ...rest, result: toHex(3n * BigInt(result)) })
  })
}

/** Wins a tier; its prize is ordered at the relayer. */
async function win(tier: number, player = mallory): Promise<Hex> {
  const txHash = await mined(payPool(player))
  await rig(txHash, tier)
  await open(txHash, player)
  await runDurableObjectAlarm(payment(env, 31_337, txHash))
  return txHash
}

const prizeStatus = async (txHash: Hex, player = mallory) =>
  (await open(txHash, player)).body.open.status

describe('the relayer', () => {
  it('wastes no gas on a winner whose code takes coins only in a simulation', async () => {
    const txHash = await win(COIN)
    // An account may have code (EIP-7702): if (tx.gasprice != 0) revert.
    const { address } = mallory.account
    await chain.setCode({ address, bytecode: '0x3a600557005b5f5ffd' })
    const before = await chain.getBalance({ address })
    for (let looks = 0; looks < 10; looks++) {
      await look()
      pass(2_000)
    }
    await workOn(txHash)
    expect(await sentByRelayer()).toBe(1)
    expect(await prizeStatus(txHash)).toBe('paid')
    expect((await chain.getBalance({ address })) - before).toBe(parseEther('0.015'))
  })

  it('spends on no prize the ETH that a withdrawal waits for', async () => {
    await depositor(1)
    await workOn(await win(COIN))
    const prizeWei = await runInDurableObject(theRelayer(), (_, { storage }) => {
      const query = 'SELECT max(gas * max_fee) AS costWei FROM transactions JOIN attempts'
      return BigInt(storage.sql.exec<{ costWei: number }>(query).one().costWei)
    })
    const txHash = await win(COIN)
    makeWithdrawalsDear()
    await withdraw(alice)
    await ringLedger(alice)
    const balance = await chain.getBalance({ address: RELAYER.address })
    await chain.setBalance({ address: RELAYER.address, value: 2n * prizeWei })
    const sent = await sentByRelayer()
    for (let looks = 0; looks < 3; looks++) {
      await look()
      pass(60_000)
    }
    expect([await sentByRelayer(), await statusOf(alice)]).toEqual([sent, 'pending'])
    await chain.setBalance({ address: RELAYER.address, value: balance })
    await work(alice, 4)
    expect(await statusOf(alice)).toBe('confirmed')
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
  })

  it('retries a prize that is always refused ever more rarely, and pays it in the end', async () => {
    const txHash = await win(COIN)
    const setPool = (value: bigint) => chain.setBalance({ address: POOL_ADDRESS, value })
    /** Makes the pool look funded in simulations but not when it pays. */
    const tease = async () => {
      await setPool(parseEther('1'))
      await look()
      await setPool(0n)
      await chain.mine({ blocks: 1 })
      pass(2_000)
      await look()
    }
    await chain.setAutomine(false)
    for (let times = 0; times < 5; times++) await tease()
    expect(await sentByRelayer()).toBe(1)
    pass(60_000)
    for (let times = 0; times < 5; times++) await tease()
    expect(await sentByRelayer()).toBe(2)
    pass(100_000)
    await tease()
    expect(await sentByRelayer()).toBe(2)
    await chain.setAutomine(true)
    await setPool(parseEther('1'))
    pass(20_000)
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
  })

  it('delays no withdrawal for a stuck swap whose stock has no price', async () => {
    await depositor(1)
    const txHash = await win(STOCK)
    await chain.setAutomine(false)
    await look()
    // Gas now costs more than was offered, and the feed is down.
    await chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 10n })
    await chain.mine({ blocks: 1 })
    await chain.setStorageAt({ address: FEED_ADDRESS, index: 0, value: toHex(0, { size: 32 }) })
    await withdraw(alice)
    await work(alice, 1)
    for (let looks = 0; looks < 4; looks++) {
      pass(61_000)
      await look()
      await chain.mine({ blocks: 1 })
    }
    await look()
    await runDurableObjectAlarm(ledger(env, alice.wallet))
    expect(await statusOf(alice)).toBe('confirmed')
    await chain.setAutomine(true)
    await setFeed(STOCK_PRICE)
    pass(15_000)
    await workOn(txHash, 4)
    expect(await prizeStatus(txHash)).toBe('paid')
  })

  it('delays no withdrawal for prizes that the pool cannot pay, however many', async () => {
    await depositor(1)
    for (let owed = 0; owed < 25; owed++) {
      await theRelayer().payPrize({
        kind: 'prize',
        prizeId: toHex(owed, { size: 32 }),
        pool: POOL_ADDRESS,
        chainId: vaultConfig().chainId,
        to: mallory.wallet,
        asset: 'ETH',
        amountWei: parseEther('1000').toString(),
        opening: 'spin',
      })
    }
    pass(1_000)
    await withdraw(alice)
    await work(alice, 2)
    expect(await statusOf(alice)).toBe('confirmed')
  })

  it('pays a prize at its first look, however many others the pool cannot pay, and asks for those ever more rarely', async () => {
    await chain.setBalance({ address: POOL_ADDRESS, value: 0n })
    const order = (index: number, asset: string) =>
      theRelayer().payPrize({
        kind: 'prize',
        prizeId: toHex(index + 1, { size: 32 }),
        pool: POOL_ADDRESS,
        chainId: vaultConfig().chainId,
        asset,
        to: toHex(index + 1_000, { size: 20 }),
        amountWei: '1',
        opening: 'spin',
      })
    for (let index = 0; index < 45; index++) await order(index, 'ETH')
    // No opening owes these.
    vi.spyOn(OrderReports.prototype, 'report').mockImplementation(() => {})
    const calls = countEstimates()
    for (let looks = 0; looks < 40; looks++) {
      await look()
      pass(15_000)
    }
    expect(calls()).toBeLessThan(45 * 8)
    pass(300_000)
    await order(45, 'REWARD')
    await look()
    expect(await sentByRelayer()).toBe(1)
    await chain.setBalance({ address: POOL_ADDRESS, value: 100n })
    for (let looks = 0; looks < 23; looks++) {
      await look()
      pass(15_000)
    }
    expect(await sentByRelayer()).toBe(46)
  })

  it('pays a prize although many withdrawals wait for an operator', async () => {
    const vaultId = `31337:${toHex(7, { size: 20 })}`
    for (let index = 0; index < 25; index++) {
      const player = toHex(index + 1, { size: 20 })
      const order = { vaultId, player, nonce: 0, signature: '0x', isSmall: false }
      await theRelayer().pay({ kind: 'withdrawal', token: 'ETH', amountWei: '1', ...order })
    }
    const txHash = await win(COIN)
    for (let looks = 0; looks < 4; looks++) {
      await look()
      pass(15_000)
    }
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
  })

  it('pays a prize again that was found paid in a block that the chain drops', async () => {
    const { address } = mallory.account
    const txHash = await win(COIN)
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '12' })
    const before = await chain.getBalance({ address })
    // The relayer hears of no receipt, so it gives up the nonce and looks whether the pool has paid.
    nodeAnswers('eth_getTransactionReceipt', () => null)
    for (const ms of [2_000, 2_000, 130_000, 15_000, 15_000]) {
      await look()
      pass(ms)
    }
    vi.restoreAllMocks()
    expect(await prizeStatus(txHash)).toBe('paying')
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    for (let blocks = 0; blocks < 30; blocks++) {
      pass(15_000)
      await look()
      await chain.mine({ blocks: 1 })
    }
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
    expect((await chain.getBalance({ address })) - before).toBe(parseEther('0.015'))
  })

  it('waits to confirm a prize that was found paid while the chain is shorter than the confirmations', async () => {
    await win(COIN)
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '1000' })
    // The node knows no receipt, and the first block of this chain has no pool.
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      const isReceipt = body.includes('"eth_getTransactionReceipt"')
      if (!isReceipt && !body.includes('"0x0"]')) return real(input, init)
      const { id } = JSON.parse(body) as { id: number }
      const result = isReceipt ? null : toHex(0, { size: 32 })
      return Response.json({ jsonrpc: '2.0', id, result })
    })
    for (const ms of [2_000, 2_000, 130_000, 2_000]) {
      await look()
      pass(ms)
    }
    const { orders } = await theRelayer().unpaid()
    expect(orders).toMatchObject([{ state: 'queued', cause: null }])
  })

  it('pays a prize again if a reorg removed its payment and the nonce is gone too', async () => {
    const txHash = await win(COIN)
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
    const { address } = mallory.account
    const before = await chain.getBalance({ address })
    await ask('anvil_reorg', 1, [])
    await ask('anvil_dropAllTransactions')
    await chain.sendTransaction({ account: RELAYER, to: RELAYER.address, value: 1n, nonce: 0 })
    expect(await chain.getBalance({ address })).toBe(before - parseEther('0.015'))
    for (const ms of [15_000, 120_000, 2_000]) {
      pass(ms)
      await look()
    }
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
    expect(await chain.getBalance({ address })).toBe(before)
  })

  it('receives the order of a prize with a lost alarm once its opening is requested again', async () => {
    const txHash = await mined(payPool(mallory))
    await rig(txHash, COIN)
    await open(txHash)
    const stub = payment(env, 31_337, txHash)
    await loseAlarm(stub)
    await evictDurableObject(stub)
    await open(txHash)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    await workOn(txHash)
    expect(await prizeStatus(txHash)).toBe('paid')
  })
})
