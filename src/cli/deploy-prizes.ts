import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getAddress, parseAbi, parseEther, sha256, type Abi, type Address, type Hex } from 'viem'
import { boxNftAbi, rewardTokenAbi, stockAbi } from '../chain/abi.ts'
import { invariant } from '../invariant.ts'
import { connect } from './chain-wallet.ts'
import { devBoxSigner, type DevAccount } from './dev-players.ts'

/** Everything that prizes come from, on a fresh chain. */
export interface Prizes {
  rewardToken: Address
  pool: Address
  weth: Address
  router: Address
  stock: Address
  feed: Address
  boxNft: Address
  award: Address
  /** The pepper of the first batch of boxes, in hex without 0x. */
  boxPepper: string
}

const REWARD_CAP = parseEther('1000000000')
const REWARDS = parseEther('1000000')
/** What one stock costs: on the feed, and by what the router's pool holds. */
const STOCK_PRICE = parseEther('0.004')
const STOCKS = parseEther('100000')
const POOL_ETH = parseEther('1000')

/** The boxes' one kind. */
const BOX_PRICE = parseEther('0.01')
const BOX_TIERS = [
  { bps: 7_000, prize: parseEther('5') },
  { bps: 2_000, prize: parseEther('20') },
  { bps: 900, prize: parseEther('60') },
  { bps: 100, prize: parseEther('500') },
]

const LONG = 10n ** 12n

const routerAbi = parseAbi([
  'function addLiquidityETH(address,uint256,uint256,uint256,address,uint256) payable',
])

/** Deploys boxes, lootbox and a real exchange for its stock, all of it the owner's and ready to use. */
export async function deployPrizes(
  projectDir: string,
  rpcUrl: string,
  { owner, relayer }: { owner: DevAccount; relayer: DevAccount },
): Promise<Prizes> {
  const site = new Site(projectDir, rpcUrl, owner)
  const rewardToken = await site.deploy('contracts/out/RewardToken.sol/RewardToken', [
    owner.address,
    REWARD_CAP,
  ])
  const uniswap = 'node_modules/@uniswap'
  const weth = await site.deploy(`${uniswap}/v2-periphery/build/WETH9`, [])
  const factory = await site.deploy(`${uniswap}/v2-core/build/UniswapV2Factory`, [owner.address])
  const router = await site.deploy(`${uniswap}/v2-periphery/build/UniswapV2Router02`, [
    factory,
    weth,
  ])
  const pool = await site.deploy('contracts/out/PrizePool.sol/PrizePool', [
    owner.address,
    relayer.address,
    router,
  ])
  const stock = await site.deploy('contracts/out/TestStock.sol/TestStock', [
    'Local Stock',
    'STK',
    owner.address,
  ])
  const feed = await site.deploy('contracts/out/TestPriceFeed.sol/TestPriceFeed', [STOCK_PRICE])
  const boxNft = await site.deploy('contracts/out/BoxNft.sol/BoxNft', [
    owner.address,
    devBoxSigner().address,
  ])
  const award = await site.deploy('contracts/out/Award.sol/Award', [
    owner.address,
    boxNft,
    rewardToken,
  ])
  await site.call(stock, stockAbi, 'mint', [owner.address, STOCKS])
  await site.call(stock, stockAbi, 'approve', [router, STOCKS])
  await site.call(
    router,
    routerAbi,
    'addLiquidityETH',
    [stock, STOCKS, 0n, 0n, owner.address, LONG],
    (STOCKS * STOCK_PRICE) / parseEther('1'),
  )
  await site.call(rewardToken, rewardTokenAbi, 'mint', [pool, REWARDS])
  await site.call(rewardToken, rewardTokenAbi, 'mint', [award, REWARDS])
  await site.send(pool, POOL_ETH)
  const boxPepper = randomBytes(32).toString('hex')
  await site.call(boxNft, boxNftAbi, 'addKind', [BOX_PRICE, BOX_TIERS])
  await site.call(boxNft, boxNftAbi, 'openBatch', [sha256(`0x${boxPepper}`)])
  // Boxes are sold from the block after the one that opened their batch.
  await site.send(owner.address, 0n)
  return { rewardToken, pool, weth, router, stock, feed, boxNft, award, boxPepper }
}

/** The owner at work on the chain, one transaction after the other. */
class Site {
  readonly #projectDir: string
  readonly #chain: ReturnType<typeof connect>

  constructor(projectDir: string, rpcUrl: string, owner: DevAccount) {
    this.#projectDir = projectDir
    this.#chain = connect(rpcUrl, owner.privateKey)
  }

  /** @param path of what forge or Uniswap has compiled, without its ending */
  async deploy(path: string, args: unknown[]): Promise<Address> {
    const text = await readFile(join(this.#projectDir, `${path}.json`), 'utf8')
    const { abi, bytecode } = JSON.parse(text) as {
      abi: Abi
      bytecode: string | { object: string }
    }
    const code = typeof bytecode === 'string' ? bytecode : bytecode.object
    const hash = await this.#chain.deployContract({
      chain: null,
      abi,
      bytecode: `0x${code.replace(/^0x/, '')}`,
      args,
    })
    const { contractAddress } = await this.#mined(hash)
    invariant(contractAddress, `${path} was deployed`)
    return getAddress(contractAddress)
  }

  async call(
    address: Address,
    abi: Abi,
    functionName: string,
    args: unknown[],
    value = 0n,
  ): Promise<void> {
    const call = { chain: null, address, abi, functionName, args, value }
    await this.#mined(await this.#chain.writeContract(call))
  }

  async send(to: Address, value: bigint): Promise<void> {
    await this.#mined(await this.#chain.sendTransaction({ chain: null, to, value }))
  }

  async #mined(hash: Hex) {
    const receipt = await this.#chain.waitForTransactionReceipt({ hash })
    invariant(receipt.status === 'success', 'the owner is refused nothing')
    return receipt
  }
}
