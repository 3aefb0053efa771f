import { bytesToHex } from '@noble/hashes/utils'
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { parseAbi, parseEther, toHex, type Abi, type Hex } from 'viem'
import { beforeEach } from 'vitest'
import { lootboxDay, payment } from '../../src/calls/objects.ts'
import { tokenAbi } from '../../src/chain/foreign-abi.ts'
import { paymentMessage, rollOf, tierOfRoll } from '../../src/lootbox/prizes.ts'
import { get, now, pass, Player, post } from '../workers/support.ts'
import {
  FACTORY_ADDRESS,
  FEED_ADDRESS,
  LOOTBOX,
  OWNER,
  POOL_ADDRESS,
  RELAYER,
  REWARD_TOKEN_ADDRESS,
  ROUTER_ADDRESS,
  STOCK_ADDRESS,
  WETH_ADDRESS,
} from './accounts.ts'
import { transfer } from './payments.ts'
import { ask, chain, deploy, look, mined, write } from './support.ts'

const alice = new Player(0)

/** The tiers of the lootbox in the stories. */
export const [REWARD, COIN, STOCK] = [0, 1, 2]

/** Pays for one opening by default. */
export function payPool(player: Player, fields: object = {}): Promise<Hex> {
  return transfer(player, { to: POOL_ADDRESS, value: BigInt(LOOTBOX.price), ...fields })
}

/** Opens with a payment. */
export const open = (txHash: Hex, player = alice) =>
  post('/api/lootbox', { action: 'open', wallet: player.wallet, txHash })

/** The price of one stock on the feed and in the router's pool. */
export const STOCK_PRICE = parseEther('0.004')

const uniswapRouter = parseAbi([
  'function addLiquidityETH(address,uint256,uint256,uint256,address,uint256) payable',
])

/** Deploys a contract built by Uniswap. */
async function deployUniswap(path: string, args: unknown[]): Promise<Hex> {
  const response = await fetch(`http://uniswap.test/${path}.json`)
  const { abi, bytecode } = await response.json<{ abi: Abi; bytecode: string }>()
  const code: Hex = `0x${bytecode.replace(/^0x/, '')}`
  return mined(chain.deployContract({ abi, bytecode: code, args, account: OWNER }))
}

/** Deploys the pool with all its prizes, and a router that sells stocks. */
export function useLootbox(): void {
  beforeEach(async () => {
    // An hour before the first payment.
    await ask('evm_setNextBlockTimestamp', Math.floor(now() / 1000) - 3_600)
    await deploy('RewardToken', [OWNER.address, 10n ** 24n])
    await deployUniswap('v2-periphery/build/WETH9', [])
    await deployUniswap('v2-core/build/UniswapV2Factory', [OWNER.address])
    const parts = [FACTORY_ADDRESS, WETH_ADDRESS]
    await deployUniswap('v2-periphery/build/UniswapV2Router02', parts)
    await deploy('PrizePool', [OWNER.address, RELAYER.address, ROUTER_ADDRESS])
    await deploy('TestStock', ['Stock', 'STK', OWNER.address])
    await deploy('TestPriceFeed', [STOCK_PRICE])
    const stock = { address: STOCK_ADDRESS, abi: tokenAbi }
    const amount = parseEther('1000')
    await write(stock, 'mint', [OWNER.address, amount])
    await write(stock, 'approve', [ROUTER_ADDRESS, amount])
    const deadline = BigInt(Math.floor(now() / 1000) + 10 ** 7)
    await write(
      { address: ROUTER_ADDRESS, abi: uniswapRouter },
      'addLiquidityETH',
      [STOCK_ADDRESS, amount, 0n, 0n, OWNER.address, deadline],
      OWNER,
      (amount * STOCK_PRICE) / 10n ** 18n,
    )
    await mintPrizes()
    await fundPool(parseEther('1'))
    // Fixes the day's commitment before the first payment.
    await get('/api/lootbox')
  })
}

/** Gives the pool reward tokens to pay prizes with. */
export async function mintPrizes(): Promise<void> {
  const token = { address: REWARD_TOKEN_ADDRESS, abi: tokenAbi }
  await write(token, 'mint', [POOL_ADDRESS, parseEther('100')])
}

/** Deploys only the pool and its reward token. */
export async function deployPool(): Promise<void> {
  await deploy('RewardToken', [OWNER.address, 10n ** 24n])
  await ask('anvil_setNonce', OWNER.address, toHex(6))
  await deploy('PrizePool', [OWNER.address, RELAYER.address, OWNER.address])
}

/** Sets the feed's price of the stock, as of now. */
export function setFeed(price: bigint): Promise<Hex> {
  const abi = parseAbi(['function set(int256 answer)'])
  // An estimate is too low if the feed's time changes only in the block, a second later.
  return mined(
    chain.writeContract({
      address: FEED_ADDRESS,
      abi,
      functionName: 'set',
      args: [price],
      account: OWNER,
      gas: 100_000n,
    }),
  )
}

export function fundPool(value: bigint): Promise<Hex> {
  return mined(chain.sendTransaction({ account: OWNER, to: POOL_ADDRESS, value }))
}

/** Gives the day a seed that makes a payment win a tier. */
export async function rig(txHash: Hex, tier: number): Promise<string> {
  const { blockHash } = await chain.getTransactionReceipt({ hash: txHash })
  const message = paymentMessage(txHash, blockHash)
  for (;;) {
    const seed = bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
    if (tierOfRoll(rollOf(seed, message), LOOTBOX.prizes) !== tier) continue
    const stub = lootboxDay(env, new Date(now()).toISOString().slice(0, 10))
    await runInDurableObject(stub, (_: unknown, { storage }) => {
      const { rowsWritten } = storage.sql.exec('UPDATE day SET seed = ?', seed)
      // Else the opening would draw a seed of its own.
      if (rowsWritten !== 1) throw new Error('the day has no seed to replace')
    })
    await evictDurableObject(stub)
    return seed
  }
}

/** Sends the order to the relayer, then has the relayer look at the chain a number of times. */
export async function work(txHash: Hex, looks = 2): Promise<void> {
  await runDurableObjectAlarm(payment(env, 31_337, txHash))
  for (let looked = 0; looked < looks; looked++) {
    await look()
    pass(2_000)
  }
  await runDurableObjectAlarm(payment(env, 31_337, txHash))
}
