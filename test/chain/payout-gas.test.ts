import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { numberToHex, toFunctionSelector, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Payouts } from '../../durable-objects/relayer/payouts.ts'
import { DAY_MS, HOUR_MS } from '../../src/core/utc-day.ts'
import { ORDER_STEPS, type WithdrawalOrder } from '../../src/relayer/payout.ts'
import { sweep } from '../../src/sweep.ts'
import { codeOf, now, pass, Player, ringLedger } from '../workers/support.ts'
import { RELAYER } from './accounts.ts'
import {
  ask,
  chain,
  chipsOf,
  deposit,
  depositor,
  freeze,
  look,
  nodeAnswers,
  nodeFails,
  sentByRelayer,
  setVars,
  statusOf,
  theRelayer,
  unfreeze,
  useChain,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const ALLOWANCE = 1_000_000

/** The vault's function that pays. */
const WITHDRAW = toFunctionSelector('withdraw(address,address,uint256,uint256,bytes)')

/** Signs any hash with 380,000 gas and takes coins with 50,000: the most the vault allows. */
const LOOP_WALLET: Hex =
  '0x5a36156021576205cc6090035b805a13600c57631626ba7e60e01b5f5260205ff35b61c35090035b805a1360275700'

/** Works until a withdrawal has ended; after the first looks, some hours pass between them. */
async function workForDays(player: Player, fields: object): Promise<{ hash: Hex }> {
  for (let hours = 0; hours < 48; hours += 6) {
    await work(player, 2)
    const { withdrawal } = (await withdraw(player, fields)).body
    if (withdrawal.status === 'confirmed') return { hash: withdrawal.txHash as Hex }
    pass(6 * HOUR_MS)
  }
  throw new Error('the withdrawal was never paid')
}

describe('a wallet that burns gas', () => {
  it('costs the relayer little over ten withdrawals, is always paid, and delays no one else', async () => {
    await setVars(theRelayer(), { RELAYER_GAS_ALLOWANCE: String(ALLOWANCE) })
    const [mallory, alice] = [await depositor(0, 'ETH', 10n ** 18n), await depositor(1)]
    await chain.setCode({ address: mallory.account.address, bytecode: LOOP_WALLET })
    const spent: { at: number; gas: number }[] = []
    for (let nonce = 0; nonce < 10; nonce++) {
      const order = { token: 'ETH' as const, amountWei: 2n * 10n ** 15n, nonce }
      expect((await withdraw(mallory, order)).status).toBe(200)
      await work(mallory, 1)
      // Whether or not mallory's withdrawal waits, alice's is paid at the next look.
      const other = { amountWei: 1_000_000n, nonce }
      expect((await withdraw(alice, other)).status).toBe(200)
      await work(alice, 2)
      expect(await statusOf(alice, other)).toBe('confirmed')
      const { hash } = await workForDays(mallory, order)
      const { gasUsed } = await chain.getTransactionReceipt({ hash })
      spent.push({ at: now(), gas: Number(gasUsed) })
    }
    const total = spent.reduce((sum, { gas }) => sum + gas, 0)
    console.info(`ten withdrawals of the loop wallet: ${total} gas`)
    // Without the limit, ten of them cost 8,930,570 gas within seconds.
    expect(total).toBeLessThan(10 * 560_000)
    for (const { at } of spent) {
      const aDay = spent.filter((other) => other.at > at - DAY_MS && other.at <= at)
      const drawn = aDay.reduce((sum, { gas }) => sum + gas, 0)
      expect(drawn).toBeLessThanOrEqual(ALLOWANCE)
    }
    expect(await sentByRelayer()).toBe(20)
  })

  it("beyond the vault's limit is not paid and gets its chips back", async () => {
    const mallory = await depositor(0, 'ETH', 10n ** 18n)
    // Takes coins with 65,000 gas.
    const bytecode = LOOP_WALLET.replace('c350', 'fde8') as Hex
    await chain.setCode({ address: mallory.account.address, bytecode })
    const order = { token: 'ETH' as const, amountWei: 2n * 10n ** 15n, nonce: 0 }
    await withdraw(mallory, order)
    await work(mallory, 3)
    expect(await statusOf(mallory, order)).toBe('failed')
    const sent = await chain.getBlock({ includeTransactions: true })
    const [burn] = sent.transactions
    const { gasUsed } = await chain.getTransactionReceipt({ hash: burn!.hash })
    expect(gasUsed).toBeLessThan(60_000n)
  })
})

describe('a wallet that deposits again what it has withdrawn', () => {
  it('has withdrawals paid within its allowance, and waits for the others', async () => {
    await setVars(theRelayer(), { RELAYER_GAS_ALLOWANCE: '350000' })
    const alice = await depositor(0, 'USDG', 10n)
    const order = (nonce: number) => ({ amountWei: 1n, nonce })
    for (let nonce = 0; nonce < 3; nonce++) {
      await withdraw(alice, order(nonce))
      expect(await workToEnd(alice, order(nonce))).toBe('confirmed')
    }
    await withdraw(alice, order(3))
    await work(alice, 3)
    expect(await statusOf(alice, order(3))).toBe('pending')
    pass(DAY_MS)
    await work(alice, 3)
    expect(await statusOf(alice, order(3))).toBe('confirmed')
  })
})

describe('a wallet whose withdrawals its token refuses', () => {
  const eth = { token: 'ETH' as const, amountWei: 10n ** 17n }

  let alice: Player
  beforeEach(async () => {
    alice = await depositor(0)
    await deposit(alice, 'ETH', 10n ** 18n)
    expect(await chipsOf(alice, 'ETH')).toBe(10n ** 18n)
    await freeze(alice.account.address)
  })

  /** Has the relayer burn the nonces of some withdrawals that are refused, each after the rest for the one before. */
  async function failTimes(times: number): Promise<void> {
    for (let nonce = 0; nonce < times; nonce++) {
      await withdraw(alice, { nonce })
      if (nonce > 0) pass(60_000 * 2 ** (nonce - 1))
      expect(await workToEnd(alice, { nonce })).toBe('failed')
    }
  }

  it('has its next one paid at once in another token', async () => {
    await failTimes(4)
    await withdraw(alice, { ...eth, nonce: 4 })
    expect(await workToEnd(alice, { ...eth, nonce: 4 })).toBe('confirmed')
  })

  it('waits for twice as long each time until a refused one is given up, and is tried meanwhile', async () => {
    await failTimes(4)
    const sent = await sentByRelayer()
    await withdraw(alice, { nonce: 4 })
    for (let minute = 0; minute < 2; minute++) {
      await work(alice, 1)
      pass(58_000)
    }
    expect([await statusOf(alice, { nonce: 4 }), await sentByRelayer()]).toEqual(['pending', sent])
    await unfreeze(alice.account.address)
    expect(await workToEnd(alice, { nonce: 4 })).toBe('confirmed')
  })

  it('waits for all tokens once a payment was mined in vain', async () => {
    await unfreeze(alice.account.address)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    await freeze(alice.account.address, 'first')
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    expect(await workToEnd(alice)).toBe('failed')
    await withdraw(alice, { ...eth, nonce: 1 })
    await work(alice, 2)
    expect(await statusOf(alice, { ...eth, nonce: 1 })).toBe('pending')
    pass(120_000)
    expect(await workToEnd(alice, { ...eth, nonce: 1 })).toBe('confirmed')
  })
})

describe('an amount below the minimum', () => {
  const dust = { token: 'ETH' as const, amountWei: 2n, nonce: 0 }
  const signature: Hex = `0x${'00'.repeat(65)}`
  const signed = { ...dust, signature }
  /** Signs any hash and takes any coins, with little gas. */
  const CHEAP_WALLET: Hex = '0x631626ba7e60e01b5f5260205ff3'

  let mallory: Player
  beforeEach(async () => {
    mallory = await depositor(0, 'ETH', dust.amountWei)
    await ask('anvil_setNextBlockBaseFeePerGas', numberToHex(40n * 10n ** 9n))
    await chain.mine({ blocks: 1 })
    pass(60_000)
    await sweep(env)
    pass(15_000)
  })

  const turnInto = (bytecode: Hex) => chain.setCode({ address: mallory.account.address, bytecode })

  it('is refused to a contract wallet that takes much gas, and accepted once it takes little', async () => {
    await turnInto(LOOP_WALLET)
    const refused = await withdraw(mallory, signed)
    expect(refused.status).toBe(422)
    expect(refused.body.error).toMatchObject({
      code: 'amount_out_of_bounds',
      details: { max: dust.amountWei.toString() },
    })
    expect(await chipsOf(mallory, 'ETH')).toBe(dust.amountWei)
    await turnInto(CHEAP_WALLET)
    expect((await withdraw(mallory, signed)).status).toBe(200)
    expect(await workToEnd(mallory, signed)).toBe('confirmed')
  })

  it('is not refused because the node does not say what it takes', async () => {
    await turnInto(LOOP_WALLET)
    const isPayment = (body: string) => body.includes(WITHDRAW.slice(2))
    nodeFails(isPayment, 'before')
    expect(codeOf(await withdraw(mallory, signed))).toBe('chain_unavailable')
  })

  it('comes back at little cost if the wallet takes much gas only later', async () => {
    await turnInto(CHEAP_WALLET)
    expect((await withdraw(mallory, signed)).status).toBe(200)
    await turnInto(LOOP_WALLET)
    expect(await workToEnd(mallory, signed)).toBe('failed')
    expect(await chipsOf(mallory, 'ETH')).toBe(dust.amountWei)
    expect(await sentByRelayer()).toBe(1)
    const { transactions } = await chain.getBlock({ includeTransactions: true })
    const { gasUsed } = await chain.getTransactionReceipt({ hash: transactions[0]!.hash })
    expect(gasUsed).toBeLessThan(60_000n)
  })

  it('is paid to an account that delegates to code', async () => {
    await turnInto('0x00')
    expect((await withdraw(mallory, dust)).status).toBe(200)
    expect(await workToEnd(mallory, dust)).toBe('confirmed')
  })

  it('is paid to a wallet without code, whatever the chain takes for it', async () => {
    expect((await withdraw(mallory, dust)).status).toBe(200)
    nodeAnswers('eth_estimateGas', () => numberToHex(300_000n))
    await work(mallory, 1)
    vi.restoreAllMocks()
    expect(await workToEnd(mallory, dust)).toBe('confirmed')
  })
})

describe('the relayer', () => {
  it('sends the next withdrawal while twenty others wait for confirmations', async () => {
    await setVars(theRelayer(), { CHAIN_CONFIRMATIONS: '50' })
    const order = { token: 'ETH' as const, amountWei: 10n ** 15n }
    const players = Array.from({ length: 21 }, (_, index) => new Player(10 + index))
    for (const player of players) {
      await chain.setBalance({ address: player.account.address, value: 10n ** 18n })
      await deposit(player, 'ETH', order.amountWei)
    }
    pass(2_000)
    for (const player of players) {
      expect((await withdraw(player, order)).status).toBe(200)
      await work(player, 0)
    }
    await look()
    expect(await sentByRelayer()).toBe(20)
    pass(2_000)
    await look()
    expect(await sentByRelayer()).toBe(21)
    expect(await statusOf(players[0]!, order)).toBe('submitted')
    await chain.mine({ blocks: 50 })
    pass(2_000)
    await look()
    for (const player of [players[0]!, players[20]!]) {
      expect(await statusOf(player, order)).toBe('confirmed')
    }
  })

  it('serves a wallet with one order before the thousandth order of another', async () => {
    await runInDurableObject(theRelayer(), (_, { storage }) => {
      const payouts = new Payouts(storage.sql)
      const add = (player: string, nonce: number, at: number) =>
        payouts.add(`v:${player}:${nonce}`, orderOf(player, nonce), 'withdraw', at)
      for (let nonce = 0; nonce < 1_000; nonce++) add('mallory', nonce, nonce)
      add('alice', 0, 5_000)
      const served = payouts.queued(5_000, 20, ORDER_STEPS).map(({ id }) => id)
      expect(served).toContain('v:alice:0')
      // No wallet has more orders in flight than these.
      expect(served).toHaveLength(5)
    })
  })

  it('serves each of thirty wallets once before serving any of them again', async () => {
    await runInDurableObject(theRelayer(), (_, { storage }) => {
      const payouts = new Payouts(storage.sql)
      const wallets = Array.from({ length: 30 }, (_each, index) => `w${index}`)
      for (const player of wallets) {
        for (let nonce = 0; nonce < 50; nonce++) {
          payouts.add(`v:${player}:${nonce}`, orderOf(player, nonce), 'withdraw', nonce)
        }
      }
      const served: string[] = []
      for (let time = 1; time <= 3; time++) {
        for (const payout of payouts.queued(100 + time, 10, ORDER_STEPS)) {
          payouts.write(payout.id, { ...payout, state: 'confirmed' })
          payouts.serve(payout.order, 100 + time)
          served.push((payout.order as WithdrawalOrder).player)
        }
      }
      expect(new Set(served)).toEqual(new Set(wallets))
      // A later wallet never waits twice for the same one.
      payouts.add('v:late:0', orderOf('late', 0), 'withdraw', 200)
      const first = payouts.queued(200, 30, ORDER_STEPS)
      for (const payout of first) payouts.serve(payout.order, 201)
      expect(payouts.queued(201, 1, ORDER_STEPS).map(({ id }) => id)).toEqual(['v:late:0'])
    })
  })

  it('serves a returning wallet before new ones that came after it', async () => {
    await runInDurableObject(theRelayer(), (_, { storage }) => {
      const payouts = new Payouts(storage.sql)
      payouts.serve(orderOf('alice', 0), 50)
      payouts.add('v:alice:1', orderOf('alice', 1), 'withdraw', 100)
      for (let index = 0; index < 1_000; index++) {
        payouts.add(`v:new${index}:0`, orderOf(`new${index}`, 0), 'withdraw', 101)
      }
      expect(payouts.queued(200, 20, ORDER_STEPS)[0]?.id).toBe('v:alice:1')
    })
  })
})

it('knows the price of the market also while it is above what the relayer pays', async () => {
  await setVars(theRelayer(), { RELAYER_MAX_FEE_WEI: '1000' })
  await sweep(env)
  const seen = await theRelayer().conditions(vaultConfig().id)
  const { baseFeePerGas } = await chain.getBlock()
  expect(seen?.gasPriceWei).toBe('1000')
  expect(Number(seen?.marketPriceWei)).toBeGreaterThanOrEqual(Number(baseFeePerGas))
})

function orderOf(player: string, nonce: number): WithdrawalOrder {
  return {
    kind: 'withdrawal',
    vaultId: 'v',
    player,
    token: 'ETH',
    amountWei: '1',
    nonce,
    signature: '0x',
    isSmall: false,
  }
}

it('the relayer signs no more payouts at once than it has gas for', async () => {
  const [alice, bob] = [await depositor(0), await depositor(1)]
  await withdraw(alice)
  expect(await workToEnd(alice)).toBe('confirmed')
  const costWei = await runInDurableObject(theRelayer(), (_, { storage }) => {
    const query = 'SELECT gas * max_fee AS costWei FROM transactions JOIN attempts'
    return storage.sql.exec<{ costWei: number }>(query).one().costWei
  })
  const balance = await chain.getBalance({ address: RELAYER.address })
  // The next payouts cost a little less each, because the price of gas falls.
  await chain.setBalance({ address: RELAYER.address, value: BigInt(costWei) })
  await chain.setAutomine(false)
  await withdraw(alice, { nonce: 1 })
  await withdraw(bob)
  for (const player of [alice, bob]) await ringLedger(player)
  await look()
  const statuses = async () => [await statusOf(alice, { nonce: 1 }), await statusOf(bob)]
  expect(new Set(await statuses())).toEqual(new Set(['pending', 'submitted']))
  await chain.setBalance({ address: RELAYER.address, value: balance })
  await chain.setAutomine(true)
  await chain.mine({ blocks: 1 })
  await work(alice, 4)
  expect(await statuses()).toEqual(['confirmed', 'confirmed'])
})
