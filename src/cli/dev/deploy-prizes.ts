import { randomBytes } from 'node:crypto'
import { parseAbi, parseEther, sha256 } from 'viem'
import { boxNftAbi } from '../../chain/abi.ts'
import { tokenAbi } from '../../chain/foreign-abi.ts'
import { awardOf } from '../deploy-contracts/contracts.ts'
import { Site } from '../deploy-contracts/site.ts'
import { devBoxSigner, type DevAccount } from '../shared/dev-players.ts'

/** The contracts of lootbox and boxes on a new chain. */
export type Prizes = Awaited<ReturnType<typeof deployPrizes>>

const REWARD_CAP = parseEther('1000000000')
const REWARDS = parseEther('1000000')
/** The price of one stock, on the feed and in the router's pool. */
const STOCK_PRICE = parseEther('0.004')
const STOCKS = parseEther('100000')
const POOL_ETH = parseEther('1000')

/** The only kind of box. */
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

/** Deploys boxes, the lootbox and a real exchange for its stock, owned by the owner and ready to use. */
export async function deployPrizes(
  projectDir: string,
  rpcUrl: string,
  { owner, relayer }: { owner: DevAccount; relayer: DevAccount },
) {
  const site = new Site(projectDir, rpcUrl, owner)
  const deploy = async (name: string, args: unknown[]) => (await site.deploy(name, args)).address
  const deployUniswap = async (path: string, args: unknown[]) =>
    (await site.deployFrom(`node_modules/@uniswap/${path}.json`, args)).address
  const rewardToken = await deploy('RewardToken', [owner.address, REWARD_CAP])
  const weth = await deployUniswap('v2-periphery/build/WETH9', [])
  const factory = await deployUniswap('v2-core/build/UniswapV2Factory', [owner.address])
  const router = await deployUniswap('v2-periphery/build/UniswapV2Router02', [factory, weth])
  const pool = await deploy('PrizePool', [owner.address, relayer.address, router])
  const stock = await deploy('TestStock', ['Local Stock', 'STK', owner.address])
  const feed = await deploy('TestPriceFeed', [STOCK_PRICE])
  const boxNft = await deploy('BoxNft', [owner.address, devBoxSigner().address, rewardToken])
  const award = awardOf(boxNft)
  await site.call(stock, tokenAbi, 'mint', [owner.address, STOCKS])
  await site.call(stock, tokenAbi, 'approve', [router, STOCKS])
  await site.call(
    router,
    routerAbi,
    'addLiquidityETH',
    [stock, STOCKS, 0n, 0n, owner.address, LONG],
    (STOCKS * STOCK_PRICE) / parseEther('1'),
  )
  await site.call(rewardToken, tokenAbi, 'mint', [pool, REWARDS])
  await site.call(rewardToken, tokenAbi, 'mint', [award, REWARDS])
  await site.send(pool, POOL_ETH)
  // The pepper of the first batch of boxes, in hex without 0x.
  const boxPepper = randomBytes(32).toString('hex')
  await site.call(boxNft, boxNftAbi, 'addKind', [BOX_PRICE, BOX_TIERS])
  await site.call(boxNft, boxNftAbi, 'openBatch', [sha256(`0x${boxPepper}`)])
  // A batch's boxes are for sale from the block after the one that opened it.
  await site.send(owner.address, 0n)
  return { rewardToken, pool, weth, router, stock, feed, boxNft, award, boxPepper }
}
